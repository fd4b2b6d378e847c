"""The letters that stand for the sounds of English, and how a model is given them within a text.

Phones are those of the dictionaries that the built-in voices' teachers read by ("misaki-en"): one letter a sound, with
A I O Q W Y for the diphthongs of *day, my, go, go (British), now, boy*; ˈ and ˌ stand directly before the vowel that
has the stress. A model that reads phones has a token for each; its written form is one character of Unicode's
private use area. A word within a text is MARK, the word as it is written, and its phones as private characters: the
model reads the phones, everything else reads the word.
"""

from __future__ import annotations

import re

SET = "misaki-en"
PRIMARY, SECONDARY = "ˈ", "ˌ"
VOWELS = "AIOWYQiuɑɔəɪʊɛæaʌɜɒᵊᵻ"
CONSONANTS = "bdfhjklmnpstvwzɡɹŋʃʒðθʤʧɾʔ"
LONG = "ː"
# In the order of their ids: it is part of the checkpoints.
TOKENS = (*(stress + vowel for vowel in VOWELS for stress in ("", PRIMARY, SECONDARY)), *CONSONANTS, LONG)
RESERVED = 96  # ids behind the first; those without a token are for sounds to come
FIRST_PRIVATE = 0xE000
MARK = "\uf8ff"

_CHARACTER = {token: chr(FIRST_PRIVATE + number) for number, token in enumerate(TOKENS)}
_TOKEN = {character: token for token, character in _CHARACTER.items()}
_PIECE = re.compile(f"[{PRIMARY}{SECONDARY}]?[{VOWELS}]|[{CONSONANTS}{LONG}]")
_MARKED = re.compile(f"{MARK}([^\ue000-\uf8ff]*)([\ue000-\uf8fe]+(?: [\ue000-\uf8fe]+)*)")


def tokens(phones: str) -> list[str]:
    """Phones -> the model's tokens; letters that are none are left out, among them a stress that no vowel follows."""
    return _PIECE.findall(phones)


def is_phones(text: str) -> bool:
    """Whether every letter stands for a sound; blanks part words."""
    return bool(text.strip()) and not _PIECE.sub("", text).strip(" ")


def private(phones: str) -> str:
    """Phones -> private characters; blanks between words stay."""
    return " ".join("".join(_CHARACTER[token] for token in tokens(word)) for word in phones.split())


def public(text: str) -> str:
    """A text's private characters -> phones."""
    return "".join(_TOKEN.get(character, character) for character in text)


def marked(word: str, phones: str) -> str:
    """What stands in a text for a word that is given as phones."""
    hidden = private(phones)
    return f"{MARK}{word}{hidden}" if hidden.strip() else word


def written(text: str) -> str:
    """A text as people read it: the words without their phones."""
    return _MARKED.sub(r"\1", text) if MARK in text else text


def for_model(text: str) -> str:
    """A text as the tokenizer reads it: the phones in the place of their words."""
    return _MARKED.sub(lambda match: match[2], text) if MARK in text else text


def places(text: str) -> tuple[str, str, list[int]]:
    """The written text, the text for the model, and where in that each written character stands."""
    written_parts: list[str] = []
    model_parts: list[str] = []
    at: list[int] = []
    length = 0
    end = 0
    for match in [*_MARKED.finditer(text), None]:
        plain = text[end : match.start() if match else None]
        written_parts.append(plain)
        model_parts.append(plain)
        at += range(length, length + len(plain))
        length += len(plain)
        if match is not None:
            written_parts.append(match[1])
            model_parts.append(match[2])
            at += [length] * len(match[1])
            length += len(match[2])
            end = match.end()
    return "".join(written_parts), "".join(model_parts), at


def parts(text: str) -> list[str]:
    """A text cut at the words that are given as phones: those stand at the odd places."""
    found, end = [], 0
    for match in _MARKED.finditer(text):
        found += [text[end : match.start()], match[0]]
        end = match.end()
    return [*found, text[end:]]


def marked_words(text: str) -> list[tuple[int, str, str]]:
    """Of each word that is given as phones: where it begins in the written text, the word, its phones."""
    found, shift = [], 0
    for match in _MARKED.finditer(text):
        found.append((match.start() - shift, match[1], public(match[2])))
        shift += len(match[0]) - len(match[1])
    return found


def stressed(phones: str) -> str:
    """Phones that have a main stress: where none is written it falls on the first of two vowels, on the last but one of
    more."""
    if PRIMARY in phones:
        return phones
    if SECONDARY in phones:
        return phones.replace(SECONDARY, PRIMARY, 1)
    places = [at for at, letter in enumerate(phones) if letter in VOWELS]
    if not places:
        return phones
    at = places[max(0, len(places) - 2)]
    return phones[:at] + PRIMARY + phones[at:]


_BRITISH = (("ɜɹ", "ɜː"), ("ɑɹ", "ɑː"), ("ɔɹ", "ɔː"), ("ɪɹ", "ɪə"), ("ɛɹ", "ɛː"), ("ʊɹ", "ʊə"), ("əɹ", "ə"))
_BEFORE_VOWEL = f"(?![{PRIMARY}{SECONDARY}]?[{VOWELS}])"


def british(phones: str) -> str:
    """American phones by British habits, for words that have American ones alone: *r* is silent but before vowels."""
    said = phones.replace("ɾ", "t").replace("ʔ", "t").replace("ᵻ", "ɪ").replace("O", "Q").replace("æ", "a")
    for american, other in _BRITISH:
        said = re.sub(american + _BEFORE_VOWEL, other, said)
    said = re.sub("ɹ" + _BEFORE_VOWEL, "", said)
    said = re.sub("ɜɹ", "ɜːɹ", said)
    said = re.sub(f"ɔ(?!{LONG})", "ɔː", re.sub(f"ɑ(?!{LONG})", "ɒ", said))
    said = re.sub(f"u(?!{LONG})", "uː", said)
    return re.sub(f"(?<=[{PRIMARY}{SECONDARY}])i(?!{LONG})", "iː", said)


def american(phones: str) -> str:
    """British phones by American habits, for the few words that have British ones alone."""
    said = phones.replace("ɜː", "ɜɹ").replace("ɪə", "ɪɹ").replace("ɛː", "ɛɹ").replace("Q", "O").replace("ɒ", "ɑ")
    return said.replace("a", "æ").replace(LONG, "")


def with_s(phones: str) -> str:
    """The plural or the possessive of a word."""
    last = phones[-1:]
    if last in "szʃʒʧʤ":
        return phones + "ɪz"
    return phones + ("s" if last in "ptkfθ" else "z")


def with_ed(phones: str) -> str:
    """The past of a verb."""
    last = phones[-1:]
    if last in "td":
        return phones + "ɪd"
    return phones + ("t" if last in "pkfθsʃʧ" else "d")
