"""Options that no other test measures: the pauses between sentences and between paragraphs, the list of devices."""

import sys

import pytest
import soundfile

from mlx_tts.cli import run
from tests.cli.test_speak import CUSTOM, models, place  # noqa: F401 (fixtures)
from tests.helpers.fakes import FRAME, FakeSoundDevice

RATE = 24_000
SPOKEN = 25 * FRAME  # each piece, without a quiet end


def length(text: str, *options: str) -> int:
    assert run(["speak", text, *CUSTOM, *options, "-o", "out.wav"]) == 0
    return soundfile.info("out.wav").frames


@pytest.mark.parametrize("seconds", [0, 0.25, 2])
def test_the_pause_between_sentences_is_as_long_as_asked(models, seconds):  # noqa: F811
    assert length("Tea is hot. Milk is cold.", "--sentence-pause", str(seconds)) == 2 * SPOKEN + seconds * RATE


@pytest.mark.parametrize("seconds", [0, 0.7, 2])
def test_the_pause_between_paragraphs_is_as_long_as_asked(models, seconds):  # noqa: F811
    text = "Tea is hot.\n\nMilk is cold."
    assert length(text, "--paragraph-pause", str(seconds)) == 2 * SPOKEN + round(seconds * RATE)


def test_the_sound_devices_are_listed(models, monkeypatch, capfd):  # noqa: F811
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=2))
    assert run(["speak", "--list-devices"]) == 0
    listed = capfd.readouterr().out.splitlines()
    assert len(listed) == 2 and all(f"fake {number}" in line for number, line in enumerate(listed))
