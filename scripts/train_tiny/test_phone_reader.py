"""The phone reader: its errors counted by hand, and phones of tones that it learns to tell apart."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from phone_reader import NUMBERS, STEP, Lesson, PhoneReader, errors, learn, numbers_of
from sizes import SAMPLE_RATE


def test_errors_are_phones_left_out_put_in_or_changed():
    said = numbers_of("kˈæt")
    assert said.tolist() == [NUMBERS[letter] for letter in "kæt"]
    assert errors(said, said.tolist()) == 0
    assert errors(said, said.tolist()[1:]) == 1
    assert errors(said, [9, *said.tolist()]) == 1
    assert errors(said, [said[0], 99, said[2]]) == 1
    assert errors(said, []) == 3
    assert errors(numbers_of(""), [4, 5]) == 2
    assert errors(numbers_of("kætskæn"), numbers_of("ætskænd").tolist()) == 2


def tones(said, letter_seconds=0.12):
    """A tone for each phone."""
    time = np.arange(int(letter_seconds * SAMPLE_RATE)) / SAMPLE_RATE
    return np.concatenate([np.sin(2 * np.pi * (300 + 350 * number) * time) * 0.1 for number in said]).astype(np.float32)


@pytest.mark.slow
def test_it_learns_to_hear_phones_and_finds_a_wrong_one_unlikely():
    torch.manual_seed(0)
    random, lesson = np.random.default_rng(0), Lesson()
    for _ in range(240):
        said = random.integers(1, 7, random.integers(3, 9))
        audio = torch.from_numpy(tones(said))[None]
        lesson.add(audio, torch.tensor([audio.shape[1]]), [said])
    reader = PhoneReader(width=48)
    wrong = learn(reader, lesson, steps=150, rate=4e-3, tell=lambda line: None)
    assert wrong < 5, wrong
    said = np.array([1, 4, 2, 5])
    audio = torch.from_numpy(np.stack([tones(said), tones([1, 4, 3, 5])]))
    right, other = reader.losses(audio, torch.full((2,), audio.shape[1]), [said, said]).tolist()
    assert other > right + 3, (right, other)


def test_a_take_that_is_too_short_for_its_phones_costs_no_more_than_ten_nats_a_phone():
    reader = PhoneReader(width=16).eval()
    audio = torch.zeros(1, 3 * STEP)
    assert reader.losses(audio, torch.tensor([3 * STEP]), [np.array([1, 2, 3, 4, 5])]).tolist() == [50.0]
