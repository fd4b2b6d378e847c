"""A seed and a place (take, frame, piece) -> the random key of that place. No random state is kept anywhere."""

from __future__ import annotations

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
