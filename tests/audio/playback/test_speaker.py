"""When to play: arithmetic on a fake clock. That it plays: the fake device, and a real PortAudio on a null device."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from mlx_tts.audio.playback.ring import LEAST_SECONDS, MOST_SECONDS, PreRoll
from mlx_tts.audio.playback.speaker import WARM_SECONDS, SpeakerSink, find_device
from mlx_tts.errors import AudioError, RequestError
from tests.helpers.fakes import FakeSoundDevice
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.slow

RATE = 24_000


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def simulate(speed: float, seconds: float, expected: float | None, chunks=(0.08, 0.16, 0.32, 0.64, 0.96)):
    """Make speech at a speed and play it as PreRoll says: (when it began to be heard, how long it then ran dry)."""
    clock = Clock()
    pre_roll = PreRoll(expected_seconds=expected, clock=clock)
    made = heard = dry = 0.0
    began = None
    number = 0
    while made < seconds:
        chunk = min(chunks[min(number, len(chunks) - 1)], seconds - made)
        took = 0.0 if number == 1 else chunk / speed  # the first is held back and leaves with the second
        if began is not None:
            played = min(took, made - heard)
            heard += played
            dry += took - played
        clock.now += took
        made, number = made + chunk, number + 1
        pre_roll.wrote(chunk)
        pre_roll.taken()
        wanted = pre_roll.wanted_seconds()
        if began is None and wanted is not None and made >= wanted:
            began = clock.now - 100.0
    return began, dry


@pytest.mark.parametrize("speed", [1.1, 1.5, 3.0, 10.0])
def test_a_fast_model_is_heard_soon_and_never_runs_dry(speed):
    began, dry = simulate(speed, 20.0, 20.0)
    assert dry == pytest.approx(0, abs=1e-9)
    assert began <= 3.0 / speed


@pytest.mark.parametrize("speed", [0.6, 0.8, 0.95])
def test_a_slow_model_waits_as_long_as_it_must(speed):
    began, dry = simulate(speed, 10.0, 10.0)
    assert dry == pytest.approx(0, abs=1e-9)
    assert began < 10.0 / speed  # but not until all is there


def test_nobody_waits_longer_than_the_most():
    clock = Clock()
    pre_roll = PreRoll(expected_seconds=3600, clock=clock)
    for _ in range(5):
        pre_roll.wrote(0.96)
        clock.now += 9.6
    assert pre_roll.wanted_seconds() == MOST_SECONDS


def test_before_the_speed_is_known_nothing_is_said_of_it():
    clock = Clock()
    pre_roll = PreRoll(clock=clock)
    pre_roll.wrote(0.08)
    pre_roll.wrote(0.16)  # came with the first
    assert pre_roll.speed is None
    assert pre_roll.wanted_seconds() is None
    clock.now += 0.24
    pre_roll.wrote(0.32)
    assert pre_roll.speed == pytest.approx(0.32 / 0.24)
    pre_roll.wrote(0.16)
    assert pre_roll.speed == pytest.approx(0.48 / 0.24)
    assert PreRoll(eager=True).wanted_seconds() == 0


def test_a_wait_for_text_or_for_room_does_not_count():
    clock = Clock()
    pre_roll = PreRoll(clock=clock)
    for number in range(6):
        clock.now += 30.0 if number == 3 else 0.1
        pre_roll.wrote(0.96)
        clock.now += 20.0  # the buffer was full
        pre_roll.taken()
    assert pre_roll.speed == pytest.approx(9.6)
    assert pre_roll.wanted_seconds() == pytest.approx(max(LEAST_SECONDS, 0.125))


@pytest.fixture
def device(monkeypatch):
    fake = FakeSoundDevice()
    monkeypatch.setitem(sys.modules, "sounddevice", fake)
    return fake


def test_the_device_is_warm_before_the_first_sound(device):
    sink = SpeakerSink(RATE, pre_roll=PreRoll(eager=True))
    sink.write(np.ones(RATE // 2, np.float32))
    sink.finish()
    heard = device.streams[0].heard
    assert np.flatnonzero(heard)[0] >= WARM_SECONDS * RATE
    assert np.count_nonzero(heard) == RATE // 2


def test_nothing_is_heard_before_enough_speech_lies_ready(device):
    clock = Clock()
    sink = SpeakerSink(RATE, pre_roll=PreRoll(clock=clock))
    stream = device.streams[0]

    def is_heard(seconds: float) -> bool:
        """Whether so much more speech, made at twice its speed, has the device play any in its next 0.4 s."""
        clock.now += seconds / 2
        blocks = len(stream.blocks)
        sink.write(np.full(round(seconds * RATE), 0.5, np.float32))
        while len(stream.blocks) < blocks + 20:
            time.sleep(0.001)
        return bool(np.any(stream.heard))

    assert [is_heard(seconds) for seconds in (0.08, 0.3, 0.16)] == [False] * 3
    assert sink.gaps == 0
    assert is_heard(0.96)  # 0.6 s are enough at this speed
    sink.finish()


def test_running_dry_is_a_fade_silence_and_a_notice_and_nothing_is_lost(device):
    said: list[str] = []
    sink = SpeakerSink(RATE, say=said.append, pre_roll=PreRoll(eager=True))
    speech = np.linspace(0.1, 1, 3000, dtype=np.float32)
    for piece in np.array_split(speech, 3):
        sink.write(piece)
        time.sleep(0.4)
    sink.finish()
    heard = device.streams[0].heard
    assert sink.gaps >= 2
    assert len(said) == 1
    assert "ran dry" in said[0]
    at = np.arange(3000) % 1000  # the last 40 of each piece are a block's rest
    fades = np.where(at < 960, 1.0, 1 - (at - 960) / 39)
    wanted = speech * fades.astype(np.float32)
    np.testing.assert_allclose(heard[heard != 0], wanted[wanted != 0], atol=1e-6)
    assert not np.any(heard == 9.0)
    assert device.streams[0].ended == "stopped"


def test_silenced_speakers_fade_and_say_no_more(device):
    sink = SpeakerSink(RATE, pre_roll=PreRoll(eager=True))
    sink.write(np.ones(RATE * 20, np.float32))
    while not np.any(device.streams[0].heard):
        time.sleep(0.005)
    sink.silence()
    time.sleep(0.05)
    heard = device.streams[0].heard
    last = np.flatnonzero(heard)[-1]
    assert np.all(np.diff(heard[last - 100 : last]) < 0)
    assert len(heard) - last > 480
    sink.abandon()


def test_a_device_that_goes_away_is_an_error(device):
    sink = SpeakerSink(RATE)
    device.streams[0].active = False
    sink.write(np.ones(100, np.float32))
    with pytest.raises(AudioError, match="went away"):
        sink.finish()
    sink.abandon()


def test_a_device_that_takes_only_its_own_rate_gets_it(device, monkeypatch):
    open_stream = device.OutputStream

    def choosy(**options):
        if options["samplerate"] != 48_000:
            raise device.PortAudioError("Invalid sample rate")
        return open_stream(**options)

    monkeypatch.setattr(device, "OutputStream", choosy)
    sink = SpeakerSink(RATE)
    tone = np.sin(2 * np.pi * 440 / RATE * np.arange(RATE)).astype(np.float32)
    for piece in np.array_split(tone, 9):
        sink.write(piece)
    sink.finish()
    heard = device.streams[0].heard
    sound = heard[np.flatnonzero(heard)[0] : np.flatnonzero(heard)[-1]]
    assert abs(len(sound) - 48_000) < 100
    assert np.argmax(np.abs(np.fft.rfft(sound))) * 48_000 / len(sound) == pytest.approx(440, abs=2)


def test_devices_by_number_and_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=3))
    assert find_device(None) is None
    assert (find_device("2"), find_device("Fake 1")) == (2, 1)
    with pytest.raises(
        RequestError, match="several sound devices match 'fake': there are 0 fake 0; 1 fake 1; 2 fake 2"
    ):
        find_device("fake")
    with pytest.raises(RequestError, match="no sound device is 'hall'"):
        find_device("hall")


# A real PortAudio ----------------------------------------------------------------------------------------------------

ASOUNDRC = """
pcm.null_speaker { type null }
pcm.!default { type null }
ctl.!default { type null }
"""


@pytest.fixture
def portaudio(tmp_path):
    """An environment in which PortAudio plays into nothing; skipped, and said so, where there is none."""
    rc = tmp_path / "asound.conf"
    rc.write_text(
        f"</usr/share/alsa/alsa.conf>\n{ASOUNDRC}" if Path("/usr/share/alsa/alsa.conf").exists() else ASOUNDRC
    )
    environment = {**os.environ, "ALSA_CONFIG_PATH": str(rc), "PYTHONPATH": str(ROOT)}
    code = "import sounddevice; print(len([d for d in sounddevice.query_devices() if d['max_output_channels'] > 0]))"
    found = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    if sys.platform != "linux" or found.returncode or not int(found.stdout or 0):
        pytest.skip(
            "NOT CHECKED on a real PortAudio: it is missing or knows no null device (apt install libportaudio2)"
        )
    return environment


def python(code: str, environment: dict[str, str], **options) -> subprocess.Popen:
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def test_portaudio_plays_it_all(portaudio):
    process = python(
        """
        import time, numpy as np
        from mlx_tts.audio.playback.speaker import SpeakerSink
        sink = SpeakerSink(24_000, say=lambda line: None)  # a null device takes as much as it can: it runs dry
        for _ in range(5):
            sink.write(np.full(4800, 0.1, np.float32))
            time.sleep(0.05)
        sink.finish()
        print("played", sink._buffer._read, len(sink._buffer))
        """,
        portaudio,
    )
    out, error = process.communicate(timeout=30)
    assert out.split() == ["played", "24000", "0"], error


@pytest.mark.timed
def test_ctrl_c_silences_within_100_ms_even_while_the_model_computes(portaudio):
    process = python(
        """
        import hashlib, signal, time, numpy as np
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs begin without it
        from mlx_tts.audio.playback.ring import PreRoll
        from mlx_tts.audio.playback.speaker import SpeakerSink
        sink = SpeakerSink(24_000, pre_roll=PreRoll(eager=True))
        sink.write(np.full(24_000 * 10, 0.1, np.float32))
        print("playing", flush=True)
        try:
            # As a step of a model does: it lets other threads run, but no Python in this one.
            hashlib.pbkdf2_hmac("sha256", b"a", b"b", 3_000_000)
        except KeyboardInterrupt:
            print(sink.silenced_at, time.monotonic())
        start = time.monotonic()
        sink.abandon()
        print(time.monotonic() - start)
        """,
        portaudio,
    )
    assert process.stdout.readline() == "playing\n"
    time.sleep(0.2)
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=30)
    silenced, python_heard, closing = map(float, out.split())
    assert silenced - sent < 0.1 < python_heard - sent, error
    assert closing < 0.1


def test_a_part_without_sound_tells_no_pace():
    """A pace of zero was divided by where a short text's report came late."""
    now = iter([0.0, 1.0, 2.0, 3.0])
    pre_roll = PreRoll(clock=lambda: next(now))
    for seconds in (2.0, 0.0):
        pre_roll.wrote(seconds)
        pre_roll.taken()
    assert pre_roll.speed is None and pre_roll.wanted_seconds() is None
