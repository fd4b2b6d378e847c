"""The reader of small files: what is no regular file of sane size, text or JSON is refused at once and by name."""

import os
import threading

import pytest

from mlx_tts.files.reading import (
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
    with pytest.raises(UnreadableFileError, match=r"is no regular file|cannot be opened"):
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
        (b"\xff\xfe{}", "is no UTF-8 text .byte 0"),
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
    with pytest.raises(UnreadableFileError, match=r"is no TOML|nested too deeply"):
        read_toml(tmp_path / "a.toml")


def test_a_name_that_is_none(tmp_path):
    with pytest.raises(UnreadableFileError, match="is no name"):
        read_text(tmp_path / "a\0b")
