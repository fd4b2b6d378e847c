"""The table: every name and ending is found, and what is not there is refused with the list."""

from pathlib import Path

import pytest

from mlx_tts.audio.formats import ENDINGS, FORMATS, STREAMED, format_named, format_of
from mlx_tts.errors import RequestError


def test_every_ending_and_name_is_of_one_format():
    for name, format in FORMATS.items():
        assert format.name == name
        assert format_of(Path(f"a{format.ending}")) is format_of(Path(f"a{format.ending.upper()}")) is format
    assert len(ENDINGS) == len(FORMATS)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("a", r'^"a" has no file extension: use \.wav, \.flac, \.mp3, \.ogg, \.opus, \.aac, \.m4a, \.m4b, \.pcm$'),
        ("a.b/c", r'^"a.b/c" has no file extension: use \.wav'),
        ("a.xyz", r"^a\.xyz ends in '\.xyz', which is not an audio format: use \.wav, \.flac"),
    ],
)
def test_other_files_are_refused(path, says):
    with pytest.raises(RequestError, match=says):
        format_of(Path(path))


def test_streams_are_named():
    for name in STREAMED:
        assert format_named(name) is FORMATS[name]
    for name in ("m4b", "WAV", ".wav", ""):
        with pytest.raises(RequestError, match=r"^--format is .*: use wav, flac, mp3, ogg, opus, aac, m4a, pcm$"):
            format_named(name)


@pytest.mark.parametrize(
    ("name", "rate", "written"),
    [("wav", 44_100, 44_100), ("opus", 22_050, 24_000), ("opus", 44_100, 48_000), ("mp3", 96_000, 48_000)],
)
def test_the_next_rate_that_a_format_has(name, rate, written):
    assert FORMATS[name].rate_for(rate) == written
