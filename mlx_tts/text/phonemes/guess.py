"""A word that no dictionary has -> its phones by a small net over its letters, and how sure that is.

Each letter becomes none, one or two phones by the letters around it: an embedding, residual convolutions of five letters,
and a choice among the parts that letters have in the dictionaries. 8 bits a weight, computed in numpy. scripts/train_guess.py trains it and writes guess.safetensors.
"""

from __future__ import annotations

import json
import unicodedata
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mlx_tts.text.phonemes.phones import PRIMARY, SECONDARY, VOWELS, british, stressed

PATH = Path(__file__).with_name("guess.safetensors")
LETTERS = " abcdefghijklmnopqrstuvwxyz'"  # the first stands before and behind a word
WIDTH = 5  # letters that a convolution sees
LONGEST = 40  # letters
_SPELLED = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "th", "þ": "th", "ı": "i", "’": "'"}


class Guess(NamedTuple):
    """phones: American or British. sure: the least likelihood of any letter's part, 0 to 1."""

    phones: str
    sure: float


def letters_of(word: str) -> str:
    """A word in the net's letters: without marks, and without other signs."""
    plain = unicodedata.normalize("NFD", word.lower())
    plain = "".join(_SPELLED.get(letter, letter) for letter in plain)
    return "".join(letter for letter in plain if letter in LETTERS[1:])[:LONGEST]


@lru_cache(maxsize=4096)
def guess(word: str, is_british: bool = False) -> Guess | None:
    """None where a word has no letter that English has."""
    letters = letters_of(word).strip("'")
    if not letters:
        return None
    weights, parts = _net()
    likelihoods = _likelihoods(weights, np.array([LETTERS.index(letter) for letter in letters]))
    chosen = likelihoods.argmax(1)
    said = [parts[number] for number in chosen]
    sure = float(likelihoods[np.arange(len(chosen)), chosen].min())
    phones = stressed(_one_main_stress(said, likelihoods.max(1)))
    if not any(letter in VOWELS for letter in phones):
        return Guess(phones, 0.0)
    return Guess(british(phones) if is_british else phones, sure)


def _one_main_stress(said: list[str], sure: np.ndarray) -> str:
    """The surest of several main stresses stays; the others become weak ones."""
    places = [at for at, part in enumerate(said) if PRIMARY in part]
    best = max(places, key=lambda at: sure[at], default=None)
    return "".join(part if at == best else part.replace(PRIMARY, SECONDARY) for at, part in enumerate(said))


def _likelihoods(weights: dict[str, np.ndarray], ids: np.ndarray) -> np.ndarray:
    """[letters] -> [letters, parts]."""
    edge = WIDTH // 2
    hidden = weights["letters"][np.concatenate([[0] * edge, ids, [0] * edge])]
    for block in range(sum(name.endswith(".in") for name in weights)):
        padded = np.pad(hidden, ((edge, edge), (0, 0)))
        seen = np.concatenate([padded[shift : shift + len(hidden)] for shift in range(WIDTH)], axis=1)
        inner = np.maximum(seen @ weights[f"{block}.in"] + weights[f"{block}.bias"], 0)
        hidden = hidden + inner @ weights[f"{block}.out"]
    scores = hidden[edge:-edge] @ weights["parts"] + weights["bias"]
    scores = np.exp(scores - scores.max(1, keepdims=True))
    return scores / scores.sum(1, keepdims=True)


@cache
def _net() -> tuple[dict[str, np.ndarray], list[str]]:
    """The weights as float32, and what each output stands for."""
    from safetensors import safe_open

    with safe_open(str(PATH), framework="np") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (it is not a mapping)
        parts = json.loads(file.metadata()["parts"])
    weights = {}
    for name, value in tensors.items():
        if name.endswith(".scale"):
            continue
        scale = tensors.get(f"{name}.scale")
        weights[name] = value.astype(np.float32) * (1 if scale is None else scale.astype(np.float32))
    return weights, parts
