"""Addresses and names of the net and of code; telephones, serials, versions, formulas -> English words."""

from __future__ import annotations

import re

from mlx_tts.text.languages.english.numbers import cardinal, digits, label, label_digits, spoken, year
from mlx_tts.text.normalise.accounts import IBAN, iban
from mlx_tts.text.normalise.engine import one_of, rule, words_of
from mlx_tts.text.normalise.web_address import BEHIND_HOST, parts_behind_host

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
         "~": " tilde ", "=": " equals ", "&": " and ", "%": " percent ", "#": " hash ",
         "?": " question mark "}  # fmt: skip
HOST_PART = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})"
HOST = rf"(?:{HOST_PART}\.){{1,8}}(?:[A-Za-z]{{2,24}})"
KNOWN_ENDS = "com|org|net|io|ai|edu|gov|dev|app|co|uk|de|fr|info|me|tv|eu|ch|jp|ca|us|nl|it|es"


def spelled(letters: str) -> str:
    return " ".join(letters.upper())


def _words(written: str) -> str:
    """Letters stay words, marks become their names."""
    said = re.sub(r"[.\-_/:+@~=&%#?]", lambda match: MARKS[match[0]], written)
    said = re.sub(r"\d+", lambda match: f" {_number(match[0])} ", said)
    return " ".join(said.split())


def _number(written: str) -> str:
    return spoken(written) if len(written) == 4 and written[0] != "0" else digits(written)


def _host(host: str) -> str:
    *names, end = host.removeprefix("www.").split(".")  # three times "double u" is heard as anything else
    if not names:
        return end  # localhost
    said = [spelled(name) if _is_code(name, names) else _words(name) for name in names]
    said.append(end.lower() if end.lower() in WORD_DOMAINS else spelled(end))
    return " dot ".join(said)


def _is_code(name: str, names: list[str]) -> bool:
    """No vowel, or a short last name before a country's: github is a word, bbc and the ac of ac.uk are letters."""
    return (len(name) < 5 and not re.search(r"[aeiouy\d]", name)) or (len(names) > 1 and name == "ac")


def _url(match: re.Match[str]) -> str:
    port = f" colon {_number(match['port'])}" if match["port"] else ""
    return _host(match["host"]) + port + _behind_host(match["path"])


def _behind_host(written: str | None) -> str:
    path, query = parts_behind_host(written)
    return (f" slash {_words(path)}" if path else "") + (f" {_words(query)}" if query else "")


def _mail(match: re.Match[str]) -> str:
    return f"{_words(match['user'])} at {_host(match['host'])}"


def _tag(match: re.Match[str]) -> str:
    return f"hashtag {split_camel(match['tag'])}"


def split_camel(name: str) -> str:
    """ "MachineLearning2024" -> "Machine Learning twenty twenty four"."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])|_", " ", name)
    return " ".join(re.sub(r"\d+", lambda match: f" {label_digits(match[0])} ", apart).split())


def extension(written: str) -> str:
    lower = written.lower()
    return lower if lower in READ_AS_WORDS else spelled(written)


def _file(match: re.Match[str]) -> str | None:
    if match["end"].isupper() and re.fullmatch(r"(?:[A-Z]\.)+[A-Z]", match[0]):
        return None  # initials: "the 5th century B.C"
    numbered = re.sub(r"(?<=\d)\.(?=\d)", " point ", match["name"])  # "setup_v2.1.exe"
    name = " ".join(split_camel(re.sub(r"[-_.]+", " ", numbered)).split())
    return f"{name} dot {extension(match['end'])}"


def _path(match: re.Match[str]) -> str:
    return _words(match[0])


COMPARED = {"==": "equals", ">=": "at least", "<=": "at most", "~=": "about", "!=": "not"}
WEB_RULES = (
    rule(rf"<(?:[a-z]{{2,10}}://)?(?:www\.(?=\w))?(?P<host>{HOST})(?P<port>)(?P<path>[/?#](?:[^\s<>]{{0,2000}})?)?>",
         lambda m: _url(m)),
    rule(rf"<(?P<user>[A-Za-z\d][\w.+-]{{0,63}})@(?P<host>{HOST})>", lambda m: _mail(m)),
    rule(rf"\b(?:[a-z]{{2,10}}://)(?:www\.(?=\w))?(?P<host>{HOST}|localhost|(?:\d{{1,3}}\.){{3}}\d{{1,3}})"
         rf"(?::(?P<port>\d{{1,5}}))?{BEHIND_HOST}",
         lambda m: _url(m) if m["host"][-1].isalpha() else _numbered_host(m)),
    rule(r"\bfile://(?P<path>(?:/[\w-]{1,60}){0,12}/?)(?P<name>[\w-]{1,60})\.(?P<end>\w{1,12})(?!\w)",
         lambda m: f"file colon slash slash {_words(m['path'])} {split_camel(m['name'])} dot {extension(m['end'])}"),
    rule(rf"(?<![\w.@+-])(?:mailto:)?(?P<user>[A-Za-z0-9][\w.+-]{{0,63}})@(?P<host>{HOST})(?![\w@])", _mail),
    rule(rf"(?<![\w.@/-])(?=www\.|{HOST}/|(?:{HOST_PART}\.){{1,8}}(?:{KNOWN_ENDS})\b)(?!\d+\.\d)(?P<host>{HOST})"
         rf"(?P<port>)"
         rf"{BEHIND_HOST}(?![\w@])", lambda m: _url(m)
             if m["host"].split(".")[-1] not in EXTENSIONS else None),
    rule(r"(?<![\w@])@(?P<name>[A-Za-z_]\w{0,40})", lambda m: f"at {split_camel(m['name'])}"),
    rule(r"(?<![\w&#])#(?P<tag>(?:\d{1,4}[A-Z])?[A-Za-z]\w{1,60})", _tag),
    rule(rf"(?<![\w/.~-])(?P<name>[A-Za-z0-9][\w-]{{0,80}}(?:\.[\w-]{{1,20}}){{0,3}})\.(?P<end>(?i:"
         rf"{one_of(EXTENSIONS)}))"
         rf"(?![\w/.-]\w)(?!\w)",
         _file),
    rule(rf"(?<![\w/.~-])(?P<path>(?:[A-Za-z][\w-]{{0,40}}/){{1,6}})(?P<name>[A-Za-z0-9][\w-]{{0,80}})\.(?P<end>(?i:"
         rf"{one_of(EXTENSIONS)}))"
         rf"(?::(?P<line>\d{{1,6}}))?(?![\w/.-]\w)(?!\w)", lambda m: f"{_words(m['path'])} {_file(m)}"
         + (f" line {cardinal(int(m['line']))}" if m["line"] else "")),
    rule(r"(?<![\w/.<])~?(?:/[\w.-]{0,60}\w){2,20}/?", _path),
    rule(r"(?<![\w.])\.(?P<end>pdf|txt|csv|json|mp3|wav|epub|docx?|zip|exe|NET)\b",
         lambda m: f"dot {extension(m['end'])}"),
    rule(r"(?<!\w)(?P<name>[A-Za-z_]\w{0,60})\(\)", lambda m: split_camel(m["name"])),
    rule(r"(?<!\w)_{0,2}(?P<name>[A-Za-z]\w{0,60}?)_{0,2}(?!\w)",
         lambda m: split_camel(m["name"]) if "_" in m["name"].strip("_") else None),
    rule(r"(?<!\w)(?P<name>[a-z]{3,20}(?:[A-Z][a-z]{1,20}){1,5})(?!\w)", lambda m: split_camel(m["name"]).lower()),
    rule(r"(?<![^\s\"`(\[*])(?<![^\s(\[]\")--?(?P<name>[a-z]{2,20})(?P<rest>(?:-[a-z]{1,20}){0,5})(?![\w-])",
         lambda m: f"dash dash {m['name']}{m['rest'].replace('-', ' ')}" if m[0].startswith("--") else None),
    rule(r"(?<![\w`.-])(?P<name>[A-Za-z][\w-]{0,40})(?P<sign>==|>=|<=|~=|!=)(?P<n>\d{1,6}(?:\.\d{1,6}){0,4})(?![\w.]"
    r"\w|\w)",
         lambda m: f"{split_camel(m['name'])} {COMPARED[m['sign']]} "
             f"{' point '.join(spoken(part) for part in m['n'].split('.'))}"),
    rule(r"\b(?P<letter>[A-Z])#(?!\w)", r"\g<letter> sharp"),
    rule(r"\bC\+\+(?P<n>\d\d)?(?!\w)",
         lambda m: f"C plus plus {label_digits(m['n'])}" if m["n"] else "C plus plus"),
)  # fmt: skip


def _numbered_host(match: re.Match[str]) -> str:
    octets = " dot ".join(digits(part) for part in match["host"].split("."))
    port = f" colon {_number(match['port'])}" if match["port"] else ""
    return octets + port + _behind_host(match["path"])


# Numbers that are names -> English words: telephones, serials, versions, addresses, formulas, quarters.

FORMULAS = words_of(
    "H2O CO2 O2 N2 H2 O3 CO NO2 N2O SO2 SO3 H2SO4 HNO3 H3PO4 NH3 CH4 C2H6 C2H5OH C6H12O6 NaCl KCl NaOH KOH HCl "
    "H2O2 CaCO3 Fe2O3 NaHCO3 MgO SiO2 TiO2 Al2O3 CaCl2 AgNO3 PbS UF6 CFC"
)
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "Δ": "delta", "δ": "delta", "λ": "lambda", "μ": "mu", "σ": "sigma",
         "Σ": "sigma", "θ": "theta", "ω": "omega", "Ω": "omega"}  # fmt: skip


def _groups(match: re.Match[str]) -> str:
    """Digits one by one, a comma's breath between the groups."""
    plus = "plus " if match[0].lstrip("(").startswith("+") else ""
    return plus + ", ".join(digits(group) for group in re.findall(r"\d+", match[0]))


def _vanity(match: re.Match[str]) -> str | None:
    """1-800-GO-2-HAUL: letters that are words stay so."""
    groups = match[0].split("-")
    if all(group.isdecimal() for group in groups):
        return None
    return ", ".join(
        (f"{cardinal(int(group[0]))} hundred" if group[1:] == "00" else digits(group))
        if group.isdecimal() else label(group) or group.capitalize()
        for group in groups)  # fmt: skip


def _serial(match: re.Match[str]) -> str | None:
    written = match[0]
    groups = written.split("-") if "-" in written else written.split(" ")
    return ", ".join(digits(g) if g.isdecimal() else f"{digits(g[:-1])} {g[-1]}".strip() for g in groups)


PROGRAMS = words_of(
    "Python macOS iOS iPadOS watchOS tvOS visionOS Android Ubuntu Debian Fedora Windows Linux Node Node.js Java Ruby "
    "Rust PHP Perl Swift Kotlin Scala Django Rails Flask PostgreSQL Postgres MySQL Docker Kubernetes Xcode Firefox "
    "Safari PyTorch TensorFlow NumPy CUDA GCC Clang CMake Git Godot Blender QEMU GNOME"
)


def _version(match: re.Match[str]) -> str:
    parts = re.split(r"\.", match["number"])
    return "version " + " point ".join(spoken(part) for part in parts) + _stage(match)


def _release(match: re.Match[str]) -> str:
    """The number behind a program's name counts releases: Python 3.12 comes after 3.9."""
    minor = match["minor"]
    said = f"oh {cardinal(int(minor))}" if minor.startswith("0") else f"point {cardinal(int(minor))}"
    return f"{match['program']} {cardinal(int(match['major']))} {said}"


def _stage(match: re.Match[str]) -> str:
    stage = match["stage"] if "stage" in match.groupdict() else None
    if not stage:
        return ""
    kind, number = re.fullmatch(r"[-.]?([a-z]+)\.?(\d*)", stage).groups()  # type: ignore[union-attr]
    name = {"rc": "release candidate", "b": "beta", "a": "alpha"}.get(kind, kind)
    return f" {name}" + (f" {cardinal(int(number))}" if number else "")


def _dotted(match: re.Match[str]) -> str | None:
    parts = match["number"].split(".")
    if len(parts) == 4 or any(part[0] == "0" and len(part) > 1 for part in parts):
        port = f" colon {_number(match['port'])}" if match["port"] else ""
        return " dot ".join(digits(part) for part in parts) + port
    if match["port"]:
        return None
    return " point ".join(spoken(part) for part in parts) + _stage(match)


def _formula(match: re.Match[str]) -> str:
    written = match.groupdict().get("atoms") or match[0]
    atoms = re.findall(r"[A-Z][a-z]?|\d+", written.translate(SUBSCRIPTS))
    # Hyphens: the built-in voices say so spelt letters rightly (4 of 4), with spaces between them wrongly (0 of 4).
    return "-".join(cardinal(int(a)) if a.isdecimal() else "-".join(a.upper()) for a in atoms)


# Without digits.
CODE_NAMES = (
    rule(rf"(?<![\w-])(?:{one_of(FORMULAS)})(?![\w-])", lambda m: None if m[0] in ("CO", "CFC") else _formula(m)),
)
CODE_RULES = (
    rule(IBAN, lambda m: iban(m, digits)),
    # Standards: "V.34", "H.264", "X.509".
    rule(r"(?<![\w.])(?P<letter>[GHIQTVX])\.(?P<n>\d{1,4})(?![\w-]|\.\d)",
         lambda m: f"{m['letter']} {label_digits(m['n'])}"),
    # Families of processors: "5x86", "680x0".
    rule(r"(?<![\w.,-])(?P<a>\d{1,3})x(?P<b>86|0)(?!\w)",
         lambda m: f"{label_digits(m['a'])} x {'eighty six' if m['b'] == '86' else 'oh'}"),
    # A docket: "No. 2:21-cv-01234-ABC".
    rule(r"(?<![\w.,-])(?:(?P<office>\d{1,2}):)?(?P<year>\d{2})-(?P<kind>cv|cr|mc|mj|md|bk|ap|civ|cw)-(?P<n>\d{2,6})"
         r"(?P<judges>(?:-[A-Z]{2,4}){0,3})(?!\w|-\w)",
         lambda m: f"{cardinal(int(m['office'])) + ', ' if m['office'] else ''}{label_digits(m['year'])} "
         f"{spelled(m['kind'])} {label_digits(m['n'])}"
         + "".join(f", {spelled(judge)}" for judge in m["judges"].split("-") if judge)),
    rule(r"(?<![\w.])(?:\+?\d{1,3}[ .-]?)?\(\d{2,5}\)[ .-]?\d{2,5}(?:[ .-]\d{2,5}){0,4}(?![\w-])", _groups),
    rule(r"(?<=\b[Cc]all )(?:911|999|112|101|111|211|311|411|511|611|988)\b(?![-.,]\d)"
         r"|(?:(?<=\b[Dd]ial )|(?<=\b[Rr]ing ))(?:911|999|112|101|111|211|311|411|511|611|988)\b(?![-.,]\d)", _groups),
    rule(r"(?<![\w.,-])1-(?:800|888|877|866)(?:-[A-Z\d]{1,10}){1,4}(?![\w-])", _vanity),
    rule(r"(?<![\w.])\+\d{1,3}(?:[ .-]?\d{1,12})(?:[ .-]\d{1,5}){0,5}(?![\w%])(?!\.\d)", lambda m: _international(m)),
    rule(r"(?<![\w.,$€£-])(?:1[-. ])?\d{3}([-.])\d{3}\1\d{4}(?:-\d{1,5})?(?![\w-])", _groups),
    rule(r"(?<![\w.,$€£+-])0\d{2,4} \d{3,4} \d{3,4}(?![\w-])|(?<![\w.,$€£+-])0\d{4} \d{5,6}(?![\w-])", _groups),
    rule(r"(?<![\w.,$€£-])555-\d{4}(?![\w-])", _groups),
    rule(r"(?<=\b[Tt]el[.:] )\d{3}[- ]\d{4}\b|(?<=\b[Pp]hone )\d{3}[- ]\d{4}\b|(?<=\b[Cc]all )\d{3}[- ]\d{4}\b",
         _groups),
    rule(r"(?<!\w)#(?P<n>\d{1,8}(?:-\d{1,8}){1,4}|\d{5,12})(?![\w-]|[.,]\d)",
         lambda m: "number " + ", ".join(digits(part) for part in m["n"].split("-"))),
    rule(r"(?<=[A-Z]{2})# ?(?P<n>\d{1,8}(?:-\d{1,8}){1,3})(?![\w-]|[.,]\d)",
         lambda m: " number " + ", ".join(digits(part) for part in m["n"].split("-"))),
    rule(r"(?<=[A-Z]{2})# ?(?P<n>\d{1,12})(?![\w-]|[.,]\d)",
         lambda m: " number " + (digits(m["n"]) if len(m["n"]) > 4 else cardinal(int(m["n"])))),
    rule(r"(?<![\w.,-])(?P<n>\d{1,4})\.x(?!\w)", lambda m: f"{spoken(m['n'])} x"),
    rule(r"(?<![\w.,-])\d{2}-\d{7}(?![\w-])|(?<![\w.,-])\d{3}-\d{2}-\d{4}(?![\w-])", _serial),
    rule(r"(?<![\w.,-])\d{1,7}(?:-\d{1,7}){2,6}(?:-[\dX])?(?![\w-])", _serial),
    rule(r"(?<![\w.,-])\d{4} \d{4} \d{4} \d{3,4}(?!\w)", _serial),
    rule(rf"\b(?P<program>{one_of(PROGRAMS)}) (?P<major>\d{{1,2}})\.(?P<minor>[1-9]\d|0[1-9])(?![\w%]|[.,]\d)",
         _release),
    rule(r"\b(?:v|V(?=er|\. \d|\d+\.\d))(?:\. ?|er\. ?)?(?P<number>\d{1,4}(?:\.\d{1,6}){0,4})(?P<stage>-?(?:rc|beta|"
    r"alpha|b|a)\.?\d{0,3})?"
         r"(?![\w.]\w)(?!\w)",
         _version),
    rule(r"(?<![\w.,])(?P<number>\d{1,6}(?:\.\d{1,6}){2,4})(?P<stage>-?(?:rc|beta|alpha|b|"
         r"a)\.?\d{0,3})?(?::(?P<port>\d{1,5}))?(?![\w-])",
         _dotted),
    rule(r"(?<!\w)(?P<count>\d{0,2})(?P<atoms>(?:[A-Z][a-z]?[₀-₉]*){1,12}(?<=[₀-₉])(?:[A-Z][a-z]?[₀-₉]*){0,12})(?!\w)",
         lambda m: f"{cardinal(int(m['count'])) if m['count'] else ''} {_formula(m)}".strip()),
    rule(r"(?<=\bBoeing )(?P<n>7\d7)-(?P<m>\d{1,3})(?P<letters>(?:ER|LR|F|X)?)(?![\w-])|"
         r"\b(?P<air>A3\d\d)-(?P<k>\d{3,4})(?![\w-])",
         lambda m: f"{label_digits(m['n'])} {label_digits(m['m'])} {' '.join(m['letters'])}".strip() if m["n"]
         else f"A {label_digits(m['air'][1:])} {label_digits(m['k'])}"),
    rule(r"(?<=\d{4}) x(?P<n>\d{2,5})(?!\w)", lambda m: f" extension {digits(m['n'])}"),
    rule(r"\b(?P<q>[QH])(?P<n>[1-4]) ?['’](?P<year>\d\d)(?!\w)",
         lambda m: f"{m['q']} {cardinal(int(m['n']))} {year(2000 + int(m['year']))}"),
    rule(r"\b(?P<q>[QH])(?P<n>[1-4])(?:[ -](?P<year>(?:19|20)\d\d))?(?!\w)",
         lambda m: f"{m['q']} {cardinal(int(m['n']))}{' ' + year(int(m['year'])) if m['year'] else ''}"),
    rule(r"(?<!\w)0[xX](?P<hex>[0-9A-Fa-f]{1,16})\b", lambda m: "zero x " + " ".join(
        cardinal(int(c)) if c.isdecimal() else c.upper() for c in m["hex"])),
    rule(r"(?<![\w.,])(?P<agent>00)(?P<n>[1-9])\b", lambda m: f"double oh {cardinal(int(m['n']))}"),
    rule(rf"(?<![^\W\d_])(?P<letter>{one_of(GREEK)})(?![^\W\d_])", lambda m: GREEK[m["letter"]]),
)  # fmt: skip


def _international(match: re.Match[str]) -> str | None:
    """With seven digits or more it is a telephone number; "+5" is a number with its sign."""
    return _groups(match) if sum(c.isdigit() for c in match[0]) > 6 else None
