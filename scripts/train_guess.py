"""Train the net that says unknown words: mlx_tts/text/phonemes/english.txt -> guess.safetensors beside it.

    python scripts/train_guess.py --seconds 600 [--out FILE] [--words 20000]

Letters are aligned with phones first (expectation maximisation; each letter is none, one or two phones), so that the net
is trained letter by letter with cross entropy. 540 seconds of one busy core were two passes, and the loss still fell;
set OPENBLAS_NUM_THREADS=1 where other programs compute. Words
of which a hash says so are held out; what is printed at the end is the share of them that is right in all
phones, and in all phones but for stress. Needs the package's own dependencies alone.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
import zlib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import mlx_tts.runtime  # noqa: F401, I001 (before MLX: it loads a fast BLAS)
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim
import numpy as np
from mlx.utils import tree_flatten

from mlx_tts.text.phonemes import guess as net
from mlx_tts.text.phonemes.dictionary import PATH as DICTIONARY
from mlx_tts.text.phonemes.phones import PRIMARY, SECONDARY, tokens

MOST_PHONES = 2  # of one letter
ALIGNED_WORDS, ROUNDS = 20_000, 4
HELD_OUT_ONE_IN = 100
LEAST_PARTS = 12  # rarer parts of words are left out, with their words
CHANNELS, INNER, BLOCKS = 128, 128, 4
BATCH_LETTERS = 4096
RATE = 2e-3
Part = tuple[str, ...]


def words() -> list[tuple[str, list[str]]]:
    """Letters and American phones of all words that have one reading and letters of English alone."""
    found: dict[str, list[str]] = {}
    for line in DICTIONARY.read_text(encoding="utf-8").splitlines():
        word, american, *_ = line.split("\t")
        if not american or ";" in american or word.isupper() or any(letter in word for letter in " -."):
            continue
        letters, said = net.letters_of(word).strip("'"), tokens(american)
        if len(letters) > 1 and len(said) <= MOST_PHONES * len(letters):
            found.setdefault(letters, said)
    return list(found.items())


def align(letters: str, said: list[str], score: dict[tuple[str, Part], float]) -> list[Part] | None:
    """The likeliest way to give every letter none, one or two phones."""
    best: list[dict[int, tuple[float, int]]] = [{0: (0.0, 0)}]
    for at, letter in enumerate(letters):
        row: dict[int, tuple[float, int]] = {}
        left = len(letters) - at - 1
        for used, (total, _) in best[-1].items():
            for count in range(MOST_PHONES + 1):
                end = used + count
                if end > len(said) or len(said) - end > MOST_PHONES * left:
                    continue
                value = total + score.get((letter, tuple(said[used:end])), -12.0 - 2.0 * (count != 1))
                if end not in row or value > row[end][0]:
                    row[end] = (value, used)
        best.append(row)
    if len(said) not in best[-1]:
        return None
    parts, end = [], len(said)
    for row in reversed(best[1:]):
        begin = row[end][1]
        parts.append(tuple(said[begin:end]))
        end = begin
    return parts[::-1]


def aligned(items: list[tuple[str, list[str]]], seed: int) -> list[tuple[str, list[Part]]]:
    """Every word with its parts, after some rounds on a sample of them."""
    sample = random.Random(seed).sample(items, min(ALIGNED_WORDS, len(items)))
    score: dict[tuple[str, Part], float] = {}
    for letter in net.LETTERS[1:]:  # a letter that is also a sound's sign most often stands for it
        score[letter, (letter,)] = -1.0
    for _ in range(ROUNDS):
        counts: Counter[tuple[str, Part]] = Counter()
        for letters, said in sample:
            counts.update(zip(letters, align(letters, said, score) or [], strict=False))
        of_letter: Counter[str] = Counter()
        for (letter, _part), count in counts.items():
            of_letter[letter] += count
        score = {key: math.log(count / of_letter[key[0]]) for key, count in counts.items() if count > 1}
    found = ((letters, align(letters, said, score)) for letters, said in items)
    return [(letters, parts) for letters, parts in found if parts is not None]


class Guesser(nn.Module):
    """The same computation as `guess._likelihoods`, for batches of equally long words."""

    def __init__(self, parts: int):
        super().__init__()
        wide = net.WIDTH * CHANNELS
        self.letters = mx.random.normal((len(net.LETTERS), CHANNELS)) * 0.5
        self.into = [mx.random.normal((wide, INNER)) * math.sqrt(2 / wide) for _ in range(BLOCKS)]
        self.bias = [mx.zeros(INNER) for _ in range(BLOCKS)]
        self.out = [mx.random.normal((INNER, CHANNELS)) * math.sqrt(0.5 / INNER) for _ in range(BLOCKS)]
        self.parts = mx.random.normal((CHANNELS, parts)) * math.sqrt(1 / CHANNELS)
        self.parts_bias = mx.zeros(parts)

    def __call__(self, ids: mx.array) -> mx.array:  # [B, L] -> [B, L, parts]
        edge = net.WIDTH // 2
        hidden = self.letters[mx.pad(ids, ((0, 0), (edge, edge)))]
        length = hidden.shape[1]
        for into, bias, out in zip(self.into, self.bias, self.out, strict=True):
            padded = mx.pad(hidden, ((0, 0), (edge, edge), (0, 0)))
            seen = mx.concatenate([padded[:, shift : shift + length] for shift in range(net.WIDTH)], axis=2)
            inner = mx.maximum(seen.reshape(-1, seen.shape[2]) @ into + bias, 0) @ out
            hidden = hidden + inner.reshape(hidden.shape)
        kept = hidden[:, edge:-edge]
        return (kept.reshape(-1, CHANNELS) @ self.parts + self.parts_bias).reshape(*kept.shape[:2], -1)


def batches(items: list[tuple[str, list[int]]], chance: random.Random):
    """Words of one length each, shuffled."""
    groups: dict[int, list[tuple[str, list[int]]]] = {}
    for item in chance.sample(items, len(items)):
        groups.setdefault(len(item[0]), []).append(item)
    found = []
    for length, group in groups.items():
        step = max(1, BATCH_LETTERS // length)
        found += [group[at : at + step] for at in range(0, len(group), step)]
    return chance.sample(found, len(found))


def arrays(batch: list[tuple[str, list[int]]]) -> tuple[mx.array, mx.array]:
    ids = [[net.LETTERS.index(letter) for letter in letters] for letters, _ in batch]
    return mx.array(ids), mx.array([wanted for _, wanted in batch])


def train(items: list[tuple[str, list[int]]], parts: int, seconds: float, seed: int) -> dict[str, np.ndarray]:
    """The averaged weights of the last half, trained until the time is over; the rate falls to 0 by the clock."""
    mx.random.seed(seed)
    model, chance = Guesser(parts), random.Random(seed)
    optimizer = optim.AdamW(learning_rate=RATE, weight_decay=0.01)

    def loss(model: Guesser, ids: mx.array, wanted: mx.array) -> mx.array:
        return nn.losses.cross_entropy(model(ids), wanted, reduction="mean", label_smoothing=0.02)

    step_loss = nn.value_and_grad(model, loss)
    average: dict[str, mx.array] = {}
    begin, step, epoch, said = time.time(), 0, 0, 0.0
    while True:
        epoch += 1
        for batch in batches(items, chance):
            done = (time.time() - begin) / seconds
            if done >= 1:
                return {name: np.array(value) for name, value in average.items()}
            optimizer.learning_rate = RATE * min(1.0, (step + 1) / 200) * 0.5 * (1 + math.cos(math.pi * done))
            value, gradients = step_loss(model, *arrays(batch))
            optimizer.update(model, gradients)
            now = dict(tree_flatten(model.parameters()))
            keep = 0.998 if done > 0.3 else 0.0
            average = {name: keep * average.get(name, part) + (1 - keep) * part for name, part in now.items()}
            mx.eval(model.parameters(), optimizer.state, average)
            step += 1
            if time.time() - said > 20:
                said = time.time()
                print(
                    json.dumps({"step": step, "epoch": epoch, "loss": round(value.item(), 4), "done": round(done, 3)}),
                    flush=True,
                )


def write(path: Path, weights: dict[str, np.ndarray], parts: list[str]) -> None:
    """Whole numbers of 8 bits with a scale for each column; biases and letters in 16 bits."""
    from safetensors.numpy import save_file

    named = {"letters": weights["letters"], "parts": weights["parts"], "bias": weights["parts_bias"]}
    for block in range(BLOCKS):
        named[f"{block}.in"], named[f"{block}.out"] = weights[f"into.{block}"], weights[f"out.{block}"]
        named[f"{block}.bias"] = weights[f"bias.{block}"]
    tensors = {}
    for name, value in named.items():
        if value.ndim == 2 and name != "letters":
            scale = np.abs(value).max(0, keepdims=True) / 127 + 1e-9
            tensors[name] = np.round(value / scale).astype(np.int8)
            tensors[f"{name}.scale"] = scale.astype(np.float16)
        else:
            tensors[name] = value.astype(np.float16)
    save_file(tensors, str(path), {"parts": json.dumps(parts, ensure_ascii=False)})


def judge(path: Path, held: list[tuple[str, list[str]]]) -> str:
    """Of the words that it has not learned from, by what the package itself makes of the file."""
    net.PATH = path
    net._net.cache_clear()
    net.guess.cache_clear()

    def bare(phones: str) -> str:
        return phones.replace(PRIMARY, "").replace(SECONDARY, "")

    said = [(net.guess(letters), "".join(wanted)) for letters, wanted in held]
    right = sum(guess is not None and guess.phones == wanted for guess, wanted in said)
    but_stress = sum(guess is not None and bare(guess.phones) == bare(wanted) for guess, wanted in said)
    return f"{len(held)} words held out: {right / len(held):.1%} right, {but_stress / len(held):.1%} but for stress"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--words", type=int, help="only so many, for a rehearsal")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=net.PATH)
    options = parser.parse_args()
    everything = words()
    random.Random(options.seed).shuffle(everything)
    everything = everything[: options.words]
    held = [item for item in everything if zlib.crc32(item[0].encode()) % HELD_OUT_ONE_IN == 0]
    items = aligned([item for item in everything if zlib.crc32(item[0].encode()) % HELD_OUT_ONE_IN], options.seed)
    counts = Counter(part for _, parts in items for part in parts)
    kept = [part for part, count in counts.most_common() if count >= LEAST_PARTS]
    number = {part: at for at, part in enumerate(kept)}
    numbered = [
        (letters, [number[part] for part in parts]) for letters, parts in items if all(part in number for part in parts)
    ]
    print(f"{len(everything):,} words, {len(numbered):,} to learn from, {len(kept)} parts", flush=True)
    weights = train(numbered, len(kept), options.seconds, options.seed)
    write(options.out, weights, ["".join(part) for part in kept])
    print(f"{options.out}: {options.out.stat().st_size / 1e6:.2f} MB; {judge(options.out, held)}")


if __name__ == "__main__":
    main()
