"""Each text in all its copies, encoded, for talker.py --copies: letters, some words as phones, all words as phones.

    python copies.py --phones phones.jsonl.xz --tokenizer TOKENIZER --out copies.npz --workers 8

Of every copy the text ids, and at which share of the item's phones each id is begun. The teachers need none of it, so it is
made while they speak.
"""

import argparse
import json
import multiprocessing
import time
from pathlib import Path

import numpy as np
import tokenizer as text_tokenizer
from phone_tokens import COPIES, common_words, spoken_shares, with_phones
from phonemise import read_phones

AT_ONCE = 500


class Copier:
    """Readings -> [(text, ids of each copy, shares of each copy)]; a process makes its own at its first call."""

    one = None

    def __init__(self, folder):
        self.tokenizer, _ = text_tokenizer.load(folder)
        self.common = common_words()

    def copies(self, reading):
        made = [with_phones(reading.text, reading.words, kind, self.common, seed) for kind, seed, _ in COPIES]
        encoded = self.tokenizer.encode_batch([text for text, _ in made])
        shares = [spoken_shares(one, *copy) for one, copy in zip(encoded, made, strict=True)]
        return reading.text, [one.ids for one in encoded], shares


def copied(task):
    folder, readings = task
    Copier.one = Copier.one or Copier(folder)
    return [Copier.one.copies(reading) for reading in readings]


class Copies:
    """What copies.py wrote: `rows` {text: row}; ids and shares, flat; start and length [texts, copies]."""

    def __init__(self, path):
        with np.load(path) as found:
            self.ids, self.shares, self.length = found["ids"], found["shares"], found["length"]
            texts = json.loads(bytes(found["texts"]))
        self.start = (np.cumsum(self.length) - self.length.ravel()).reshape(self.length.shape)
        self.rows = {text: row for row, text in enumerate(texts)}


def write(path, made):
    texts = [text for text, _, _ in made]
    flat_ids = [ids for _, copies, _ in made for ids in copies]
    np.savez(
        path,
        ids=np.concatenate([np.array(ids, np.int16) for ids in flat_ids]),
        shares=np.concatenate([share.astype(np.float16) for _, _, shares in made for share in shares]),
        length=np.array([[len(ids) for ids in copies] for _, copies, _ in made], np.int64),
        texts=np.frombuffer(json.dumps(texts).encode(), np.uint8),
    )


def main(options):
    begin = time.time()
    readings = list({reading.text: reading for path in options.phones for reading in read_phones(path)}.values())
    tasks = [(options.tokenizer, readings[at : at + AT_ONCE]) for at in range(0, len(readings), AT_ONCE)]
    with multiprocessing.Pool(options.workers) as pool:
        made = [row for rows in pool.imap(copied, tasks) for row in rows]
    partial = options.out.with_suffix(".partial.npz")
    write(partial, made)
    partial.replace(options.out)
    known = sum(bool(reading.words) for reading in readings[:2000]) / max(1, len(readings[:2000]))
    print(f"{len(made)} texts, {known:.0%} with known words, {time.time() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--phones", type=Path, required=True, nargs="+")
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=8)
    main(parser.parse_args())
