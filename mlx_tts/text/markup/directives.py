"""[pause 2s], [voice:NAME], [whisper] or a subset of SSML in a text -> passages with what holds for each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.shortened import shortened, shown
from mlx_tts.text.markup.feelings import FEELINGS, NAME, SSML_EMPHASIS, TAG, Feeling, Feelings
from mlx_tts.text.phonemes.notations import from_ipa
from mlx_tts.text.phonemes.notations import read as read_pronunciation
from mlx_tts.text.phonemes.phones import marked

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_PAUSE_SECONDS = 60.0
VALUE_BEGIN = re.compile(r"""=\s*["']""")  # of an attribute; between two "<" there are those of one tag
DIRECTIVE = re.compile(
    r"\[\[?\s{0,4}(?:(?P<pause>pause|break|slnc|silence)(?:\s{1,4}|\s{0,4}[:=]\s{0,4})"
    r"(?P<time>\d{1,6}(?:\.\d{0,6})?|\.\d{1,6})\s{0,4}(?P<unit>ms|s|sec|seconds?)?"
    r"|voice\s{0,4}[:=]\s{0,4}(?P<voice>[^\[\]\n]{1,200}?)|(?P<end>/voice))\s{0,4}\]\]?",
    re.IGNORECASE,
)
MARKED = re.compile(rf"{DIRECTIVE.pattern}|{TAG.pattern}|(?P<paragraph>\n[ \t]*\n)", re.IGNORECASE)
ESCAPED = re.compile(rf"\\(?=\[/?{NAME}\])")  # "\[sad]" is a word in brackets
CLOSING = re.compile(r"[.,!?;:…。！？”’»)]+\"?|\"(?=\s|\Z)")  # belongs to the words before an end tag


@dataclass(frozen=True)
class Passage:
    """Text with what holds for all of it. voice, language: None: as asked. pause_seconds: quiet before it, exactly.
    rate: times as fast. decibels: louder. feeling: how its words are said. new_paragraph: whether one begins with it.
    marks: names of places at its beginning. plain: words alone, in which no Markdown or HTML is looked for."""

    text: str
    voice: str | None = None
    language: str | None = None
    pause_seconds: float | None = None
    rate: float | None = None
    decibels: float | None = None
    feeling: Feeling | None = None
    new_paragraph: bool = False
    marks: tuple[str, ...] = ()
    plain: bool = False

    def same_form(self, other: Passage) -> bool:
        """Whether words of both may be spoken in one go."""
        mine = (self.voice, self.language, self.rate, self.decibels, self.feeling, self.plain)
        return mine == (other.voice, other.language, other.rate, other.decibels, other.feeling, other.plain)


def split_directives(passage: Passage, feelings: Feelings) -> list[Passage]:
    """The passages that its directives cut it into; a voice goes on until the next, or until [/voice]. feelings: of the
    text that the passage is a part of."""
    if "[" not in passage.text and feelings.now is None:
        return [passage]
    cut = _Cut(passage, feelings)
    for match in MARKED.finditer(passage.text):
        if match["paragraph"]:
            if feelings.ends_with_paragraph:
                cut.end(match.start(), match.start())
                feelings.end_paragraph()
        elif match["tag"]:
            if not feelings.take(match):
                continue
            closing = CLOSING.match(passage.text, match.end()) if match["close"] else None
            cut.end(match.start(), (closing or match).end(), closing[0] if closing else "")
        else:
            cut.end(match.start(), match.end())
            if match["pause"]:
                cut.pause = (cut.pause or 0.0) + _seconds(match)
            else:
                cut.form = replace(cut.form, voice=match["voice"].strip() if match["voice"] else passage.voice)
        cut.form = replace(cut.form, feeling=feelings.now)
    cut.end(len(passage.text), len(passage.text), is_last=True)
    return cut.passages


class _Cut:
    """The passages so far. form: what holds for the next."""

    def __init__(self, passage: Passage, feelings: Feelings):
        self.passages: list[Passage] = []
        self.form = replace(passage, feeling=feelings.now)
        self.pause = passage.pause_seconds
        self._text, self._at = passage.text, 0

    def end(self, end: int, begin: int, closing: str = "", is_last: bool = False) -> None:
        """A passage ends there, and the next one begins behind what is not read. closing: signs behind an end tag."""
        text = ESCAPED.sub("", self._text[self._at : end]) + closing
        if text or is_last:
            heard = is_last or bool(text.strip())  # what stands between two directives may be white space alone
            self.passages.append(replace(self.form, text=text, pause_seconds=self.pause if heard else None))
            self.pause = None if heard else self.pause
        self._at = begin


def _seconds(match: re.Match[str]) -> float:
    """A bare number is milliseconds behind slnc, as Apple's speech commands have it, and seconds elsewhere."""
    unit = (match["unit"] or ("ms" if match["pause"].lower() == "slnc" else "s")).lower()
    seconds = float(match["time"]) / (1000 if unit == "ms" else 1)
    return min(seconds, MOST_PAUSE_SECONDS)


STRENGTHS = {"none": 0.0, "x-weak": 0.1, "weak": 0.2, "medium": 0.4, "strong": 0.8, "x-strong": 1.2}
RATES = {"x-slow": 0.5, "slow": 0.75, "medium": 1.0, "default": 1.0, "fast": 1.25, "x-fast": 1.5}
VOLUMES = {"silent": -60.0, "x-soft": -12.0, "soft": -6.0, "medium": 0.0, "default": 0.0, "loud": 6.0, "x-loud": 10.0}
LEAST_STRESSED = 3  # words: fewer are not cut out of their sentence, whose melody they would lose
FELT = {"emphasis": "level", "express-as": "style", "effect": "name", "emotion": "name"}
KNOWN = frozenset(("speak", "p", "s", "break", "say-as", "sub", "prosody", "voice", "lang", "mark", "phoneme", *FELT))
SILENT = frozenset(("desc", "metadata", "meta", "lexicon", "lookup"))  # what is not for the ear
LETTER_KINDS = ("characters", "spell-out", "verbatim", "letters")


def is_ssml(text: str) -> bool:
    return re.match(r"[\ufeff\s]*+(?:<\?xml[^>]{0,200}\?>\s*)?<speak[\s>/]", text) is not None


@dataclass
class _Walk:
    """runs: a form and the parts of its text. pause, marks, paragraph: what waits for the next words."""

    runs: list[tuple[Passage, list[str]]] = field(default_factory=list)
    left_out: dict[str, None] = field(default_factory=dict)
    pause: float | None = None
    marks: list[str] = field(default_factory=list)
    paragraph: bool = False

    def say(self, text: str | None, form: Passage) -> None:
        words = re.sub(r"\s+", " ", text or "")
        if not words:
            return
        waits = self.pause is not None or self.marks or self.paragraph
        if self.runs and self.runs[-1][0].same_form(form) and (not waits or not words.strip()):
            self.runs[-1][1].append(words)
        elif words.strip():
            begun = replace(form, pause_seconds=self.pause, marks=tuple(self.marks), new_paragraph=self.paragraph)
            self.runs.append((begun, [words]))
            self.pause, self.marks, self.paragraph = None, [], False

    def end_sentence(self) -> None:
        """Words that are a sentence by their mark-up sound like one."""
        if self.runs and (parts := self.runs[-1][1]):
            parts[-1] = parts[-1].rstrip()
            parts.append(" " if parts[-1][-1:] in ".!?…。！？:;" or not parts[-1] else ". ")


def read_ssml(text: str) -> tuple[list[Passage], list[str]]:
    """Passages, and the elements and attributes that were left out. RequestError: no XML, or one that is refused."""
    walk = _Walk()
    _read(_parse(text), walk)
    passages = [replace(form, text="".join(parts).strip()) for form, parts in walk.runs]
    if walk.pause or walk.marks:
        passages.append(Passage("", pause_seconds=walk.pause, marks=tuple(walk.marks), plain=True))
    return passages, list(walk.left_out)


def _parse(text: str) -> Element:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    budget.SSML_CHARACTERS.check(len(text), "this SSML")
    budget.SSML_ELEMENTS.check(text.count("<"), "this SSML")
    budget.ATTRIBUTES.check(max(len(VALUE_BEGIN.findall(part)) for part in text.split("<")), "this SSML")
    try:
        root = fromstring(text.lstrip("\ufeff \t\r\n"), forbid_dtd=True)
    except DefusedXmlException as error:
        raise RequestError(
            f"this SSML declares entities or a document type, which is refused: {type(error).__name__}"
        ) from None
    except (ParseError, ValueError, UnicodeError) as error:
        raise RequestError(
            f"this text begins with <speak> but is not well-formed SSML ({error}): mend it or give --no-markup"
        ) from None
    return root


def _read(root: Element, walk: _Walk) -> None:
    """Depth first without recursion: an element's words, its children, the words behind it."""
    plain, deepest = Passage("", plain=True), budget.SSML_DEPTH.allowed
    stack: list[tuple[Element, Iterator[Element], Passage, Passage]] = []

    def enter(element: Element, outer: Passage) -> None:
        inner, text, children = _opened(element, outer, walk)
        walk.say(text, inner)
        stack.append((element, iter(element) if children else iter(()), inner, outer))

    enter(root, plain)
    while stack:
        element, children, inner, outer = stack[-1]
        if (child := next(children, None)) is not None:
            if len(stack) > deepest:
                budget.SSML_DEPTH.check(len(stack), "this SSML")
            enter(child, inner)
            continue
        stack.pop()
        if _name(element) == "p":
            walk.paragraph = True
        elif _name(element) == "s":
            walk.end_sentence()
        if stack:
            walk.say(element.tail, outer)


def _opened(element: Element, form: Passage, walk: _Walk) -> tuple[Passage, str | None, bool]:  # noqa: C901 (one case a key, an element or a sign)
    """What holds inside an element, its first words, and whether its children are read."""
    name = _name(element)
    if name in SILENT or not name:
        return form, None, False
    if name not in KNOWN:
        walk.left_out[f"<{name}>"] = None
    if name == "break":
        walk.pause = (walk.pause or 0.0) + _break(element, walk)
        return form, None, False
    if name == "mark":
        walk.marks.append(_attribute(element, "name") or "")
        return form, None, False
    if name == "sub":
        return form, _attribute(element, "alias") or element.text, False
    if name == "say-as":
        kind = (_attribute(element, "interpret-as") or "").lower()
        return form, _said_as(kind, "".join(element.itertext())), False
    if name == "phoneme":
        return form, _pronounced(element), False
    if name == "p":
        walk.paragraph = bool(walk.runs)
    if name == "voice" and (voice := _attribute(element, "name")):
        form = replace(form, voice=voice)
    if name in ("lang", "speak", "voice", "p", "s") and (language := _attribute(element, "lang")):
        form = replace(form, language=language)
    if name in FELT:
        form = _felt(name, element, form, walk)
    return (_prosody(element, form, walk) if name == "prosody" else form), element.text, True


def _felt(name: str, element: Element, form: Passage, walk: _Walk) -> Passage:
    """<emphasis level>, Azure's <mstts:express-as style>, Amazon's <amazon:effect name> and <amazon:emotion name>."""
    table: Mapping[str, Feeling | None] = SSML_EMPHASIS if name == "emphasis" else FEELINGS
    asked = (_attribute(element, FELT[name]) or "moderate").casefold()
    if asked not in table:
        walk.left_out[f"{name} {shortened(asked, 20)}"] = None
    feeling = table.get(asked)
    if name == "emphasis" and len(" ".join(element.itertext()).split()) < LEAST_STRESSED:
        feeling = None
    return form if feeling is None else replace(form, feeling=feeling.within(form.feeling))


SSML_ALPHABETS = {"ipa": "ipa", "x-sampa": "xsampa", "x-arpabet": "arpabet", "pinyin": "pinyin", "x-pinyin": "pinyin"}


def _pronounced(element: Element) -> str:
    """The words of <phoneme alphabet ph> with their sounds."""
    words = re.sub(r"\s+", " ", "".join(element.itertext())).strip()
    alphabet, said = _attribute(element, "alphabet") or "ipa", _attribute(element, "ph")
    if alphabet.lower() not in SSML_ALPHABETS:
        raise RequestError(f"<phoneme> has the alphabet {shown(alphabet, 30)}: use {', '.join(SSML_ALPHABETS)}")
    if not said:
        raise RequestError(f"<phoneme> around {shown(words, 40)} has no ph: give the pronunciation there")
    return marked(words or said, read_pronunciation(SSML_ALPHABETS[alphabet.lower()], said).phones)


INLINE = re.compile(r"\[([^\[\]{}\n]{1,100})\]\{([^\[\]{}\n]{1,200})\}")


def with_pronunciations(text: str) -> str:
    """[word]{ipa} -> the word with its sounds."""
    if "]{" not in text:
        return text
    return INLINE.sub(lambda match: marked(match[1].strip(), from_ipa(match[2]).phones), text)


def _prosody(element: Element, form: Passage, walk: _Walk) -> Passage:
    for name in ("pitch", "contour", "range", "duration"):
        if _attribute(element, name):
            walk.left_out[f"prosody {name}"] = None
    rate, volume = _attribute(element, "rate"), _attribute(element, "volume")
    if rate is not None:
        if (times := _rate(rate.strip().lower())) is None:
            walk.left_out[f"rate {shortened(rate, 20)}"] = None
        else:
            form = replace(form, rate=min(4.0, max(0.25, (form.rate or 1.0) * times)))
    if volume is not None:
        if (decibels := _volume(volume.strip().lower())) is None:
            walk.left_out[f"volume {shortened(volume, 20)}"] = None
        else:
            form = replace(form, decibels=min(20.0, max(-60.0, (form.decibels or 0.0) + decibels)))
    return form


def _rate(written: str) -> float | None:
    if written in RATES:
        return RATES[written]
    match = re.fullmatch(r"([+-])?(\d{1,4}(?:\.\d{1,4})?)(%?)", written)
    if match is None:
        return None
    number = float(match[2]) / (100 if match[3] else 1)
    times = 1 + number * (1 if match[1] == "+" else -1) if match[1] else number
    return times if times > 0 else None


def _volume(written: str) -> float | None:
    if written in VOLUMES:
        return VOLUMES[written]
    if match := re.fullmatch(r"([+-]?\d{1,3}(?:\.\d{1,3})?)db", written):
        return float(match[1])
    if match := re.fullmatch(r"(\d{1,3})%?", written):  # of full volume, as older versions have it
        return 20 * math.log10(max(int(match[1]), 1) / 100)
    return None


def _break(element: Element, walk: _Walk) -> float:
    time = _attribute(element, "time")
    if time is None:
        return STRENGTHS.get(_attribute(element, "strength") or "medium", STRENGTHS["medium"])
    match = re.fullmatch(r"\s*\+?(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})\s*(ms|s)\s*", time.lower())
    if match is None:
        walk.left_out[f"break time {shortened(time, 20)}"] = None
        return STRENGTHS["medium"]
    return min(float(match[1]) / (1000 if match[2] == "ms" else 1), MOST_PAUSE_SECONDS)


def _said_as(kind: str, text: str) -> str:
    """Dates, times and amounts are left to the rules of the language, which know them by their form."""
    text = text.strip()
    if kind in LETTER_KINDS:
        return " ".join(character.upper() for character in text if not character.isspace())
    if kind in ("telephone", "digits"):
        return ", ".join(" ".join(group) for group in re.findall(r"\d+", text))
    if kind == "ordinal" and text.isdecimal():
        endings = {"1": "st", "2": "nd", "3": "rd"}
        return text + ("th" if text[-2:-1] == "1" else endings.get(text[-1], "th"))
    return text


def _name(element: Element) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _attribute(element: Element, wanted: str) -> str | None:
    return next((value for name, value in element.attrib.items() if name.rpartition("}")[2] == wanted), None)
