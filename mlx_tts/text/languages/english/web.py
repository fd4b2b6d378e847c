"""Addresses and names of the net and of code -> English words: URLs, e-mail, handles, tags, paths, file names."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import spoken
from mlx_tts.text.normalise.rules import one_of, rule, words_of

WORD_DOMAINS = frozenset(
    words_of("com org net info gov mil dev app shop blog online site xyz museum name pro page cloud tech coop")
)
EXTENSIONS = words_of(
    "pdf txt md py js ts jsx tsx html htm css json yaml yml toml xml csv tsv doc docx xls xlsx ppt pptx zip tar "
    "gz exe dmg pkg deb rpm png jpg jpeg gif svg webp mp3 mp4 wav flac ogg m4a m4b mov avi mkv epub sh bat c cpp "
    "h rs go java rb php sql ini cfg conf log bak safetensors gguf srt vtt"
)
READ_AS_WORDS = frozenset(words_of("zip tar doc docs log gif bat exe sh"))
MARKS = {".": " dot ", "-": " dash ", "_": " underscore ", "/": " slash ", ":": " colon ", "+": " plus ", "@": " at ",
         "~": " tilde ", "=": " equals ", "&": " and ", "%": " percent ", "#": " hash "}  # fmt: skip
HOST_PART = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})"
HOST = rf"(?:{HOST_PART}\.){{1,8}}(?:[A-Za-z]{{2,24}})"
KNOWN_ENDS = "com|org|net|io|ai|edu|gov|dev|app|co|uk|de|fr|info|me|tv|eu|ch|jp|ca|us|nl|it|es"


def spelled(letters: str) -> str:
    return " ".join(letters.upper())


def _words(written: str) -> str:
    """Letters stay words, marks become their names."""
    said = re.sub(r"[.\-_/:+@~=&%#]", lambda match: MARKS[match[0]], written)
    said = re.sub(r"\d+", lambda match: f" {_number(match[0])} ", said)
    return " ".join(said.split())


def _number(written: str) -> str:
    return spoken(written) if len(written) < 5 else " ".join(spoken(digit) for digit in written)


def _host(host: str) -> str:
    *names, end = host.removeprefix("www.").split(".")  # three times "double u" is heard as anything else
    said = [spelled(name) if _is_code(name, names) else _words(name) for name in names]
    said.append(end.lower() if end.lower() in WORD_DOMAINS else spelled(end))
    return " dot ".join(said)


def _is_code(name: str, names: list[str]) -> bool:
    """No vowel, or a short last name before a country's: github is a word, bbc and the ac of ac.uk are letters."""
    return (len(name) < 5 and not re.search(r"[aeiouy\d]", name)) or (len(names) > 1 and name == "ac")


def _url(match: re.Match[str]) -> str:
    path = match["path"] or ""
    end = re.search(r"[.,;:!?'\")\]]+\Z", path)
    tail = end[0] if end else ""
    path = path[: len(path) - len(tail)].split("?")[0].split("#")[0].strip("/")
    port = f" colon {_number(match['port'])}" if match["port"] else ""
    return _host(match["host"]) + port + (f" slash {_words(path)}" if path else "") + tail


def _mail(match: re.Match[str]) -> str:
    return f"{_words(match['user'])} at {_host(match['host'])}"


def _tag(match: re.Match[str]) -> str:
    return f"hashtag {split_camel(match['tag'])}"


def split_camel(name: str) -> str:
    """ "MachineLearning2024" -> "Machine Learning 2024"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])|_", " ", name).strip()


def extension(written: str) -> str:
    lower = written.lower()
    return lower if lower in READ_AS_WORDS else spelled(written)


def _file(match: re.Match[str]) -> str:
    name = " ".join(split_camel(re.sub(r"[-_.]+", " ", match["name"])).split())
    return f"{name} dot {extension(match['end'])}"


def _path(match: re.Match[str]) -> str:
    written = match[0].rstrip(".,;:!?")
    return _words(written) + match[0][len(written) :]


RULES = (
    rule(rf"\b(?:[a-z]{{2,10}}://)(?:www\.(?=\w))?(?P<host>{HOST}|localhost|(?:\d{{1,3}}\.){{3}}\d{{1,3}})"
         r"(?::(?P<port>\d{1,5}))?(?P<path>/[^\s<>]*)?",
         lambda m: _url(m) if m["host"][-1].isalpha() else f"{m['host']}{_port(m)}"),
    rule(rf"(?<![\w.@+-])(?:mailto:)?(?P<user>[A-Za-z0-9][\w.+-]{{0,63}})@(?P<host>{HOST})(?![\w@])", _mail),
    rule(rf"(?<![\w.@/-])(?=www\.|{HOST}/|(?:{HOST_PART}\.){{1,8}}(?:{KNOWN_ENDS})\b)(?!\d+\.\d)(?P<host>{HOST})"
         rf"(?P<port>)"
         r"(?P<path>/[^\s<>]*)?(?![\w@])", lambda m: _url(m) if m["host"].split(".")[-1] not in EXTENSIONS else None),
    rule(r"(?<![\w@])@(?P<name>[A-Za-z_]\w{0,40})", lambda m: f"at {split_camel(m['name'])}"),
    rule(r"(?<![\w&#])#(?P<tag>[A-Za-z]\w{1,60})", _tag),
    rule(rf"(?<![\w/.~-])(?P<name>[A-Za-z0-9][\w-]{{0,80}}(?:\.[\w-]{{1,20}}){{0,3}})\.(?P<end>{one_of(EXTENSIONS)})"
         rf"(?![\w/.-]\w)(?!\w)",
         _file),
    rule(r"(?<![\w/.<])~?(?:/[\w.-]{1,60}){2,20}/?", _path),
    rule(r"(?<![\w.])\.(?P<end>pdf|txt|csv|json|mp3|wav|epub|docx?|zip|exe|NET)\b",
         lambda m: f"dot {extension(m['end'])}"),
    rule(r"(?<!\w)(?P<name>[A-Za-z_]\w{0,60})\(\)", r"\g<name>"),
    rule(r"(?<!\w)_{0,2}(?P<name>[A-Za-z]\w{0,60}?)_{0,2}(?!\w)",
         lambda m: split_camel(m["name"]) if "_" in m["name"].strip("_") else None),
    rule(r"(?<!\w)(?P<name>[a-z]{3,20}(?:[A-Z][a-z]{1,20}){1,5})(?!\w)", lambda m: split_camel(m["name"]).lower()),
    rule(r"(?<![\w-])--?(?P<name>[a-z]{2,20})(?P<rest>(?:-[a-z]{1,20}){0,5})(?![\w-])",
         lambda m: f"dash dash {m['name']}{m['rest'].replace('-', ' ')}" if m[0].startswith("--") else None),
    rule(r"\b(?P<letter>[A-Z])#(?!\w)", r"\g<letter> sharp"),
    rule(r"(?<=\bC)\+\+(?!\w)", " plus plus"),
)  # fmt: skip


def _port(match: re.Match[str]) -> str:
    return f" colon {_number(match['port'])}" if match["port"] else ""
