"""Loudness as FFmpeg measures it, a limit on true peaks, and what the sinks make of both."""

import numpy as np
import pytest
import soundfile

from mlx_tts.audio.effects.limiter import CEILING, Limiter, lowest_of
from mlx_tts.audio.effects.loudness import LoudnessMeter
from mlx_tts.audio.files import AudioWriter
from mlx_tts.audio.sinks import MasteredSink, TwoPassSink

RATE = 24_000


def noise(seconds, level, seed=0):
    """Noise that swells and fades like syllables, with pauses."""
    random = np.random.default_rng(seed)
    count = round(seconds * RATE)
    shape = np.maximum(0, np.sin(2 * np.pi * 3 * np.arange(count) / RATE)) * (np.arange(count) // RATE % 3 < 2)
    return (level * shape * random.standard_normal(count)).astype(np.float32)


def lufs(samples, rate=RATE):
    meter = LoudnessMeter(rate)
    meter.add(samples)
    return meter.lufs


def by_ffmpeg(samples, rate=RATE):
    """(integrated loudness in LUFS, true peak in dBTP)"""
    import av.filter

    graph = av.filter.Graph()
    source = graph.add_abuffer(sample_rate=rate, format="flt", layout="mono", time_base=f"1/{rate}")
    meter, sink = graph.add("ebur128", "metadata=1:peak=true"), graph.add("abuffersink")
    source.link_to(meter)
    meter.link_to(sink)
    graph.configure()
    frame = av.AudioFrame.from_ndarray(samples[None], format="flt", layout="mono")
    frame.sample_rate, frame.pts = rate, 0
    graph.push(frame)
    graph.push(None)
    loudness, peak = 0.0, -100.0
    while True:
        try:
            metadata = graph.pull().metadata
        except (av.EOFError, av.BlockingIOError):
            return loudness, peak
        loudness = float(metadata.get("lavfi.r128.I", loudness))
        peaks = [
            float(value) for key, value in metadata.items() if "true_peaks_ch0" in key or key.endswith("true_peak")
        ]
        peak = max([peak, *(20 * np.log10(max(value, 1e-9)) for value in peaks)])


def test_a_full_sine_has_the_standards_loudness():
    sine = np.sin(2 * np.pi * 997 / 48_000 * np.arange(5 * 48_000)).astype(np.float32)
    assert lufs(sine, 48_000) == pytest.approx(-3.01, abs=0.02)


@pytest.mark.parametrize("level", [0.02, 0.3])
def test_ffmpeg_measures_the_same(level):
    sound = noise(12, level)
    assert lufs(sound) == pytest.approx(by_ffmpeg(sound)[0], abs=0.15)


def test_parts_of_any_size_measure_the_same():
    sound, meter = noise(5, 0.1), LoudnessMeter(RATE)
    for at in range(0, len(sound), 777):
        meter.add(sound[at : at + 777])
    assert meter.lufs == pytest.approx(lufs(sound), abs=1e-6)
    assert lufs(np.zeros(RATE, np.float32)) is None
    assert lufs(np.zeros(0, np.float32)) is None


def limited(samples, part):
    limiter = Limiter(RATE)
    parts = [limiter.change(samples[at : at + part]) for at in range(0, len(samples), part)]
    return np.concatenate([*parts, limiter.finish()])


def oversampled_peak(samples):
    import soxr

    return 20 * np.log10(np.abs(soxr.resample(samples, RATE, 8 * RATE, quality="VHQ")).max())


def test_no_true_peak_passes_the_ceiling():
    loud = np.convolve(noise(3, 1.2), np.hanning(7)[1:-1] / 3, "same").astype(np.float32)  # no more treble than speech
    out = limited(loud, 1920)
    assert oversampled_peak(loud) > 3
    assert len(out) == len(loud)
    assert np.abs(out).max() <= 10 ** (CEILING / 20)
    assert oversampled_peak(out) <= CEILING + 0.1
    # sines between the samples: their highest points are never sampled
    between = np.sin(2 * np.pi * (RATE / 4) / RATE * np.arange(RATE) + np.pi / 4).astype(np.float32) * 1.2
    assert np.abs(between).max() < 0.9
    middle = limited(between, 5000)[2000:-2000]
    assert oversampled_peak(middle) <= CEILING + 0.1


def test_what_is_below_the_ceiling_keeps_its_bits():
    quiet = noise(2, 0.1)
    np.testing.assert_array_equal(limited(quiet, 1000), quiet)
    loud = quiet.copy()
    loud[RATE] = 2.0
    out = limited(loud, 1000)
    same = np.flatnonzero(out == loud)
    assert len(loud) - len(same) < 0.03 * RATE  # 10 ms on either side of the peak, and its interpolation


@pytest.mark.parametrize("part", [7, 1000, 30_000])
def test_the_limiter_gives_the_same_for_parts_of_any_size(part):
    loud = noise(2, 0.5)
    np.testing.assert_allclose(limited(loud, part), limited(loud, len(loud)), atol=1e-6)


def written(sink, *parts):
    for voice, samples in parts:
        sink.begin_chapter(0)
        sink.begin_voice(voice)
        for at in range(0, len(samples), 4000):
            sink.write(samples[at : at + 4000])
    return soundfile.read(sink.finish(), dtype="float32")[0]


@pytest.mark.parametrize("target", [-16.0, -23.0])
def test_a_file_has_the_loudness_that_was_asked_for(tmp_path, target):
    sound = noise(12, 0.03)
    out = written(TwoPassSink(AudioWriter(tmp_path / "a.wav", RATE), RATE, target, tmp_path), ("a", sound))
    assert len(out) == len(sound)
    assert lufs(out) == pytest.approx(target, abs=0.3)
    assert [path.name for path in tmp_path.iterdir()] == ["a.wav"]


@pytest.mark.slow
def test_voices_are_equally_loud(tmp_path):
    quiet, loud = noise(9, 0.02), noise(9, 0.2, seed=1)
    sink = TwoPassSink(AudioWriter(tmp_path / "a.wav", RATE), RATE, -18.0, tmp_path)
    out = written(sink, ("a", quiet), ("b", loud), ("a", quiet))
    levels = [lufs(out[at : at + 9 * RATE]) for at in (0, 9 * RATE, 18 * RATE)]
    assert levels == pytest.approx([-18.0] * 3, abs=0.5)


@pytest.mark.slow
def test_live_speech_comes_to_the_loudness_within_seconds(tmp_path):
    sound = noise(30, 0.02)
    out = written(MasteredSink(AudioWriter(tmp_path / "a.wav", RATE), RATE, -18.0), (None, sound))
    assert len(out) == len(sound)
    assert lufs(out[15 * RATE :]) == pytest.approx(-18.0, abs=1.5)


def test_an_interrupted_file_keeps_what_was_spoken(tmp_path):
    sink = TwoPassSink(AudioWriter(tmp_path / "a.wav", RATE), RATE, -18.0, tmp_path)
    sink.begin_chapter(0)
    sink.write(noise(5, 0.02))
    kept = sink.abandon()
    assert kept.name == "a.partial.wav"
    assert lufs(soundfile.read(kept, dtype="float32")[0]) == pytest.approx(-18.0, abs=0.4)


@pytest.mark.parametrize("width", [1, 2, 3, 16, 241])
def test_the_lowest_of_each_window(width):
    values = np.random.default_rng(width).normal(size=500)
    wanted = np.lib.stride_tricks.sliding_window_view(values, width).min(axis=1)
    np.testing.assert_array_equal(lowest_of(values, width), wanted)
