"""Planted samples: silence, noise, clipping, music, two people, a room. Each is found; clean speech is left alone."""

import numpy as np
import pytest

from mlx_tts.audio.reference import levels_of, pitch_of, prepare_sample
from mlx_tts.errors import AudioError
from tests.helpers.clips import RATE, clip


@pytest.fixture
def spoken():
    """Clean speech of the built-in voices."""
    return {voice: clip(f"harbour_{voice}") for voice in ("miles", "ivy")}


@pytest.fixture
def speech(spoken):
    return spoken["miles"]


def rms(samples):
    return np.sqrt(np.mean(samples**2))


def noise(count, decibels_below, of):
    return np.random.default_rng(0).standard_normal(count) * rms(of) * 10 ** (-decibels_below / 20)


def chords(count):
    """A chord a second, three tones with two overtones each."""
    time, sound = np.arange(count) / RATE, np.zeros(count)
    for at, chord in enumerate([(220, 277, 330), (196, 247, 294), (175, 220, 262)] * 10):
        second = slice(at * RATE, (at + 1) * RATE)
        for hertz in chord:
            sound[second] += sum(np.sin(2 * np.pi * hertz * n * time[second]) / n for n in (1, 2, 3))
    return sound / rms(sound)


def in_a_room(samples, seconds):
    """Speech and its reverberation, which decays by 60 dB in so many seconds."""
    length = round(seconds * RATE)
    room = np.random.default_rng(1).standard_normal(length) * 10 ** (-3 * np.arange(length) / length)
    room /= np.sqrt(np.sum(room**2))
    room[0] += 1.0
    size = len(samples) + length
    return np.fft.irfft(np.fft.rfft(samples, size) * np.fft.rfft(room, size), size) / 4


def warnings(samples):
    return " | ".join(prepare_sample(samples.astype(np.float32), RATE, whole=True).warnings)


@pytest.mark.parametrize("voice", ["miles", "ivy"])
def test_clean_speech_has_no_faults(spoken, voice):
    assert warnings(spoken[voice]) == ""


def test_a_little_noise_and_a_small_room_are_no_faults(speech):
    assert warnings(speech + noise(len(speech), 30, speech)) == ""
    assert warnings(in_a_room(speech, 0.25)) == ""


def test_clipping(speech):
    limit = 0.25 * np.abs(speech).max()
    assert "is clipped: record it again at a lower level" in warnings(np.clip(speech, -limit, limit))
    assert "is clipped" in warnings(np.clip(speech, -limit, limit) * 0.1)  # made quieter since


def test_noise(speech):
    assert "there is noise in the recording, 13 dB below the voice" in warnings(speech + noise(len(speech), 10, speech))


def test_music(speech):
    assert "there seems to be music" in warnings(speech + chords(len(speech)) * rms(speech) * 0.18)
    assert "there seems to be music" in warnings(chords(8 * RATE) * 0.1)


def test_one_tone_is_not_a_voice():
    time = np.arange(4 * RATE) / RATE
    told = warnings((0.3 * np.sin(2 * np.pi * 440 * time)).astype(np.float32))
    assert "music or a steady tone" in told
    assert "noise" not in told


def test_two_people(spoken):
    assert "several people seem to speak" in warnings(np.concatenate([spoken["miles"], spoken["ivy"]]))
    assert "several people" not in warnings(np.concatenate([spoken["ivy"], spoken["ivy"]]))


def test_reverberation(speech):
    assert "the room echoes" in warnings(in_a_room(speech, 0.9))


def test_silence_is_trimmed_and_reported(speech):
    padded = np.concatenate([np.zeros(RATE), speech, np.zeros(2 * RATE)]).astype(np.float32)
    prepared = prepare_sample(padded, RATE, whole=True)
    words = prepared.steps[0].split()  # the voices begin and end with some silence of their own; 0.1 s is kept
    assert (words[0], words[3:8]) == ("trimmed", ["of", "silence", "before", "the", "voice"])
    assert (float(words[1]), float(words[9])) == pytest.approx((1.0, 2.0), abs=0.15)
    assert abs(len(prepared.samples) - len(speech)) < 0.2 * RATE
    assert prepared.samples[0] == prepared.samples[-1] == 0  # faded: no click


def test_the_level_is_even(speech):
    quiet, loud = (prepare_sample(speech * np.float32(gain), RATE, whole=True) for gain in (0.02, 0.9 / speech.max()))
    assert "raised the level by" in quiet.steps[-1]
    for prepared in (quiet, loud):
        assert np.abs(prepared.samples).max() <= 10 ** (-1 / 20) + 1e-6
    assert abs(levels_of(quiet.samples, RATE).speech_db - levels_of(loud.samples, RATE).speech_db) < 2.0


def test_the_best_part_of_a_long_recording_is_taken(spoken):
    clean = spoken["ivy"]
    pause = np.zeros(RATE // 2, np.float32)
    noisy = (clean + noise(len(clean), 5, clean)).astype(np.float32)
    recording = np.concatenate([noisy, pause, noisy, pause, clean, pause])
    prepared = prepare_sample(recording, RATE, whole=False)
    took = next(step for step in prepared.steps if step.startswith("took "))
    first, end = float(took.split()[1]), float(took.split()[3])
    assert 3.0 <= end - first <= 15.0
    assert first >= 2 * len(noisy) / RATE - 0.5  # the clean one
    assert abs(prepared.seconds - (end - first)) < 0.11  # both ends are rounded
    assert prepared.warnings == ()


def test_nothing_is_left_out_where_a_transcript_covers_it(spoken):
    recording = np.concatenate([spoken["ivy"]] * 3)
    prepared = prepare_sample(recording, RATE, whole=True)
    assert prepared.seconds > 15.0
    assert any("and a transcript goes with all of it: cut both to 3 to 15 s" in line for line in prepared.warnings)


def test_speech_without_a_pause_is_cut_where_it_is_quietest():
    time = np.arange(30 * RATE) / RATE
    hum = (0.3 * np.sin(2 * np.pi * 150 * time)).astype(np.float32)
    hum[round(10.0 * RATE) : round(10.04 * RATE)] *= 0.5
    assert abs(prepare_sample(hum, RATE, whole=False).seconds - 10.0) < 0.05


def test_silence_behind_an_in_context_sample(speech):
    prepared = prepare_sample(speech, RATE, whole=True)
    behind = prepared.in_context()
    np.testing.assert_array_equal(behind[: len(prepared.samples)], prepared.samples)
    assert len(behind) == len(prepared.samples) + RATE // 2
    assert not behind[len(prepared.samples) :].any()


def test_silence_is_refused():
    with pytest.raises(AudioError, match="the voice sample is silent"):
        prepare_sample(np.full(48_000, 1e-4, np.float32), RATE, whole=True)


@pytest.mark.parametrize("hertz", [80, 110, 150, 220, 330])
def test_pitch(hertz):
    time = np.arange(2 * RATE) / RATE
    buzz = sum(np.sin(2 * np.pi * hertz * n * time) / n for n in range(1, 12)).astype(np.float32) * 0.1
    assert abs(12 * np.log2(np.nanmedian(pitch_of(buzz, RATE)) / hertz)) < 0.5
