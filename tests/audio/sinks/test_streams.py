"""Sinks: standard output, several at once, and the speakers with their ring buffer."""

import io
import sys
import threading
import time

import numpy as np
import pytest
import soundfile

from mlx_tts.audio.encoder import to_pcm16, wav_header
from mlx_tts.audio.files import AudioWriter
from mlx_tts.audio.formats import FORMATS
from mlx_tts.audio.playback.ring import RingBuffer
from mlx_tts.audio.playback.speaker import SpeakerSink, check_output_device, has_output_device
from mlx_tts.audio.sinks import StreamSink, TeeSink
from mlx_tts.errors import AudioError
from tests.helpers.fakes import FakeSoundDevice

RATE = 24_000


def test_pcm_is_little_endian_and_clipped():
    values = np.array([0, 1, -1, 3, -3, 0.5, 1 / 32767], np.float32)
    assert to_pcm16(values) == np.array([0, 32767, -32767, 32767, -32767, 16384, 1], "<i2").tobytes()


def test_the_header_is_of_a_wav_with_open_sizes():
    header = wav_header(RATE)
    assert len(header) == 44
    samples, rate = soundfile.read(io.BytesIO(header + to_pcm16(np.full(100, 0.5, np.float32))))
    assert rate == RATE
    assert samples.shape == (100,)
    assert header[4:8] == header[40:44] == b"\xff" * 4


class Recorder(io.BytesIO):
    flushes = 0

    def flush(self):
        self.flushes += 1


@pytest.mark.parametrize(("name", "header"), [("wav", 44), ("pcm", 0)])
def test_every_piece_leaves_at_once(name, header):
    stream = Recorder()
    sink = StreamSink(stream, RATE, FORMATS[name])
    for count in range(1, 4):
        sink.write(np.zeros(10, np.float32))
        assert len(stream.getvalue()) == header + 20 * count
        assert stream.flushes >= count
    assert sink.finish() is None


def test_tee_gives_everything_to_all(tmp_path):
    stream = Recorder()
    sink = TeeSink([AudioWriter(tmp_path / "out.wav", RATE), StreamSink(stream, RATE, FORMATS["pcm"])])
    sink.write(np.full(50, 0.25, np.float32))
    assert sink.finish() == tmp_path / "out.wav"
    np.testing.assert_array_equal(
        soundfile.read(tmp_path / "out.wav", dtype="int16")[0], np.frombuffer(stream.getvalue(), "<i2")
    )


def test_tee_abandons_all(tmp_path):
    sink = TeeSink([StreamSink(Recorder(), RATE, FORMATS["wav"]), AudioWriter(tmp_path / "out.wav", RATE)])
    sink.write(np.zeros(50, np.float32))
    assert sink.abandon() == tmp_path / "out.partial.wav"


def test_the_ring_keeps_order_across_its_end():
    ring, block = RingBuffer(7), np.empty(5, np.float32)
    for start in range(0, 50, 5):
        ring.put(np.arange(start, start + 5, dtype=np.float32))
        assert ring.take(block) == 5
        np.testing.assert_array_equal(block, np.arange(start, start + 5))


def test_an_empty_ring_is_silence():
    ring, block = RingBuffer(10), np.full(5, 9.0, np.float32)
    ring.put(np.ones(2, np.float32))
    assert ring.take(block) == 2
    np.testing.assert_array_equal(block, [1, 1, 0, 0, 0])
    assert ring.take(block) == 0
    assert not block.any()


def test_a_full_ring_takes_no_more_than_it_holds():
    ring, block = RingBuffer(10), np.empty(4, np.float32)
    assert ring.put(np.arange(25, dtype=np.float32)) == 10
    assert ring.put(np.ones(3, np.float32)) == 0
    assert ring.take(block) == 4
    assert ring.put(np.arange(10, 25, dtype=np.float32)) == 4
    heard = np.empty(10, np.float32)
    assert ring.take(heard) == 10
    np.testing.assert_array_equal(heard, np.arange(4, 14))


@pytest.mark.slow
def test_two_threads_share_a_ring_without_a_lock():
    ring, numbers = RingBuffer(100), np.arange(10_000, dtype=np.float32)

    def write() -> None:
        done = 0
        while done < len(numbers):
            done += ring.put(numbers[done : done + 70])
            time.sleep(0)  # lets the other thread run

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    heard, block = [], np.empty(33, np.float32)
    while len(heard) < len(numbers):
        heard.extend(block[: ring.take(block)])
    np.testing.assert_array_equal(heard, numbers)


@pytest.fixture
def device(monkeypatch):
    fake = FakeSoundDevice()
    monkeypatch.setitem(sys.modules, "sounddevice", fake)
    return fake


def test_the_speakers_play_everything_in_order(device):
    sink, speech = SpeakerSink(RATE), np.linspace(0.1, 1, 20_000, dtype=np.float32)
    for piece in np.array_split(speech, 7):
        sink.write(piece)
    sink.finish()
    heard = device.streams[0].heard
    np.testing.assert_array_equal(heard[heard != 0], speech)
    assert device.streams[0].ended == "stopped"


@pytest.mark.timed
def test_abandoning_stops_at_once(device):
    sink = SpeakerSink(RATE)
    sink.write(np.ones(RATE * 20, np.float32))
    start = time.perf_counter()
    sink.abandon()
    assert time.perf_counter() - start < 0.1
    assert device.streams[0].ended == "aborted"
    assert len(device.streams[0].heard) < RATE * 20


def test_speakers_that_never_spoke_can_finish(device):
    SpeakerSink(RATE).finish()
    assert device.streams[0].ended == "stopped"
    assert not device.streams[0].heard.any()


def test_no_device(monkeypatch):
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=0))
    assert not has_output_device()
    with pytest.raises(AudioError, match="no sound device to play on: write a file with -o"):
        check_output_device()
    with pytest.raises(AudioError, match="the sound device cannot be opened"):
        SpeakerSink(RATE)


def test_a_device(device):
    assert has_output_device()
