"""IPA, ARPAbet and X-SAMPA -> phones, and phones -> IPA.

People write IPA of every language. What is not a sound of English becomes the nearest one, and the caller is told
which, so that it can be said once. RequestError names what cannot be read and where it stands, counted from 1.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from mlx_tts.errors import RequestError
from mlx_tts.shortened import shown
from mlx_tts.text.phonemes.phones import LONG, PRIMARY, SECONDARY, VOWELS, british, stressed

ALPHABETS = ("ipa", "arpabet", "xsampa", "pinyin", "romaji")
MOST_CHARACTERS = 200

# Sounds of English: what is written -> American phones, British phones.
_ENGLISH = {
    "eɪ": "A", "ei": "A", "aɪ": "I", "ai": "I", "oʊ": "O Q", "əʊ": "O Q", "ou": "O Q", "aʊ": "W", "au": "W", "ɔɪ": "Y",
    "ɔi": "Y", "oɪ": "Y", "oi": "Y", "ɪə": "iə ɪə", "ɪəɹ": "ɪɹ ɪəɹ", "ɪər": "ɪɹ ɪəɹ", "ɪɚ": "ɪɹ ɪə", "eə": "ɛə ɛː", "eəɹ": "ɛɹ ɛːɹ", "eər": "ɛɹ ɛːɹ",
    "ɛə": "ɛə ɛː", "ɛəɹ": "ɛɹ ɛːɹ", "ɛər": "ɛɹ ɛːɹ", "ɛɚ": "ɛɹ ɛː", "ʊəɹ": "ʊɹ ʊəɹ", "ʊər": "ʊɹ ʊəɹ", "ʊɚ": "ʊɹ ʊə", "ɛː": "ɛ ɛː",
    "ɛːɹ": "ɛɹ ɛːɹ", "ɛːr": "ɛɹ ɛːɹ", "ɜː": "ɜɹ ɜː", "ɝ": "ɜɹ ɜː", "ɚ": "əɹ ə", "iː": "i iː", "uː": "u uː", "ɔː": "ɔ ɔː", "ɑː": "ɑ ɑː",
    "i": "i", "u": "u uː", "ɔ": "ɔ ɒ", "ɑ": "ɑ ɑː", "ɒ": "ɑ ɒ", "ə": "ə", "ɪ": "ɪ", "ʊ": "ʊ", "ɛ": "ɛ", "e": "ɛ", "æ": "æ a",
    "ʌ": "ʌ", "ɜ": "ɜ", "ᵊ": "ᵊ", "ᵻ": "ᵻ ɪ", "ɐ": "ə", "o": "O Q", "a": "ɑ a", "aː": "ɑ ɑː", "oː": "O Q", "eː": "A",
    "tʃ": "ʧ", "dʒ": "ʤ", "ʧ": "ʧ", "ʤ": "ʤ", "r": "ɹ", "ɹ": "ɹ", "ɾ": "ɾ t", "ʔ": "ʔ t", "g": "ɡ", "ɡ": "ɡ", "ɫ": "l", "j": "j",
    "l̩": "ᵊl", "n̩": "ᵊn", "m̩": "ᵊm", "ʍ": "w",
    **{letter: letter for letter in "bdfhklmnpstvwzŋʃʒðθ"},
    **{letter: letter for letter in "AIOWYQ"},  # as the dictionaries write them
}  # fmt: skip

# Sounds of other languages -> the nearest of English.
_FOREIGN = {
    "x": "k", "χ": "k", "ç": "h", "ʁ": "ɹ", "ʀ": "ɹ", "ɲ": "nj", "ʎ": "lj", "ɬ": "l", "ɮ": "l", "ɣ": "ɡ", "β": "v", "ɸ": "f",
    "ʋ": "v", "q": "k", "ɢ": "ɡ", "ɟ": "ʤ", "c": "ʧ", "ø": "ɜɹ ɜː", "œ": "ɜɹ ɜː", "øː": "ɜɹ ɜː", "y": "u uː", "yː": "u uː",
    "ʏ": "ʊ", "ɨ": "ɪ", "ɯ": "u uː", "ɤ": "ʌ", "ɵ": "ʊ", "ʉ": "u uː", "ʉː": "u uː", "ɘ": "ə", "ɞ": "ɜɹ ɜː", "ɶ": "ɑ ɒ",
    "ɑ̃": "ɑn ɒn", "ɔ̃": "ɔn ɒn", "ɛ̃": "æn an", "œ̃": "ʌn", "ã": "ɑn an", "õ": "On Qn", "ẽ": "An", "ĩ": "in iːn", "ũ": "un uːn",
    "ʂ": "ʃ", "ɕ": "ʃ", "ʐ": "ʒ", "ʑ": "ʒ", "tɕ": "ʧ", "ʈʂ": "ʧ", "tʂ": "ʧ", "dʑ": "ʤ", "dʐ": "ʤ", "ɖʐ": "ʤ", "ɦ": "h", "ħ": "h",
    "ɭ": "l", "ɻ": "ɹ", "ɽ": "ɹ", "ʈ": "t", "ɖ": "d", "ɳ": "n", "ɱ": "m", "ɴ": "ŋ", "ʕ": "", "ɥ": "w", "ɰ": "w", "ʝ": "j",
    "ɧ": "ʃ", "ʙ": "b", "ɺ": "l", "ɓ": "b", "ɗ": "d", "ʄ": "ʤ", "ɠ": "ɡ",
}  # fmt: skip
_LEFT_OUT = {"ʰ", "ʲ", "ʷ", "ˠ", "ˤ", "˞", "ˑ", "ː", "‿", "|", "‖", "͡", "͜", "̚", "̃", "̯", "̥", "̩", "̪", "̬", "̞", "̝", "̟", "̠",
             "̈", "̹", "̜", "̤", "̰", "̻", "̺", "̍", "̊", "↗", "↘", "˥", "˦", "˧", "˨", "˩", "ʼ", "-", "(", ")"}  # fmt: skip
_STRESS = {"ˈ": PRIMARY, "'": PRIMARY, "´": PRIMARY, "ˌ": SECONDARY, ",": SECONDARY}
_TABLE = {unicodedata.normalize("NFD", key): value for key, value in (_FOREIGN | _ENGLISH).items()}
_STRANGE = {unicodedata.normalize("NFD", key) for key in _FOREIGN}
_LONGEST = max(map(len, _TABLE))


class Said(NamedTuple):
    """phones: for a model. replaced: what was written and the nearest sounds that stand for it."""

    phones: str
    replaced: tuple[tuple[str, str], ...] = ()


def from_ipa(text: str, is_british: bool = False) -> Said:  # noqa: C901 (one case a key, an element or a sign)
    """IPA, with or without slashes or brackets around it."""
    _check_length(text)
    body = (
        unicodedata.normalize("NFD", text.strip().strip("/[]").strip())
        .replace("͡", "")
        .replace("͜", "")
        .replace(":", LONG)
    )
    words, letters, replaced, stress, at = [], "", {}, "", 0
    while at < len(body):
        letter = body[at]
        if letter.isspace():
            words.append(letters)
            letters, stress, at = "", "", at + 1
            continue
        if letter in _STRESS:
            stress, at = _STRESS[letter], at + 1
            continue
        if letter == ".":
            stress, at = "", at + 1
            continue
        found = next((body[at : at + n] for n in range(_LONGEST, 0, -1) if body[at : at + n] in _TABLE), None)
        if found is None:
            if letter in _LEFT_OUT:
                at += 1
                continue
            raise RequestError(f"{shown(text)} is not IPA: character {at + 1} is {shown(letter)}, which has no sound")
        american, _, other = _TABLE[found].partition(" ")
        if found == "e" and not body[at + 1 : at + 2].strip():
            american = "A"  # "café": no English word ends in the vowel of "bed"
        said = (other or american) if is_british else american
        if american.endswith("ɹ") and not is_british and body[at + len(found) : at + len(found) + 1] in ("ɹ", "r"):
            said = american[:-1]  # "ɜːɹ" and "ɪəɹ" have one r
        if stress and (vowel := re.search(f"[{VOWELS}]", said)):
            said, stress = said[: vowel.start()] + stress + said[vowel.start() :], ""
        if found in _STRANGE:
            replaced[unicodedata.normalize("NFC", found)] = said.strip(PRIMARY + SECONDARY)
        letters, at = letters + said, at + len(found)
    phones = " ".join(stressed(_silent_r(word) if is_british else word) for word in [*words, letters] if word)
    if not phones:
        raise RequestError(f"{shown(text)} has no sounds in it: write IPA such as ʃɪˈvɔːn")
    return Said(phones, tuple(replaced.items()))


def _silent_r(word: str) -> str:
    """British phones have an *r* before vowels alone."""
    return re.sub(f"ɹ(?![{PRIMARY}{SECONDARY}]?[{VOWELS}])", "", word)


_ARPABET = {
    "AA": "ɑ", "AE": "æ", "AH": "ʌ", "AO": "ɔ", "AW": "W", "AX": "ə", "AXR": "əɹ", "AY": "I", "EH": "ɛ", "ER": "ɜɹ", "EY": "A",
    "IH": "ɪ", "IX": "ᵻ", "IY": "i", "OW": "O", "OY": "Y", "UH": "ʊ", "UW": "u", "UX": "u", "B": "b", "CH": "ʧ", "D": "d", "DH": "ð",
    "DX": "ɾ", "EL": "ᵊl", "EM": "ᵊm", "EN": "ᵊn", "F": "f", "G": "ɡ", "HH": "h", "H": "h", "JH": "ʤ", "K": "k", "L": "l", "M": "m",
    "N": "n", "NG": "ŋ", "P": "p", "Q": "ʔ", "R": "ɹ", "S": "s", "SH": "ʃ", "T": "t", "TH": "θ", "V": "v", "W": "w", "WH": "w",
    "Y": "j", "Z": "z", "ZH": "ʒ",
}  # fmt: skip


def from_arpabet(text: str) -> str:
    """ARPAbet with CMUdict's digits for stress, such as "SH IH0 V AO1 N"."""
    _check_length(text)
    letters = []
    for number, part in enumerate(text.upper().split(), 1):
        match = re.fullmatch(r"([A-Z]{1,3})([012]?)", part)
        if match is None or match[1] not in _ARPABET:
            raise RequestError(f"{shown(text)} is not ARPAbet: sound {number} is {shown(part, 20)}")
        said = _ARPABET[match[1]]
        if match[1] in ("AH", "ER") and match[2] == "0":
            said = {"AH": "ə", "ER": "əɹ"}[match[1]]
        letters.append({"1": PRIMARY, "2": SECONDARY}.get(match[2], "") + said)
    if not letters:
        raise RequestError("there are no sounds in it: write ARPAbet such as SH IH0 V AO1 N")
    return stressed("".join(letters))


_XSAMPA = {
    "r\\`": "ɻ", "r\\": "ɹ", "l\\": "ɺ", "h\\": "ɦ", "j\\": "ʝ", "s\\": "ɕ", "z\\": "ʑ", "x\\": "ɧ", "p\\": "ɸ", "v\\": "ʋ", "N\\": "ɴ",
    "R\\": "ʀ", "G\\": "ɢ", "B\\": "ʙ", "X\\": "ħ", "?\\": "ʕ", "J\\": "ɟ", "K\\": "ɮ", "M\\": "ɰ", "3\\": "ɞ", "@\\": "ɘ", "s`": "ʂ",
    "z`": "ʐ", "t`": "ʈ", "d`": "ɖ", "n`": "ɳ", "l`": "ɭ", "r`": "ɽ", "@`": "ɚ", "3`": "ɝ", "_=": "̩", "=": "̩", "_~": "̃", "~": "̃",
    "_h": "ʰ", "_j": "ʲ", "'": "ʲ", '"': "ˈ", "%": "ˌ", ":": "ː", "A": "ɑ", "Q": "ɒ", "O": "ɔ", "E": "ɛ", "I": "ɪ", "U": "ʊ", "V": "ʌ",
    "@": "ə", "3": "ɜ", "{": "æ", "}": "ʉ", "1": "ɨ", "2": "ø", "9": "œ", "&": "ɶ", "6": "ɐ", "7": "ɤ", "8": "ɵ", "M": "ɯ", "Y": "ʏ",
    "S": "ʃ", "Z": "ʒ", "T": "θ", "D": "ð", "N": "ŋ", "J": "ɲ", "L": "ʎ", "R": "ʁ", "X": "χ", "C": "ç", "G": "ɣ", "B": "β", "H": "ɥ",
    "K": "ɬ", "W": "ʍ", "P": "ʋ", "F": "ɱ", "4": "ɾ", "5": "ɫ", "?": "ʔ", "_": "", "-": "", "|": "",
}  # fmt: skip
_XSAMPA_PIECE = re.compile("|".join(map(re.escape, sorted(_XSAMPA, key=len, reverse=True))) + "|.", re.DOTALL)


def from_xsampa(text: str, is_british: bool = False) -> Said:
    """X-SAMPA, such as SI"vO:n."""
    _check_length(text)
    ipa = _XSAMPA_PIECE.sub(lambda match: _XSAMPA.get(match[0], match[0]), text)
    try:
        return from_ipa(ipa, is_british)
    except RequestError:
        raise RequestError(
            f"{shown(text)} is not X-SAMPA: it would be the IPA {shown(ipa)}, in which not all is a sound"
        ) from None


@lru_cache(maxsize=4096)
def read(alphabet: str, text: str, is_british: bool = False) -> Said:
    """A pronunciation in one of ALPHABETS -> phones; the code of an origin reads a name as it is spelled there."""
    if alphabet == "ipa":
        return from_ipa(text, is_british)
    if alphabet == "xsampa":
        return from_xsampa(text, is_british)
    if alphabet == "arpabet":
        phones = from_arpabet(text)
        return Said(british(phones) if is_british else phones)
    from mlx_tts.text.phonemes.origins import respelled_ipa

    return from_ipa(respelled_ipa(text, alphabet), is_british)


_IPA = {"A": "eɪ", "I": "aɪ", "O": "oʊ", "Q": "əʊ", "W": "aʊ", "Y": "ɔɪ", "ʧ": "tʃ", "ʤ": "dʒ", "a": "æ"}


def to_ipa(phones: str) -> str:
    """Phones -> IPA as dictionaries print it, with the stress before the consonants of its syllable."""
    return " ".join(_word_to_ipa(word) for word in phones.split())


_ONSET = re.compile(
    "(?:s?(?:p[ɹlj]?|t[ɹjw]?|k[ɹljw]?|m|n|f|l|w)|[bɡ][ɹlj]?|d[ɹjw]?|f[ɹlj]?|θ[ɹw]?|ʃ[ɹ]?|[ʧʤvðzʒhɹjɾŋ])?$"
)


def _word_to_ipa(word: str) -> str:
    parts = re.split(f"([{PRIMARY}{SECONDARY}])", word)
    said = parts[0]
    for mark, rest in zip(parts[1::2], parts[2::2], strict=True):
        onset = _ONSET.search(said)
        at = onset.start() if onset else len(said)
        said = said[:at] + mark + said[at:] + rest
    return "".join(_IPA.get(letter, letter) for letter in said)


def _check_length(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise RequestError(
            f"a pronunciation has {len(text)} characters, {MOST_CHARACTERS} are the most: give single words"
        )
