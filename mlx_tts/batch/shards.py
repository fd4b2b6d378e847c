"""--shard K/N, or the variables of a job array -> which share of the lines is this machine's.

A line's share follows from its id alone, so that no share changes when lines are added.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass

from mlx_tts.errors import RequestError

# Job arrays: this task's number, the first number, and the last or how many there are.
ARRAYS = (
    ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"),
    ("SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE"),
    ("LSB_JOBINDEX", None, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP"),
)
COUNTED = (("AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"),)  # from 0


@dataclass(frozen=True)
class Shard:
    """number: from 1 to count."""

    number: int = 1
    count: int = 1

    def has(self, name: str) -> bool:
        """Whether the line with this id is of this share."""
        if self.count == 1:
            return True
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.number - 1


def read_shard(text: str | None, environment: Mapping[str, str] = os.environ) -> Shard:
    """ "2/8" or "auto" -> the share; None is all of it."""
    if text is None:
        return Shard()
    if text == "auto":
        return _of_array(environment)
    number, slash, count = text.partition("/")
    if not (slash and number.isascii() and number.isdigit() and count.isascii() and count.isdigit()):
        raise RequestError(f"--shard is {text!r}: give K/N such as 2/8, or auto in a job array")
    return _checked(int(number), int(count), f"--shard is {text!r}")


def _of_array(environment: Mapping[str, str]) -> Shard:
    for own, first, last, step in ARRAYS:
        if environment.get(own, "").isdigit():
            low, stride = _value(environment, first, 1), _value(environment, step, 1)
            high = _value(environment, last, 0)
            what = f"{own}={environment[own]}"
            if high < low or stride < 1:
                raise RequestError(f"{what} without {last}, so --shard auto knows no number of shares: give K/N")
            return _checked((int(environment[own]) - low) // stride + 1, (high - low) // stride + 1, what)
    for own, size in COUNTED:
        if environment.get(own, "").isdigit():
            return _checked(int(environment[own]) + 1, _value(environment, size, 0), f"{own}={environment[own]}")
    raise RequestError(
        "--shard auto is for job arrays (Slurm, Grid Engine, LSF, AWS Batch), and this is none: give K/N"
    )


def _value(environment: Mapping[str, str], name: str | None, otherwise: int) -> int:
    text = environment.get(name or "", "")
    return int(text) if text.isdigit() else otherwise


def _checked(number: int, count: int, what: str) -> Shard:
    if not 1 <= number <= count:
        raise RequestError(f"{what}: of N shares K is 1 to N")
    return Shard(number, count)
