"""Read texts once into phones, so that the machine with the GPUs needs no front end: a line a text, JSON, xz.

    python phonemise.py --texts texts.txt --out phones.jsonl.xz

Each line is {"text", "british", "sentences", "spans"}; a sentence is the hexadecimal bytes of its phone ids, its span where
it stands in the text. A text has one accent, drawn by its content; a speaker reads texts of its own accent. A line of
texts.txt may be JSON, {"text", "said": {word: [American phones, British ones]}, "always": [words that only their phones tell]}
(name_texts.py): these words are said so.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from phone_tokens import words_of_sentences
from phonemes import LETTERS

BRITISH_PERCENT = 35


@dataclass(frozen=True)
class Reading:
    text: str
    british: bool
    sentences: tuple[tuple[int, ...], ...]
    spans: tuple = ()  # of each sentence, where it stands in the text, or None
    always: tuple[str, ...] = ()

    @property
    def words(self) -> list:
        """[start, end, phones] of the written words whose phones are known, with True behind for those of `always`."""
        if not self.spans:
            return []
        spoken = ["".join(LETTERS.get(number, "") for number in sentence) for sentence in self.sentences]
        words = words_of_sentences(self.text, self.spans, spoken)
        return [word + [True] * (self.text[word[0] : word[1]] in self.always) for word in words]


def is_british(text: str) -> bool:
    return zlib.crc32(text[::-1].encode()) % 100 < BRITISH_PERCENT


def read_phones(path: Path) -> Iterator[Reading]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            sentences = tuple(tuple(bytes.fromhex(sentence)) for sentence in entry["sentences"])
            spans, always = entry.get("spans", ()), entry.get("always", ())
            yield Reading(entry["text"], entry["british"], sentences, tuple(spans), tuple(always))


def asked(line: str, british: bool) -> tuple[dict[str, str], list[str]]:
    """Of a line in JSON: how words are said, in the teacher's letters; and which go as phones only."""
    entry = json.loads(line) if line.startswith("{") else {}
    said = entry.get("said", {})
    said = {
        word: phones[british].translate({} if british else str.maketrans({"ɾ": "T"})) for word, phones in said.items()
    }
    return said, entry.get("always", [])


def main() -> None:
    from phonemes import Phonemiser  # only this program needs the front end

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True, nargs="+", help="one text a line; several files are mixed")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="only so many texts, in the seeded order")
    parser.add_argument("--skip", type=int, default=0, help="without the first so many of that order")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    texts = [line for path in options.texts for line in path.read_text(encoding="utf-8").splitlines()]
    random.Random(options.seed).shuffle(texts)
    texts = texts[options.skip :][: options.limit]
    phonemiser, skipped, phones = Phonemiser(), Counter(), 0
    with lzma.open(options.out, "wt", encoding="utf-8", preset=3) as out:
        for line in texts:
            text = json.loads(line)["text"] if line.startswith("{") else line
            british = is_british(text)
            said, always = asked(line, british)
            try:
                reading = phonemiser.reading(text, british, said)
            except Exception as error:  # one odd text must not stop the others
                skipped[type(error).__name__] += 1
                continue
            phones += sum(len(ids) for _, ids in reading)
            entry = {"text": text, "british": british, "sentences": [bytes(ids).hex() for _, ids in reading]}
            entry |= {"spans": [span for span, _ in reading]} | ({"always": always} if always else {})
            out.write(json.dumps(entry, ensure_ascii=False) + "\n")
    print(f"{len(texts)} texts, {phones / 1e6:.1f} M phones, skipped {dict(skipped)}")


if __name__ == "__main__":
    main()
