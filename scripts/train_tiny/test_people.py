"""People for the speaker encoder: two clips of one person, files of many people left out, and the loss that takes them."""

import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path[:0] = [str(Path(__file__).parent)]
from people import LEAST_FRAMES, People
from shards import FRAME_SAMPLES, LABEL_SAMPLES, ShardWriter
from sizes import UNKNOWN_PHONE


def write(folder, people):
    """Shards in which every sample of a person has that person's number; items of 40 frames."""
    writer = ShardWriter(folder, "human")
    for number, (name, items) in enumerate(people.items()):
        for item in range(items):
            audio = np.full(40 * FRAME_SAMPLES, number + 1, np.int16)
            labels = np.full(len(audio) // LABEL_SAMPLES, UNKNOWN_PHONE, np.uint8)
            writer.add(f"{name} {item}", name, audio, labels)
    writer.close()


def test_both_clips_of_a_pair_are_of_one_person(tmp_path):
    write(tmp_path, {"human-ann": 3, "human-cs_others": 9, "hazel": 4, "human-bob": 4, "human-brief": 1})
    people = People(tmp_path, "cpu")
    assert len(people) == 2, "neither a preset, nor a file of many people, nor one of less than 8 seconds"
    first, second, numbers = people.pairs(4, 25, np.random.default_rng(0))
    assert first.shape == second.shape == (4, 25 * FRAME_SAMPLES)
    assert torch.equal(first, second), "every sample of a person is that person's number"
    assert sorted(set(numbers)) == [0, 1]
    heard = [torch.unique(clips * 32768).tolist() for clips in (first, second)]
    assert heard == [[1.0, 4.0], [1.0, 4.0]]
    assert all(len(torch.unique(row)) == 1 for row in (*first, *second))


def test_the_clips_of_a_pair_do_not_overlap(tmp_path):
    writer = ShardWriter(tmp_path, "human")
    audio = np.repeat(np.arange(LEAST_FRAMES), FRAME_SAMPLES).astype(np.int16)
    writer.add("0", "human-ann", audio, np.zeros(len(audio) // LABEL_SAMPLES, np.uint8))
    writer.close()
    people = People(tmp_path, "cpu")
    for seed in range(20):
        first, second, _ = people.pairs(1, 50, np.random.default_rng(seed))
        assert not set(torch.unique(first * 32768).tolist()) & set(torch.unique(second * 32768).tolist())


def test_a_folder_without_people(tmp_path):
    write(tmp_path, {"hazel": 4})
    assert len(People(tmp_path, "cpu")) == 0
