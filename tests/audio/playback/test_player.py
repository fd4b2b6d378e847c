"""A listener's keys act on what is heard: where it goes on, how fast, and that nothing is lost by a pause."""

import sys
import time

import numpy as np
import pytest

from mlx_tts.audio.playback import player as module
from mlx_tts.audio.playback.player import AHEAD_SECONDS, Player, Tape
from mlx_tts.audio.playback.ring import PreRoll
from mlx_tts.audio.playback.speaker import SpeakerSink
from mlx_tts.errors import AudioError
from tests.helpers.fakes import FakeSoundDevice

pytestmark = pytest.mark.slow

RATE = 24_000


def test_a_tape_gives_any_part_that_it_still_has():
    tape, everything = Tape(), np.arange(1000, dtype=np.float32)
    for part in np.array_split(everything, 7):
        tape.append(part)
    np.testing.assert_array_equal(tape.read(100, 500), everything[100:600])
    np.testing.assert_array_equal(tape.read(990, 500), everything[990:])
    tape.forget(300)
    assert 143 <= tape.first <= 300
    np.testing.assert_array_equal(tape.read(300, 10), everything[300:310])
    assert tape.end == 1000


@pytest.fixture
def device(monkeypatch):
    fake = FakeSoundDevice(block_seconds=0.004)  # five times as fast as sound is heard
    monkeypatch.setitem(sys.modules, "sounddevice", fake)
    return fake


def open_player(eager=True) -> Player:
    return Player(SpeakerSink(RATE, buffer_seconds=5 * AHEAD_SECONDS), RATE, PreRoll(eager=eager))


def steps(seconds: int) -> np.ndarray:
    """Speech whose samples say in which second they are: 0.01 in the first, 0.02 in the second..."""
    return np.repeat(np.arange(1, seconds + 1, dtype=np.float32) / 100, RATE)


def heard_by(device) -> np.ndarray:
    heard = device.streams[0].heard
    return heard[heard != 0]


def wait_until(condition) -> None:
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until, "it did not happen in 10 s"
        time.sleep(0.001)


def test_without_keys_it_plays_every_sample(device):
    player, speech = open_player(), steps(3)
    for part in np.array_split(speech, 11):
        player.write(part)
    player.finish()
    np.testing.assert_array_equal(heard_by(device), speech)


def test_a_pause_is_silence_and_nothing_is_missing_after_it(device):
    player, speech = open_player(), steps(4)
    player.write(speech)
    wait_until(lambda: player.heard_seconds() > 1)
    player.pause(True)
    time.sleep(0.05)
    stopped = player.heard_seconds()
    blocks = len(device.streams[0].blocks)
    wait_until(lambda: len(device.streams[0].blocks) > blocks + 50)
    assert player.heard_seconds() == stopped
    assert not np.any(np.concatenate(device.streams[0].blocks[blocks:]))
    player.pause(False)
    player.finish()
    heard = heard_by(device)
    assert len(speech) - 240 <= len(heard) <= len(speech)  # at most two fades of 5 ms end in zeros
    assert np.all(np.diff(heard[np.isin(heard, speech)]) >= 0)


def test_back_plays_it_again_and_forth_leaves_it_out(device):
    player = open_player()
    player.write(steps(20))
    wait_until(lambda: player.heard_seconds() > 3)
    player.go_to(1.0)
    assert player.heard_seconds() == 1.0
    wait_until(lambda: player.heard_seconds() > 4)
    player.go_to(15.0)
    player.finish()
    heard = heard_by(device)
    seconds = {number: np.count_nonzero(np.isclose(heard, number / 100)) / RATE for number in range(1, 21)}
    assert seconds[1] == pytest.approx(1, abs=0.01)
    assert seconds[2] == pytest.approx(2, abs=0.02)  # a fade, and the first block
    assert seconds[3] == pytest.approx(2, abs=0.02)
    assert seconds[10] == seconds[14] == 0
    assert [seconds[number] for number in range(16, 21)] == pytest.approx([1] * 5, abs=0.02)


def test_a_jump_is_heeded_while_it_is_paused(device):
    player = open_player()
    player.write(steps(10))
    wait_until(lambda: player.heard_seconds() > 1)
    player.pause(True)
    player.go_to(8.0)
    time.sleep(0.1)
    player.pause(False)
    player.finish()
    assert heard_by(device)[-1] == np.float32(0.1)
    assert len(heard_by(device)) < 5 * RATE


def test_speed_changes_what_is_to_come_at_once(device):
    player = open_player()
    tone = np.sin(2 * np.pi * 220 / RATE * np.arange(20 * RATE)).astype(np.float32) * 0.5
    player.write(tone)
    wait_until(lambda: player.heard_seconds() > 4)
    player.change_speed(2.0)
    player.finish()
    heard = np.trim_zeros(device.streams[0].heard)
    assert len(heard) / RATE == pytest.approx(4 + 16 / 2, abs=0.7)
    end = heard[-4 * RATE : -RATE]
    assert np.argmax(np.abs(np.fft.rfft(end))) * RATE / len(end) == pytest.approx(220, abs=2)


def test_what_lies_far_behind_is_forgotten_and_back_goes_as_far_as_there_is(device, monkeypatch):
    monkeypatch.setattr(module, "BEHIND_SECONDS", 2.0)
    player = open_player()
    for _ in range(20):
        player.write(steps(1))
    wait_until(lambda: player.heard_seconds() > 10)
    player.go_to(0.0)
    assert player.heard_seconds() > 5
    player.abandon()


def test_a_device_that_goes_away_ends_it_with_one_line(device):
    player = open_player()
    device.streams[0].active = False
    with pytest.raises(AudioError, match="went away"):
        player.write(steps(60))
    player.abandon()


@pytest.mark.timed
@pytest.mark.parametrize("paused", [False, True])
def test_abandoned_it_is_silent_at_once(device, paused):
    player = open_player()
    player.write(steps(20))
    wait_until(lambda: player.heard_seconds() > 1)
    player.pause(paused)
    start = time.monotonic()
    player.abandon()
    assert time.monotonic() - start < 1
    assert device.streams[0].ended == "aborted"


def test_it_begins_when_there_is_enough_for_the_speed_of_the_model(device):
    player = open_player(eager=False)
    player.write(steps(1))
    time.sleep(0.1)
    assert not len(heard_by(device))  # the speed is not known yet
    player.finish()
    assert len(heard_by(device)) == RATE
