"""Phones -> a respelling in English letters ("shi-VAWN"), for people, and for models that read letters alone."""

from __future__ import annotations

import re

from mlx_tts.text.phonemes.phones import LONG, PRIMARY, SECONDARY, VOWELS

_VOWEL = {
    "A": "ay", "I": "igh", "O": "oh", "Q": "oh", "W": "ow", "Y": "oy", "i": "ee", "u": "oo", "ɑ": "ah", "ɔ": "aw", "ə": "uh",
    "ɪ": "i", "ʊ": "oo", "ɛ": "e", "æ": "a", "a": "a", "ʌ": "u", "ɜ": "ur", "ɒ": "o", "ᵊ": "uh", "ᵻ": "i",
}  # fmt: skip
_OPEN = {
    "ɛ": "eh",
    "æ": "ah",
    "a": "ah",
    "ʌ": "uh",
    "ɪ": "ih",
    "ᵻ": "ih",
    "ɒ": "oh",
}  # where no consonant closes the syllable
_CONSONANT = {
    "ʃ": "sh",
    "ʒ": "zh",
    "ð": "th",
    "θ": "th",
    "ʤ": "j",
    "ʧ": "ch",
    "ŋ": "ng",
    "ɡ": "g",
    "j": "y",
    "ɹ": "r",
    "ɾ": "t",
    "ʔ": "t",
}
_ONSETS = re.compile("(?:s?(?:p[ɹlj]?|[tɾ]ɹ?|k[ɹlwj]?|[mnlw])|[bɡ][ɹlj]?|dɹ?|f[ɹlj]?|θɹ?|ʃɹ?|[ʧʤvðzʒhɹjs])?$")


def _syllables(word: str) -> list[tuple[str, str, str, str]]:
    """Of each: stress, consonants before the vowel, the vowel, consonants behind it."""
    pieces = re.split(f"([{PRIMARY}{SECONDARY}]?[{VOWELS}]{LONG}?)", word)
    found, onset = [], pieces[0]
    for at in range(1, len(pieces), 2):
        between, last = pieces[at + 1], at + 2 >= len(pieces)
        match = _ONSETS.search(between)
        cut = len(between) if last or match is None else match.start()
        vowel = pieces[at].rstrip(LONG)
        stress = vowel[0] if vowel[0] in PRIMARY + SECONDARY else ""
        found.append((stress, onset, vowel[-1], between[:cut]))
        onset = between[cut:]
    return found


def respelled(phones: str, shown: bool = True) -> str:
    """shown: for people, with hyphens and the stressed syllable in capitals. Otherwise in plain small letters, as a model
    that was trained on English spelling reads them best."""
    words = []
    for word in phones.split():
        syllables = _syllables(word)
        if not syllables:
            words.append("".join(_CONSONANT.get(letter, letter) for letter in word))
            continue
        parts = []
        for stress, onset, vowel, coda in syllables:
            behind = coda
            sound = (_OPEN if not coda else {}).get(vowel, _VOWEL[vowel])
            if vowel == "ɜ" and behind.startswith("ɹ"):
                behind = behind[1:]
            if vowel == "ə" and behind.startswith("ɹ"):
                sound, behind = "er", behind[1:]
            spelled = "".join(_CONSONANT.get(letter, letter) for letter in onset) + sound
            spelled += "".join(_CONSONANT.get(letter, letter) for letter in behind)
            parts.append(spelled.upper() if shown and stress == PRIMARY and len(syllables) > 1 else spelled)
        words.append(("-" if shown else "").join(parts))
    return " ".join(words)
