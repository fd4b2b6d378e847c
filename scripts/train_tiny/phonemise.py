"""Read texts once into phones, so that the machine with the GPUs needs no front end: a line a text, JSON, xz.

    python phonemise.py --texts texts.txt --out phones.jsonl.xz

Each line is {"text", "british", "sentences"}; a sentence is the hexadecimal bytes of its phone ids. A text has one
accent, drawn by its content; a speaker reads texts of its own accent.
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

BRITISH_PERCENT = 35


@dataclass(frozen=True)
class Reading:
    text: str
    british: bool
    sentences: tuple[tuple[int, ...], ...]


def is_british(text: str) -> bool:
    return zlib.crc32(text[::-1].encode()) % 100 < BRITISH_PERCENT


def read_phones(path: Path) -> Iterator[Reading]:
    with lzma.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            sentences = tuple(tuple(bytes.fromhex(sentence)) for sentence in entry["sentences"])
            yield Reading(entry["text"], entry["british"], sentences)


def main() -> None:
    from phonemes import Phonemiser  # only this program needs the front end

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="only so many texts, in the seeded order")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    texts = options.texts.read_text(encoding="utf-8").splitlines()
    random.Random(options.seed).shuffle(texts)
    phonemiser, skipped, phones = Phonemiser(), Counter(), 0
    with lzma.open(options.out, "wt", encoding="utf-8", preset=3) as out:
        for text in texts[: options.limit]:
            british = is_british(text)
            try:
                sentences = phonemiser.sentences(text, british)
            except Exception as error:  # one odd text must not stop the others
                skipped[type(error).__name__] += 1
                continue
            phones += sum(map(len, sentences))
            entry = {"text": text, "british": british, "sentences": [bytes(ids).hex() for ids in sentences]}
            out.write(json.dumps(entry, ensure_ascii=False) + "\n")
    print(f"{len(texts[: options.limit])} texts, {phones / 1e6:.1f} M phones, skipped {dict(skipped)}")


if __name__ == "__main__":
    main()
