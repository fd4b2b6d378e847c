"""Any recording in, mono float32 out; speech out under its name only when it is whole."""

import os
from dataclasses import replace

import av
import numpy as np
import pytest
import soundfile

from mlx_tts.audio.files import AudioWriter, read_audio, resample
from mlx_tts.audio.formats import ENDINGS, FORMATS
from mlx_tts.errors import AudioError, RequestError

RATE = 24_000


def tone(seconds: float, rate: int = RATE, frequency: float = 440.0) -> np.ndarray:
    return (0.5 * np.sin(2 * np.pi * frequency / rate * np.arange(round(seconds * rate)))).astype(np.float32)


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 24_000, 44_100, 48_000, 96_000])
@pytest.mark.parametrize("channels", [1, 2, 6])
def test_any_rate_and_channel_count(tmp_path, rate, channels):
    soundfile.write(tmp_path / "in.wav", np.repeat(tone(1, rate)[:, None], channels, axis=1), rate, subtype="FLOAT")
    samples = read_audio(tmp_path / "in.wav", RATE)
    assert samples.dtype == np.float32
    assert samples.shape == (RATE,)
    middle = slice(RATE // 10, -RATE // 10)  # a resampling filter rings at the ends
    np.testing.assert_allclose(samples[middle], tone(1)[middle], atol=2e-3)


def test_channels_are_averaged(tmp_path):
    soundfile.write(tmp_path / "in.wav", np.stack([tone(1), -tone(1) / 2], axis=1), RATE, subtype="FLOAT")
    np.testing.assert_allclose(read_audio(tmp_path / "in.wav", RATE), tone(1) / 4, atol=1e-6)


@pytest.mark.parametrize("name", ["in.aiff", "in.caf", "in.au", "in.flac", "in.ogg", "in.mp3", "in.w64"])
def test_any_format(tmp_path, name):
    soundfile.write(tmp_path / name, tone(1), RATE)
    samples = read_audio(tmp_path / name, RATE)
    assert len(samples) == RATE
    assert np.corrcoef(samples, tone(1))[0, 1] > 0.98


def test_a_wrong_extension_does_not_matter(tmp_path):
    soundfile.write(tmp_path / "in.flac", tone(1), RATE)
    (tmp_path / "in.flac").rename(tmp_path / "in.wav")
    assert len(read_audio(tmp_path / "in.wav", RATE)) == RATE


@pytest.mark.parametrize(
    ("samples", "says"),
    [
        (tone(0.49), r"is 0\.49 s long: a voice sample needs at least 0\.5 s"),
        (tone(60.5), r"is 60 s long: cut the voice sample to 60 s or less"),
        (np.zeros(RATE), "is silent"),
        (tone(1) * 1e-3, "is silent"),
        (np.where(np.arange(RATE) == 5000, np.nan, tone(1)), "holds samples that are not numbers"),
        (np.where(np.arange(RATE) == 5000, np.inf, tone(1)), "holds samples that are not numbers"),
        (np.where(np.arange(RATE) == 5000, 3e38, tone(1)), "holds samples up to 3e.38, which is not sound"),
        (np.zeros(0), "holds no sound"),
    ],
    ids=["short", "long", "zeros", "hiss", "nan", "infinity", "beyond floats", "nothing"],
)
def test_a_voice_sample_that_will_not_do(tmp_path, samples, says):
    soundfile.write(tmp_path / "in.wav", samples, RATE, subtype="FLOAT")
    with pytest.raises(AudioError, match=says):
        read_audio(tmp_path / "in.wav", RATE, 0.5, 60.0)


def test_the_limits_are_inclusive_and_the_callers(tmp_path):
    for seconds in (0.5, 60.0):
        soundfile.write(tmp_path / "in.wav", tone(seconds), RATE)
        assert len(read_audio(tmp_path / "in.wav", RATE, 0.5, 60.0)) == seconds * RATE
    soundfile.write(tmp_path / "in.wav", np.zeros(100), RATE)
    assert len(read_audio(tmp_path / "in.wav", RATE)) == 100


def test_what_is_no_audio(tmp_path):
    (tmp_path / "text.wav").write_text("hello")
    (tmp_path / "empty.wav").touch()
    soundfile.write(tmp_path / "cut.flac", tone(1), RATE)
    (tmp_path / "cut.flac").write_bytes((tmp_path / "cut.flac").read_bytes()[:20])
    for name, says in (
        ("text.wav", "is not audio"),
        ("cut.flac", "is not audio"),
        ("empty.wav", "is empty"),
        ("gone", "no audio file"),
    ):
        with pytest.raises(AudioError, match=says):
            read_audio(tmp_path / name, RATE)


def test_resampling_keeps_pitch_and_level():
    samples = resample(tone(1, 48_000), 48_000, RATE)
    assert len(samples) == RATE
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(RATE)))
    assert spectrum.argmax() == 440
    same = tone(1)
    np.testing.assert_array_equal(resample(same, RATE, RATE), same)


@pytest.mark.parametrize("extension", sorted(set(ENDINGS) - {".pcm"}))
def test_written_in_pieces_and_read_back(tmp_path, extension):
    path = tmp_path / f"out{extension}"
    speech = tone(3)
    writer = AudioWriter(path, RATE)
    for piece in np.split(speech, [1, 1920, 1921, 50_000]):
        assert not path.exists()
        writer.write(piece)
    assert writer.finish() == path
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    samples = read_audio(path, RATE)
    if extension == ".aac":  # says nothing of its length and of the 1024 samples that come before the first
        assert 1024 <= len(samples) - len(speech) <= 2048
        samples = samples[1024 : 1024 + len(speech)]
    assert len(samples) == len(speech)
    if extension in (".wav", ".flac"):
        np.testing.assert_allclose(samples, speech, atol=2 / 32768)
    else:
        assert np.corrcoef(samples, speech)[0, 1] > 0.99


@pytest.mark.slow
def test_minutes_in_one_call(tmp_path):
    for extension in (".wav", ".flac", ".mp3", ".ogg", ".opus"):
        writer = AudioWriter(tmp_path / f"out{extension}", RATE)
        writer.write(tone(180))
        assert soundfile.info(writer.finish()).frames == 180 * RATE


def test_louder_than_full_scale_is_clipped(tmp_path):
    writer = AudioWriter(tmp_path / "out.wav", RATE)
    writer.write(np.array([2.0, -2.0, 0.0], np.float32))
    np.testing.assert_allclose(soundfile.read(writer.finish())[0], [1, -1, 0], atol=1e-4)


def test_an_old_file_is_kept_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "out.wav"
    path.write_text("old")
    writer = AudioWriter(path, RATE)
    writer.write(tone(1))
    assert path.read_text() == "old"
    writer.finish()
    assert soundfile.info(path).frames == RATE


def test_the_file_is_readable_as_the_umask_says(tmp_path):
    old = os.umask(0o027)
    try:
        writer = AudioWriter(tmp_path / "out.wav", RATE)
        writer.write(tone(0.1))
        assert writer.finish().stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(old)


def test_abandoned_speech_is_kept_under_a_name_that_says_so(tmp_path):
    writer = AudioWriter(tmp_path / "out.flac", RATE)
    writer.write(tone(1))
    assert writer.abandon() == tmp_path / "out.partial.flac"
    assert soundfile.info(tmp_path / "out.partial.flac").frames == RATE
    assert len(list(tmp_path.iterdir())) == 1


def test_nothing_spoken_leaves_nothing(tmp_path):
    assert AudioWriter(tmp_path / "out.wav", RATE).abandon() is None
    writer = AudioWriter(tmp_path / "out.wav", RATE)
    writer.discard()
    assert writer.abandon() is None
    assert list(tmp_path.iterdir()) == []


def test_abandoning_what_is_finished_keeps_it(tmp_path):
    writer = AudioWriter(tmp_path / "out.wav", RATE)
    writer.write(tone(1))
    writer.finish()
    assert writer.abandon() == tmp_path / "out.wav"
    assert [path.name for path in tmp_path.iterdir()] == ["out.wav"]


def test_unknown_extensions_and_folders_are_refused(tmp_path):
    with pytest.raises(RequestError, match=r"use \.wav, \.flac, \.mp3, \.ogg, \.opus"):
        AudioWriter(tmp_path / "out.xyz", RATE)
    with pytest.raises(AudioError, match="cannot write into"):
        AudioWriter(tmp_path / "gone" / "out.wav", RATE)


def test_a_libsndfile_without_the_format_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(ENDINGS, ".ogg", replace(FORMATS["ogg"], codec="PCM_16"))
    with pytest.raises(AudioError, match=r"libsndfile cannot write ogg .*use \.wav"):
        AudioWriter(tmp_path / "out.ogg", RATE)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("container", "codec"), [("ipod", "aac"), ("webm", "libopus")])
def test_recordings_of_telephones_and_browsers(tmp_path, container, codec):
    path = tmp_path / {"ipod": "me.m4a", "webm": "me.webm"}[container]
    wave = (8000 * np.sin(2 * np.pi * 220 / 48_000 * np.arange(96_000))).astype(np.int16)
    with av.open(str(path), "w", format=container) as file:
        stream = file.add_stream(codec, rate=48_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(wave[None], format="s16", layout="mono")
        frame.sample_rate = 48_000
        for part in (*av.AudioResampler(stream.format, "mono", 48_000).resample(frame), None):
            file.mux(stream.encode(part))
    samples = read_audio(path, 24_000, 0.5, 60.0)
    assert len(samples) == pytest.approx(48_000, abs=2_500)
    middle = samples[12_000:36_000]
    assert np.argmax(np.abs(np.fft.rfft(middle))) == 220
    with pytest.raises(AudioError, match=r"me\.\w+ is longer than 1 s: cut it"):
        read_audio(path, 24_000, 0.5, 1.0)
    (tmp_path / "notes.m4a").write_text("not audio")
    with pytest.raises(AudioError, match="is not audio this program reads"):
        read_audio(tmp_path / "notes.m4a", 24_000)


@pytest.mark.parametrize("subtype", ["GSM610", "G721_32"])
def test_codecs_of_telephones_that_libsndfile_cannot_seek_in(tmp_path, subtype):
    soundfile.write(tmp_path / "me.wav", tone(1, 8_000, 220), 8_000, subtype=subtype)
    samples = read_audio(tmp_path / "me.wav", RATE, 0.5, 60.0)
    assert len(samples) == pytest.approx(RATE, abs=1_000)
    assert np.argmax(np.abs(np.fft.rfft(samples[:RATE], RATE))) == 220
