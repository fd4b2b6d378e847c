"""Spanish, French, Italian, Portuguese and Hindi -> phonemes, by the program espeak-ng where the user has installed it.

It is asked over a process boundary, one clause at a time, so that no library of it is a part of this program. The model
was trained on its IPA with a few pairs of letters written as one.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import lru_cache

from mlx_tts.errors import RequestError
from mlx_tts.models.kokoro.text.phonemes import Builder, Phonemes, sign_of
from mlx_tts.shortened import shown

VOICES = {"spanish": "es", "french": "fr-fr", "hindi": "hi", "italian": "it", "portuguese": "pt-br"}
PROGRAM = "espeak-ng"
SECONDS = 10.0  # that a clause may take; one takes 10 ms
MOST_OUTPUT = 20_000  # characters
PAIRS = (
    ("a^ɪ", "I"), ("a^ʊ", "W"), ("d^z", "ʣ"), ("d^ʒ", "ʤ"), ("e^ɪ", "A"), ("o^ʊ", "O"), ("ə^ʊ", "Q"), ("s^s", "S"),
    ("t^s", "ʦ"), ("t^ʃ", "ʧ"), ("ɔ^ɪ", "Y"),
)  # fmt: skip
LEFT_OUT = str.maketrans("", "", "^-\u200d")
LANGUAGE_SWITCH = re.compile(r"\([a-z-]+\)")  # how it says that a word is read in another language
CLAUSES = re.compile(r"([.!?…;:,—–¡¿\"“”«»()]+)")


def is_read(language: str) -> bool:
    return language in VOICES


def read(text: str, language: str, known: Iterable[str]) -> Phonemes:
    """A text of one of VOICES. known: the symbols of the model; other signs are left out."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise RequestError(
            f"{language.capitalize()} is read by the program {PROGRAM}, which is not installed: "
            f"`brew install {PROGRAM}` on a Mac, `apt install {PROGRAM}` on Linux, or give phonemes"
        )
    signs, builder = set(known), Builder()
    for part in CLAUSES.split(" ".join(text.split())):
        if CLAUSES.fullmatch(part):
            for sign in part:
                own = sign_of(sign)
                builder.add(sign, own if own in signs else "")
        elif part:
            _add(builder, part, program, language)
    return builder.made()


def _add(builder: Builder, clause: str, program: str, language: str) -> None:
    """The words of a clause, each with its own sounds where as many come back as were given."""
    if clause[:1].isspace():
        builder.space()
    words = clause.split()
    sounds = _sounds(program, VOICES[language], clause).split() if words else []
    if len(sounds) != len(words):  # small words are said as one with the next
        words, sounds = [" ".join(words)], [" ".join(sounds)]
    for number, (word, sound) in enumerate(zip(words, sounds, strict=True)):
        if number:
            builder.space()
        builder.add(word, sound)
    if words and clause[-1:].isspace():
        builder.space()


@lru_cache(maxsize=1024)
def _sounds(program: str, voice: str, clause: str) -> str:
    command = [program, "-q", "--ipa", "--tie=^", "-v", voice, "--stdin"]
    try:
        made = subprocess.run(command, input=clause.encode(), capture_output=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise RequestError(
            f"{PROGRAM} could not read {shown(clause, 40)} ({type(error).__name__}): is it whole?"
        ) from None
    sounds = LANGUAGE_SWITCH.sub("", made.stdout.decode("utf-8", "replace"))[:MOST_OUTPUT]
    for pair, symbol in PAIRS:
        sounds = sounds.replace(pair, symbol)
    return " ".join(sounds.translate(LEFT_OUT).split())
