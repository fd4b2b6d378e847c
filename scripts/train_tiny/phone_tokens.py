"""Phones as tokens of the text: the package's own table, for programs that run without it, and words between two texts.

`../../mlx_tts/text/phonemes/phones.py` is read by its path, so that neither MLX nor the package need be there.
"""

import importlib.util
import random
import re
from pathlib import Path

import numpy as np

PATH = Path(__file__).resolve().parents[2] / "mlx_tts" / "text" / "phonemes" / "phones.py"
if not PATH.exists():  # on a training machine the file lies beside this one
    PATH = Path(__file__).with_name("phones.py")
_spec = importlib.util.spec_from_file_location("phones_of_the_package", PATH)
phones = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(phones)

RESERVED = phones.RESERVED
CHARACTERS = [chr(phones.FIRST_PRIVATE + row) for row in range(len(phones.TOKENS))]
LETTERS, MIXED, ALL = "letters", "mixed", "all"
# The copies of a text that a talker learns from, and how often each is drawn: (kind, seed, share).
COPIES = ((LETTERS, 0, 0.40), (MIXED, 0, 0.225), (MIXED, 1, 0.225), (ALL, 0, 0.15))
RARE_SHARE, COMMON_SHARE = 0.80, 0.20  # of the words of a mixed copy
COMMON = PATH.with_name("english.txt")
if not COMMON.exists():
    COMMON = Path(__file__).with_name("common.txt")


def common_words():
    """Words that speaking gives as letters: those with the mark c in the package's dictionary."""
    with COMMON.open(encoding="utf-8") as lines:
        return {line.split("\t")[0].lower() for line in lines if line.endswith("\tc\n")}


def with_phones(text, words, kind, common, seed=0):
    """A text with the phones of some of its words: none, rare ones mostly, or all; and where its words stand in it.

    words: [start, end, phones] or [start, end, phones, True] for one that goes as phones in every copy, since its spelling
    tells nothing. The second result is [start, end, letters of its phones].
    """
    chance, parts, places, end, length = random.Random(f"{seed} {text}"), [], [], 0, 0
    for start, stop, said, *always in words:
        key = re.sub(r"['’]s$", "", text[start:stop].lower())
        share = {LETTERS: 0.0, ALL: 1.0, MIXED: COMMON_SHARE if key in common else RARE_SHARE}[kind]
        as_phones = chance.random() < share or bool(always)
        shown = phones.private(said) if as_phones else text[start:stop]
        parts += [text[end:start], shown or text[start:stop]]
        begin = length + start - end
        length = begin + len(parts[-1])
        places.append([begin, length, len(said)])
        end = stop
    return "".join([*parts, text[end:]]), places


# The teachers write two sounds otherwise than the dictionaries of the package do.
OURS = str.maketrans({"ɐ": "ə", "T": "ɾ"})


def words_of(text, spoken):
    """[start, end, phones] of each written word, where the words and the phones of a text fall into as many parts; else none.

    spoken: phones with blanks between words and with punctuation. A number or an abbreviation is one written word and several
    spoken ones: such a text has no words, and is learned by its letters alone.
    """
    written = list(re.finditer(r"\S*\w\S*", text))
    said = [part for part in map(phones_alone, spoken.split()) if part]
    if len(written) != len(said) or not all(map(phones.is_phones, said)):
        return []
    found = []
    for match, phone in zip(written, said, strict=True):
        inner = re.search(r"[\w](?:.*[\w])?", match[0])
        if any(character.isdigit() for character in inner[0]):
            return []
        found.append([match.start() + inner.start(), match.start() + inner.end(), phone])
    return found


def phones_alone(part):
    """Without punctuation, in the package's letters."""
    return re.sub(r"[^\wːˈˌ]", "", part).translate(OURS)


def words_of_sentences(text, spans, spoken):
    """The same for several sentences, each for itself: `spans` has where each stands in the text, or none."""
    found = []
    for span, said in zip(spans, spoken, strict=True):
        for start, end, phone in words_of(text[slice(*span)], said) if span else ():
            found.append([span[0] + start, span[0] + end, phone])
    return found


# Letters of phones that a token bears where nothing tells.
LETTERS_WEIGHT, OTHER_WEIGHT = 2.0, 1.0


def spoken_shares(encoding, text, places):
    """[tokens]: at which share of the phones each token of an encoded text is begun, 0 for the first and 1 for the last.

    places: [start, end, letters of phones] of the words in the text. A word's tokens bear its phones evenly, whether they are
    letters or phones. Without any known word all tokens count alike.
    """
    count = len(encoding.ids)
    if not places or count < 2:
        return np.linspace(0, 1, count)
    word_at = np.full(len(text) + 1, -1)
    for number, (start, end, _) in enumerate(places):
        word_at[start:end] = number
    offsets = np.array(encoding.offsets)
    first = np.minimum(offsets[:, 0] + np.array([text[a : a + 1] == " " and b - a > 1 for a, b in offsets]), len(text))
    word = word_at[first]
    letters = np.array([character.isalnum() for character in text] + [False])
    weight = np.where(letters[first], LETTERS_WEIGHT, OTHER_WEIGHT)
    spoken = np.array([letters_of_phones for _, _, letters_of_phones in places], float)
    among = np.bincount(word[word >= 0], minlength=len(places))
    weight = np.where(word >= 0, (spoken / np.maximum(among, 1))[word], weight)
    begun = np.cumsum(weight) - weight
    return begun / begun[-1]
