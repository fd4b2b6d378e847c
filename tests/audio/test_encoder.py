"""One encoder: parts of any size give the same sound, streams hold what files hold, and lengths are right."""

import hashlib
import io
from fractions import Fraction

import av
import numpy as np
import pytest
import soundfile

from mlx_tts.audio.encoder import BookInfo, corrected, open_encoder, picture_size, to_pcm16
from mlx_tts.audio.files import decode
from mlx_tts.audio.formats import FORMATS, STREAMED
from mlx_tts.errors import AudioError

RATE = 24_000
ODD_SIZES = (1, 7, 1919, 0, 1921, 24_001, 333)
WAYS = [(name, to_file) for name in FORMATS for to_file in (True, False) if to_file or name in STREAMED]
random = np.random.default_rng(7)
SPEECH = (0.4 * np.sin(np.arange(3 * RATE) / 20) * np.sin(np.arange(3 * RATE) / 3000)).astype(np.float32)
SPEECH += (0.01 * random.standard_normal(len(SPEECH))).astype(np.float32)


def encoded(name, to_file, sizes, rate=RATE, samples=SPEECH) -> bytes:
    book = BookInfo("A title") if FORMATS[name].chapters else None
    encoder = open_encoder(FORMATS[name], rate, to_file, book)
    parts, at = [], 0
    while at < len(samples):
        for size in sizes:
            parts.append(encoder.encode(samples[at : at + size]))
            at += size
    parts.append(encoder.finish())
    assert to_file or FORMATS[name].library != "ffmpeg" or not encoder.corrections
    data = b"".join(parts)
    return corrected(data, encoder.corrections) if to_file else data


def decoded(name: str, data: bytes, rate: int = RATE) -> np.ndarray:
    if name == "pcm":
        return np.frombuffer(data, "<i2") / np.float32(32767)
    try:
        return decode(io.BytesIO(data), rate, most_seconds=60)
    except AudioError:  # a format that FFmpeg may not be asked to read is written and read by libsndfile
        return soundfile.read(io.BytesIO(data), dtype="float32")[0]


@pytest.mark.parametrize(("name", "to_file"), WAYS)
def test_parts_of_odd_sizes_give_the_same_sound(name, to_file):
    at_once, in_parts = (encoded(name, to_file, sizes) for sizes in ((len(SPEECH),), ODD_SIZES))
    if name not in ("ogg", "opus"):  # whose streams have a random number
        assert at_once == in_parts
    np.testing.assert_allclose(decoded(name, at_once), decoded(name, in_parts), atol=0)


@pytest.mark.parametrize(("name", "to_file"), WAYS)
def test_the_sound_is_what_was_given(name, to_file):
    sound = decoded(name, encoded(name, to_file, ODD_SIZES))
    # Streams of MP3 and AAC, and AAC without a container, say nothing of what the encoder puts before and behind.
    before = {("mp3", False): 1105, ("aac", True): 1024, ("aac", False): 1024}.get((name, to_file), 0)
    assert 0 <= len(sound) - before - len(SPEECH) < (1152 if before or (name, to_file) == ("m4a", False) else 1)
    sound = sound[before : before + len(SPEECH)]
    if FORMATS[name].lossless:
        np.testing.assert_allclose(sound, SPEECH, atol=2 / 32768)
    else:
        assert np.corrcoef(sound, SPEECH)[0, 1] > 0.98


@pytest.mark.parametrize("name", ["wav", "flac", "mp3", "m4a", "m4b"])
def test_a_file_says_how_long_it_is(name):
    with av.open(io.BytesIO(encoded(name, True, ODD_SIZES))) as container:
        assert container.duration / 1e6 == pytest.approx(3.0, abs=1e-3)


@pytest.mark.parametrize("name", ["wav", "flac"])
def test_files_have_the_bytes_of_libsndfile(name):
    """What a seed gave before there was one encoder."""
    expected = io.BytesIO()
    format = FORMATS[name]
    with soundfile.SoundFile(expected, "w", RATE, 1, format.codec, format=format.container) as file:
        file.write(2 * SPEECH)  # with peaks above 1
    assert encoded(name, True, ODD_SIZES, samples=2 * SPEECH) == expected.getvalue()


@pytest.mark.parametrize("name", ["wav", "flac", "pcm"])
def test_streams_have_the_samples_of_pcm(name):
    data = encoded(name, False, ODD_SIZES)
    scale = 32767 if name == "pcm" else 32768
    assert np.round(decoded(name, data) * scale).astype("<i2").tobytes() == to_pcm16(SPEECH)


def test_16_bits_are_rounded_in_three_ways():
    """Which the module's docstring explains: all of them are bytes that a seed promises."""
    samples = random.uniform(-1, 1, 10_000).astype(np.float32)
    given = {name: soundfile.read(io.BytesIO(encoded(name, True, ODD_SIZES, samples=samples)), dtype="int16")[0]
             for name in ("wav", "flac")}  # fmt: skip
    np.testing.assert_array_equal(given["wav"], np.floor(samples * 32768))
    np.testing.assert_array_equal(given["flac"], np.rint(samples * 32768).clip(-32768, 32767))
    np.testing.assert_array_equal(np.frombuffer(to_pcm16(samples), "<i2"), np.rint(samples * np.float32(32767)))


def test_a_wav_stream_gets_its_sizes_by_corrections():
    encoder = open_encoder(FORMATS["wav"], RATE, to_file=False)
    data = encoder.encode(SPEECH) + encoder.finish()
    assert data[4:8] == data[40:44] == b"\xff" * 4
    whole = corrected(data, encoder.corrections)
    assert int.from_bytes(whole[4:8], "little") == len(whole) - 8
    assert int.from_bytes(whole[40:44], "little") == len(whole) - 44 == 2 * len(SPEECH)


@pytest.mark.parametrize(("name", "to_file"), WAYS)
def test_no_sound_at_all(name, to_file):
    encoder = open_encoder(FORMATS[name], RATE, to_file, BookInfo("A title") if FORMATS[name].chapters else None)
    assert encoder.encode(SPEECH[:0]) == b""
    assert len(encoder.finish()) < 5_000


def test_a_rate_that_the_format_lacks_becomes_the_next_one():
    sound = decoded("opus", encoded("opus", True, ODD_SIZES, rate=22_050), 22_050)
    assert len(sound) == pytest.approx(len(SPEECH), abs=2)
    assert np.corrcoef(sound[: len(SPEECH)], SPEECH[: len(sound)])[0, 1] > 0.98


def test_the_same_sound_has_the_same_bytes_in_every_run():
    digests = {hashlib.sha256(encoded("mp3", True, (size,))).hexdigest() for size in (100, 2400)}
    assert len(digests) == 1


@pytest.mark.slow
def test_long_sound_does_not_stay_in_the_memory():
    encoder = open_encoder(FORMATS["m4b"], RATE, True, BookInfo("A title"))
    for chapter in range(20):
        encoder.begin_chapter(chapter)
        assert len(encoder.encode(SPEECH)) > 10_000, "the bytes leave while it is encoded"
    encoder.finish()
    assert sum(len(data) for _, data in encoder.corrections) < 100


def test_a_cover_is_read_as_a_picture_alone():
    """A text that other demuxers would take for a list of addresses to open is left out."""
    session = b"v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n"
    encoder = open_encoder(FORMATS["m4b"], RATE, True, BookInfo("A title", cover=session))
    data = encoder.encode(SPEECH) + encoder.finish()
    with av.open(io.BytesIO(corrected(data, encoder.corrections))) as book:
        assert len(book.streams) == 1


@pytest.mark.parametrize(("name", "codec"), [("PNG", "png"), ("JPEG", "mjpeg")])
def test_the_size_of_a_picture_is_read_from_its_first_bytes(name, codec):
    frame = av.VideoFrame.from_ndarray(np.zeros((46, 64, 3), np.uint8), "rgb24")
    context = av.CodecContext.create(codec, "w")
    context.width, context.height, context.time_base = 64, 46, Fraction(1, 1)
    context.pix_fmt = "rgb24" if codec == "png" else "yuvj420p"
    frame = frame.reformat(format=context.pix_fmt)
    frame.pts = 0
    data = b"".join(bytes(packet) for packet in [*context.encode(frame), *context.encode(None)])
    assert picture_size(data) == (codec, 64, 46)
    for length in range(len(data)):
        assert picture_size(data[:length]) in (None, (codec, 64, 46))
    for broken in (b"", b"v=0\no=- 0 0 IN IP4 127.0.0.1\n", b"\xff\xd8" + b"\xff" * 100, data[:16] + bytes(100)):
        assert picture_size(broken) is None or broken.startswith(data[:20])
