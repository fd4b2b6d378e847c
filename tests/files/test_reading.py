"""The reader of small files: what is not a regular file of sane size, text or JSON is refused at once and by name."""

import contextlib
import errno
import io
import os
import random
import threading

import numpy as np
import pytest
import soundfile

from mlx_tts.errors import AudioError
from mlx_tts.files.reading import (
    QuietFile,
    UnreadableFileError,
    open_regular,
    parse_json,
    read_bytes,
    read_json,
    read_json_object,
    read_text,
    read_toml,
)


def test_what_is_there(tmp_path):
    (tmp_path / "a.json").write_text('\ufeff{"a": [1, 2.5, "é"]}', encoding="utf-8")
    assert read_json(tmp_path / "a.json") == {"a": [1, 2.5, "é"]}
    (tmp_path / "link").symlink_to("a.json")
    assert read_bytes(tmp_path / "link").startswith(b"\xef\xbb\xbf{")
    (tmp_path / "a.toml").write_text("a = 1")
    assert read_toml(tmp_path / "a.toml") == {"a": 1}


@pytest.mark.parametrize("name", ["missing", "a.json/below"])
def test_a_missing_file_is_not_a_fault(tmp_path, name):
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(FileNotFoundError):
        read_json(tmp_path / name)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/tty", "/dev"])
def test_devices_and_folders(device, tmp_path):
    (tmp_path / "config.json").symlink_to(device)
    with pytest.raises(UnreadableFileError, match=r"is not a regular file|cannot be opened"):
        read_bytes(tmp_path / "config.json")


def test_a_named_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    refused = []

    def read():
        with pytest.raises(UnreadableFileError):
            open_regular(tmp_path / "pipe")
        refused.append(True)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(5)
    assert refused


def test_size(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 11)
    assert len(read_bytes(tmp_path / "a", 11)) == 11
    with pytest.raises(UnreadableFileError, match="more than 10 bytes"):
        read_bytes(tmp_path / "a", 10)


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"\xff\xfe{}", "is not UTF-8 text .byte 0"),
        (b"{", "cannot be read as JSON"),
        (b"", "cannot be read as JSON"),
        (b"[1]", "holds no JSON object"),
        (b'{"a": NaN}', "holds NaN"),
        (b'{"a": -Infinity}', "holds -Infinity"),
        (b'{"a": ' + b"9" * 5000 + b"}", "thousands of digits"),
        (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "nested too deeply"),
        (b'{"a": ' + b"[" * 500_000 + b"]" * 500_000 + b"}", "nested too deeply"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
    ],
)
def test_json_that_is_refused(tmp_path, data, fault):
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(UnreadableFileError, match=fault):
        read_json_object(tmp_path / "a.json")


def test_depth_that_is_in_use():
    assert parse_json("[" * 60 + "]" * 60)


@pytest.mark.parametrize("text", ["a = ", "a = " + "[" * 100_000, "a = 1\na = 2", "a = " + "1" * 5000])
def test_toml_that_is_refused(tmp_path, text):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(UnreadableFileError, match=r"is not TOML|nested too deeply"):
        read_toml(tmp_path / "a.toml")


@pytest.mark.parametrize(("levels", "is_read"), [(60, True), (70, False)])
@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ("{b = ", "}")])
def test_depth_of_toml(tmp_path, levels, is_read, begin, end):
    (tmp_path / "a.toml").write_text(f"a = {begin * levels}{'1' if end == '}' else ''}{end * levels}")
    if is_read:
        assert set(read_toml(tmp_path / "a.toml")) == {"a"}
    else:
        with pytest.raises(UnreadableFileError, match="nested too deeply"):
            read_toml(tmp_path / "a.toml")


def test_a_name_that_is_none(tmp_path):
    with pytest.raises(UnreadableFileError, match="is not a name"):
        read_text(tmp_path / "a\0b")


class Stubborn(io.BytesIO):
    """Can be neither read nor moved about in, like a file of a broken disk or of another process's memory."""

    def read(self, size=-1):
        raise OSError(errno.EIO, "Input/output error")

    readinto = read


def test_a_quiet_file_passes_no_exception_to_a_library():
    file = QuietFile(Stubborn(b"1234"))
    assert file.read() == b""
    assert file.readinto(bytearray(3)) == 0
    assert (file.seek(2), file.seek(-5), file.tell()) == (2, 2, 2)
    assert QuietFile(io.BytesIO(b"1234")).read(2) == b"12"


@pytest.mark.slow
@pytest.mark.smoke("16")
@pytest.mark.parametrize("count", [16, 150])
@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_damaged_recording_is_one_error_and_nothing_on_standard_error(tmp_path, capfd, count):
    """libsndfile follows what such a file says of its own length to places that do not exist."""
    from mlx_tts.audio.files import read_audio

    soundfile.write(tmp_path / "a.aiff", np.sin(np.arange(24_000) / 9), 24_000)
    data = (tmp_path / "a.aiff").read_bytes()
    chance = random.Random(5)
    for _ in range(count):
        damaged = bytearray(data)
        for _ in range(chance.choice((1, 2, 8))):
            damaged[chance.randrange(60)] = chance.choice((0, 0x7F, 0x80, 0xFF))
        (tmp_path / "b.aiff").write_bytes(damaged)
        with contextlib.suppress(AudioError):
            read_audio(tmp_path / "b.aiff", 24_000)
    assert capfd.readouterr() == ("", "")


def test_a_rate_of_a_hertz_makes_no_gigabytes(tmp_path):
    """A second of sound whose header says one sample a second would be a day at 24 kHz."""
    from mlx_tts.audio.files import read_audio

    soundfile.write(tmp_path / "a.wav", np.zeros(24_000, np.float32), 1)
    with pytest.raises(AudioError, match="too long to be read at once"):
        read_audio(tmp_path / "a.wav", 24_000)
