"""Phones as tokens of the text: the package's own table, for programs that run without it, and words between two texts.

`../../mlx_tts/text/phonemes/phones.py` is read by its path, so that neither MLX nor the package need be there.
"""

import importlib.util
import random
import re
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "mlx_tts" / "text" / "phonemes" / "phones.py"
if not PATH.exists():  # on a training machine the file lies beside this one
    PATH = Path(__file__).with_name("phones.py")
_spec = importlib.util.spec_from_file_location("phones_of_the_package", PATH)
phones = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(phones)

RESERVED = phones.RESERVED
CHARACTERS = [chr(phones.FIRST_PRIVATE + row) for row in range(len(phones.TOKENS))]
LETTERS, MIXED, ALL = range(3)
COPIES = ("letters", "mixed", "all")
SHARES = {"letters": 0.40, "mixed": 0.45, "all": 0.15}  # of the draws
RARE_SHARE, COMMON_SHARE = 0.80, 0.20  # of the words of a mixed copy


def with_phones(text, words, copy, common, seed):
    """A text with the phones of some of its words: none, rare ones mostly, or all. words: [start, end, phones]."""
    if copy == LETTERS:
        return text
    chance, parts, end = random.Random(f"{seed} {text}"), [], 0
    for start, stop, said in words:
        key = re.sub(r"['’]s$", "", text[start:stop].lower())
        share = 1.0 if copy == ALL else COMMON_SHARE if key in common else RARE_SHARE
        hidden = phones.private(said)
        if hidden and chance.random() < share:
            parts += [text[end:start], hidden]
            end = stop
    return "".join([*parts, text[end:]])


def words_of(text, spoken):
    """[start, end, phones] of each written word, where the words and the phones of a text fall into as many parts; else none.

    spoken: phones with blanks between words and with punctuation. A number or an abbreviation is one written word and several
    spoken ones: such a text has no words, and is learned by its letters alone.
    """
    written = list(re.finditer(r"\S*\w\S*", text))
    said = [
        re.sub(r"[^\w\u02d0]", "", part)
        for part in re.split(r"\s+", re.sub(r"[ˈˌ]", lambda mark: {"ˈ": "1_", "ˌ": "2_"}[mark[0]], spoken))
    ]
    said = [part.replace("1_", "ˈ").replace("2_", "ˌ") for part in said]
    said = [part for part in said if part]
    if len(written) != len(said) or not all(map(phones.is_phones, said)):
        return []
    found = []
    for match, phone in zip(written, said, strict=True):
        inner = re.search(r"[\w](?:.*[\w])?", match[0])
        if any(character.isdigit() for character in inner[0]):
            return []
        found.append([match.start() + inner.start(), match.start() + inner.end(), phone])
    return found
