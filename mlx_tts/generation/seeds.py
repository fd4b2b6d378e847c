"""Every seed and random key is made here. No random state is kept anywhere.

A seed depends on what is named here and on nothing else: not on the neighbours, the batch or the machine.

* a request without one: `fresh_seed`, which depends on nothing;
* a line of a batch: `line_seed`, on the run's seed and the line's id;
* a piece of a longer speech: `piece_seed`, on the speech's seed and the number of the piece;
* a piece that is asked for again (`--redo`): `redone_seed`, on the speech's seed and how often it was asked for;
* a piece that was misheard (`--verify`): `verified_seed`, on its request's seed and the number of the attempt;
* an attempt that the guard asks for keeps the seed: its number is a part of the address of `frame_key`, as `take`.
"""

from __future__ import annotations

import hashlib
import secrets

SEED_BITS = 53  # of a line: a whole number that every reader of JSON keeps exactly
_REDONE, _VERIFIED = 1_000_003, 7_368_787  # primes, so that few sums of steps meet
_MASK_64 = (1 << 64) - 1
TAKE_BITS = 32  # a take's number stands above that of the piece in an address


def _mixed(value: int) -> int:
    """One round of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK_64
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK_64
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK_64
    return value ^ (value >> 31)


def frame_key(seed: int, take: int, frame: int) -> tuple[int, int]:
    """The random key of one frame: the same for the same address, whatever batch or chunk the frame is made in."""
    key = _mixed(_mixed(_mixed(seed & _MASK_64) ^ (take << TAKE_BITS)) ^ frame)
    return key >> 32, key & 0xFFFFFFFF


def piece_seed(seed: int, number: int) -> int:
    """The seed of piece `number` of a speech with this seed: its own for each, and that of the speech for piece 0.

    Version 0.1.0 mixed the number into the key itself. Here it is undone around the first round of mixing, so that the
    keys are the same and a speech that was begun by that version goes on as it began.
    """
    return _unmixed(_mixed(seed & _MASK_64) ^ number)


def _unmixed(value: int) -> int:
    """The inverse of `_mixed`: each of its steps can be undone, the products by the inverse modulo 2^64."""
    value ^= (value >> 31) ^ (value >> 62)
    value = (value * pow(0x94D049BB133111EB, -1, 1 << 64)) & _MASK_64
    value ^= (value >> 27) ^ (value >> 54)
    value = (value * pow(0xBF58476D1CE4E5B9, -1, 1 << 64)) & _MASK_64
    value ^= (value >> 30) ^ (value >> 60)
    return (value - 0x9E3779B97F4A7C15) & _MASK_64


def fresh_seed() -> int:
    """For a request without a seed: 63 random bits."""
    return secrets.randbits(63)


def line_seed(seed: int, line_id: str) -> int:
    """Of a batch's line that names none: doing it twice gives the same speech."""
    digest = hashlib.sha256(f"{seed}:{line_id}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)


def redone_seed(seed: int, times: int) -> int:
    """Of a piece that was asked for again `times` times; before `piece_seed` is taken of it."""
    return seed + times * _REDONE


def verified_seed(seed: int, attempt: int) -> int:
    """Of an attempt, from 1, at a piece whose words are listened to; before `piece_seed` is taken of it."""
    return seed + (attempt - 1) * _VERIFIED
