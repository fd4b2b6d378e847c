"""Shares of job arrays, expected seconds, seeds and paths."""

from itertools import chain

import pytest

from mlx_tts.batch.lines import Line
from mlx_tts.batch.plan import path_of, seed_of
from mlx_tts.batch.settings import Shard, read_shard
from mlx_tts.errors import RequestError


@pytest.mark.parametrize(
    ("text", "environment", "shard"),
    [
        (None, {}, Shard(1, 1)),
        ("2/8", {}, Shard(2, 8)),
        ("1/1", {}, Shard(1, 1)),
        ("auto", {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "7"}, Shard(4, 8)),
        (
            "auto",
            {
                "SLURM_ARRAY_TASK_ID": "5",
                "SLURM_ARRAY_TASK_MIN": "1",
                "SLURM_ARRAY_TASK_MAX": "9",
                "SLURM_ARRAY_TASK_STEP": "2",
            },
            Shard(3, 5),
        ),
        (
            "auto",
            {"SGE_TASK_ID": "2", "SGE_TASK_FIRST": "1", "SGE_TASK_LAST": "4", "SGE_TASK_STEPSIZE": "1"},
            Shard(2, 4),
        ),
        ("auto", {"LSB_JOBINDEX": "6", "LSB_JOBINDEX_END": "6"}, Shard(6, 6)),
        ("auto", {"AWS_BATCH_JOB_ARRAY_INDEX": "0", "AWS_BATCH_JOB_ARRAY_SIZE": "5"}, Shard(1, 5)),
    ],
)
def test_shares(text, environment, shard):
    assert read_shard(text, environment) == shard


@pytest.mark.parametrize(
    ("text", "environment", "error"),
    [
        ("0/3", {}, "K must be from 1 to N"),
        ("4/3", {}, "K must be from 1 to N"),
        ("1/0", {}, "K must be from 1 to N"),
        ("3", {}, "give K/N such as 2/8"),
        ("-1/3", {}, "give K/N such as 2/8"),
        ("1/²", {}, "give K/N such as 2/8"),
        ("auto", {}, "--shard auto is for job arrays"),
        ("auto", {"SGE_TASK_ID": "undefined"}, "--shard auto is for job arrays"),
        ("auto", {"SLURM_ARRAY_TASK_ID": "3"}, "without SLURM_ARRAY_TASK_MAX"),
        ("auto", {"AWS_BATCH_JOB_ARRAY_INDEX": "5", "AWS_BATCH_JOB_ARRAY_SIZE": "5"}, "K must be from 1 to N"),
    ],
)
def test_shares_that_are_none(text, environment, error):
    with pytest.raises(RequestError, match=error):
        read_shard(text, environment)


def test_every_line_is_of_exactly_one_share():
    names = [f"line {number}" for number in range(500)]
    shares = [[name for name in names if Shard(number, 7).has(name)] for number in range(1, 8)]
    assert sorted(chain(*shares)) == sorted(names)
    assert all(40 < len(share) < 110 for share in shares)


def test_seeds_are_the_same_for_ever():
    """They are in people's result tables: another rule would make other files of the same lines."""
    line = Line(1, "line-1", "Hello.", "line-1")
    assert seed_of(line, 0) == 2692967125336920
    assert seed_of(Line(1, "line-1", "Hello.", "line-1", {"seed": 9}), 0) == 9


def test_paths():
    line = Line(1, "a", "Hello.", "A b")
    assert path_of(line, ".flac", False) == "A b.flac"
    assert path_of(line, ".flac", True) == path_of(Line(1, "x", "x", "a B"), ".flac", True).replace("a B", "A b")
