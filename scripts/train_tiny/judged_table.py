"""A list of sentences to judge readings by -> a table for `mlx-tts batch`, one clip a line in the list's order.

    python judged_table.py judged/names.txt --out names.jsonl [--ipa] [--chapters]
    mlx-tts batch names.jsonl -o WAVS --model MODEL --voice miles --seed 1

A line of a list: the sentence, the word, its origin or sense, how it is said (IPA), how it is often said instead; by tabs.
--ipa gives each word with how it is said. --chapters says each word in two sentences of its own with two seeds, as chapters
1 and 30 of a book would: whether a name is said alike in both.
"""

import argparse
import json
import re
from pathlib import Path

CHAPTERS = {
    1: ("Then {} opened the door.", "It was late when {} came home.", "The letter was for {} alone.", "Nobody had asked {} about it."),
    30: ("At last {} sat down again.", "She looked at {} and said nothing.", "The old house belonged to {} now.", "They waited for {} until evening."),
}  # fmt: skip


def rows(path, ipa=False, chapters=False):
    """What each line of a list asks to be spoken."""
    lines = (
        line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")
    )
    for number, (sentence, word, _, said, *_) in enumerate(lines):
        if chapters:
            name = f"[{word}]{{{said}}}" if ipa else word
            for chapter, sentences in CHAPTERS.items():
                text = sentences[number % len(sentences)].format(name)
                yield {"id": f"{number:04d}-{chapter}", "text": text, "seed": 1000 * chapter + number}
            continue
        at = sentence.rindex(word)
        text = f"{sentence[:at]}[{word}]{{{said}}}{sentence[at + len(word) :]}" if ipa else sentence
        yield {"id": f"{number:04d}", "text": re.sub(r"\s+", " ", text)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--ipa", action="store_true")
    parser.add_argument("--chapters", action="store_true")
    options = parser.parse_args()
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows(options.list, options.ipa, options.chapters)]
    options.out.write_text("".join(lines), encoding="utf-8")
