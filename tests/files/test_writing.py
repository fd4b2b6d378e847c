"""Outputs: whole under their name or not there, links resolved, pipes streamed into, one run at a time."""

import multiprocessing
import os
import shutil
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import soundfile

from mlx_tts.audio.files import AudioWriter, read_audio
from mlx_tts.audio.formats import FORMATS
from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.files.writing import (
    BusyError,
    OutputFile,
    check_room,
    check_writable,
    fitting_name,
    is_stream,
    only_run,
    write_whole,
)

RATE = 24_000
HUM = (0.3 * np.sin(np.arange(RATE) / 20)).astype(np.float32)


def save(path, samples=HUM):
    writer = AudioWriter(path, RATE)
    writer.write(samples)
    return writer.finish()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "music").mkdir()
    (tmp_path / "out.wav").symlink_to("music/real.wav")
    save(tmp_path / "out.wav")
    assert (tmp_path / "out.wav").is_symlink()
    assert soundfile.info(tmp_path / "music" / "real.wav").frames == RATE
    assert (names(tmp_path), names(tmp_path / "music")) == (["music", "out.wav"], ["real.wav"])


@pytest.mark.parametrize("linked", [False, True])
def test_a_device_or_a_pipe_is_never_replaced(tmp_path, linked):
    """As root, a name given to a new file would take the place of /dev/full for everybody."""
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "pipe"
    if linked:
        path = tmp_path / "link.json"
        path.symlink_to("pipe")
    before = names(tmp_path)
    with pytest.raises(AudioError, match="is a device or a pipe, which is never replaced"):
        write_whole(path, b"data")
    assert (tmp_path / "pipe").is_fifo()
    assert names(tmp_path) == before


def test_a_link_that_leads_to_itself(tmp_path):
    (tmp_path / "out.wav").symlink_to("out.wav")
    with pytest.raises(AudioError, match=r"out\.wav"):
        save(tmp_path / "out.wav")


def test_an_output_that_nobody_took_leaves_nothing(tmp_path):
    """As where no more files can be opened: the output is open, and the code that would write into it does not load."""

    def opened_and_lost():
        output = OutputFile(tmp_path / "out.wav")
        output.write(b"data")
        raise ImportError

    with pytest.raises(ImportError):
        opened_and_lost()
    assert names(tmp_path) == []


def test_a_read_only_file_is_kept(tmp_path):
    (tmp_path / "out.wav").write_bytes(b"mine")
    (tmp_path / "out.wav").chmod(0o444)
    with pytest.raises(AudioError, match="is read-only: choose another name"):
        save(tmp_path / "out.wav")
    assert (tmp_path / "out.wav").read_bytes() == b"mine"


def test_permissions_are_those_of_any_new_file(tmp_path):
    before = os.umask(0o027)
    try:
        save(tmp_path / "out.wav")
    finally:
        os.umask(before)
    assert (tmp_path / "out.wav").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("length", [200, 239, 247, 251])
def test_long_names(tmp_path, length):
    path = tmp_path / ("n" * (length - 4) + ".wav")
    save(path)
    assert names(tmp_path) == [path.name]
    writer = AudioWriter(path, RATE)
    writer.write(HUM)
    kept = writer.abandon()
    assert kept is not None and kept.name.endswith(".partial.wav") and soundfile.info(kept).frames == RATE


def test_a_name_that_is_no_utf_8(tmp_path):
    path = tmp_path / os.fsdecode(b"\xff\xfe.wav")
    try:
        path.touch()
    except OSError:
        pytest.skip("NOT CHECKED: names on this system are UTF-8")
    save(path)
    assert os.listdir(os.fsencode(tmp_path)) == [b"\xff\xfe.wav"]  # noqa: PTH208 (names as bytes)


def test_fitting_names_differ():
    first, second = fitting_name("a" * 300, ".x"), fitting_name("a" * 301, ".x")
    assert len(first) == len(second) == 255 and first != second
    assert fitting_name("a" * 253, ".x") == "a" * 253 + ".x"
    assert len(os.fsencode(fitting_name("é" * 200, ".x"))) <= 255


def test_a_second_writer_is_refused_and_the_first_is_whole(tmp_path):
    first = AudioWriter(tmp_path / "out.wav", RATE)
    first.write(HUM)
    with pytest.raises(BusyError, match="is being written by another run"):
        AudioWriter(tmp_path / "out.wav", RATE)
    first.finish()
    assert soundfile.info(tmp_path / "out.wav").frames == RATE
    save(tmp_path / "out.wav", HUM[:100])
    assert soundfile.info(tmp_path / "out.wav").frames == 100


def test_many_writers_of_one_file(tmp_path):
    """Who is not refused has written a whole file."""
    outcomes = []

    def write(number):
        for _ in range(30):
            try:
                write_whole(tmp_path / "a", bytes([number]) * 1000)
                outcomes.append("written")
            except BusyError:
                outcomes.append("refused")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(1, 5)]
    [thread.start() for thread in threads]
    [thread.join(20) for thread in threads]
    assert len(outcomes) == 120 and "written" in outcomes
    data = (tmp_path / "a").read_bytes()
    assert len(data) == 1000 and len(set(data)) == 1
    assert names(tmp_path) == ["a"]


def _begin_and_die(path, number):
    file = OutputFile(path)
    file.write(b"half")
    os._exit(number)


@pytest.mark.slow
def test_what_a_killed_run_left_is_used_up(tmp_path):
    child = multiprocessing.get_context("spawn").Process(target=_begin_and_die, args=(tmp_path / "a", 9))
    child.start()
    child.join(30)
    assert names(tmp_path) == [".a.unfinished"]
    write_whole(tmp_path / "a", b"whole")
    assert names(tmp_path) == ["a"] and (tmp_path / "a").read_bytes() == b"whole"


@pytest.mark.parametrize("kind", ["link", "pipe", "hard link", "of another account"])
def test_a_strange_file_under_the_hidden_name_is_left_alone(tmp_path, monkeypatch, kind):
    hidden, other = tmp_path / ".a.unfinished", tmp_path / "mine"
    other.write_bytes(b"mine")
    if kind == "link":
        hidden.symlink_to(other)
    elif kind == "pipe":
        os.mkfifo(hidden)
    elif kind == "hard link":
        hidden.hardlink_to(other)
    else:
        hidden.write_bytes(b"theirs")
        us = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: us)
    with pytest.raises((AudioError, OSError)):
        write_whole(tmp_path / "a", b"new")
    assert other.read_bytes() == b"mine" and not (tmp_path / "a").exists()


def test_one_run_at_a_time(tmp_path):
    with only_run(tmp_path / "book.wav"):
        with pytest.raises(BusyError, match=r"book\.wav is being written"), only_run(tmp_path / "book.wav"):
            pass
        with only_run(tmp_path / "other.wav"):
            pass
        assert names(tmp_path) == [".book.wav.run"]
    assert names(tmp_path) == []


class FullDisk(OutputFile):
    """A disk that takes so many bytes and no more; what is there may be written again."""

    most = 0

    def write(self, data):
        at = self.tell()
        if self.error is None and at + len(data) > self.most:
            super().write(data[: max(0, self.most - at)])
            self.error = OSError(28, "No space left on device")
            return 0
        return super().write(data)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.slow
def test_a_disk_that_is_full_at_any_size(tmp_path, monkeypatch, ending):
    monkeypatch.setattr("mlx_tts.audio.files.OutputFile", FullDisk)
    FullDisk.most = 10**9
    whole = save(tmp_path / f"all.{ending}").stat().st_size
    path = tmp_path / f"out.{ending}"
    sizes = [*range(0, whole, max(1, whole // 12)), whole - 1]
    for FullDisk.most in sizes:
        with pytest.raises(AudioError, match="could not write"):
            save(path)
        assert names(tmp_path) == [f"all.{ending}"], FullDisk.most
    FullDisk.most = whole + 2000  # ogg's serial numbers make it a few bytes longer or shorter
    save(path)
    if ending in ("pcm", "aac"):  # bare samples, and a format that rounds its length up to whole frames
        assert whole <= path.stat().st_size + 10
    else:
        assert len(read_audio(path, RATE)) == RATE


def test_a_pipe_under_a_files_name(tmp_path):
    from mlx_tts.audio.sinks import PipeSink

    os.mkfifo(tmp_path / "out.wav")
    heard = []
    reader = threading.Thread(target=lambda: heard.append((tmp_path / "out.wav").read_bytes()))
    reader.start()
    sink = PipeSink(tmp_path / "out.wav", RATE)
    sink.write(HUM)
    assert sink.finish() == tmp_path / "out.wav"
    reader.join(10)
    assert len(heard[0]) == 44 + 2 * RATE
    assert is_stream(tmp_path / "out.wav")


def test_the_command_refuses_what_cannot_be_written(tmp_path):
    from mlx_tts.cli.options import LiveOptions, OutputOptions
    from mlx_tts.cli.output import choose_destination

    def check(name):
        choose_destination(OutputOptions(output=str(tmp_path / name)), LiveOptions())

    os.mkfifo(tmp_path / "out.m4b")
    os.mkfifo(tmp_path / "out.wav")
    (tmp_path / "old.wav").touch(0o444)
    (tmp_path / "away.wav").symlink_to("nowhere/x.wav")
    check("out.wav")
    for name, fault in {
        "out.m4b": "M4B has to be a file",
        "old.wav": "is read-only",
        "away.wav": "no folder .*nowhere",
        "n" * 300 + ".wav": "too long for a file",
        "a\0.wav": "not a name for a file",
    }.items():
        with pytest.raises(RequestError, match=fault):
            check(name)


def test_a_folder_that_is_read_only_is_named(tmp_path, monkeypatch):
    """os.access is replaced: for root no folder is read-only."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mlx_tts.files.writing.os.access", lambda path, mode: False)
    for name, line in {
        "out.wav": "this folder is read-only: choose",
        f"{tmp_path}/a.wav": f"the folder {tmp_path} is",
    }.items():
        with pytest.raises(RequestError, match=line):
            check_writable(Path(name))


def test_the_default_file_in_a_folder_that_is_read_only(tmp_path, monkeypatch):
    from mlx_tts.cli.options import LiveOptions, OutputOptions
    from mlx_tts.cli.output import choose_destination
    from tests.helpers.fakes import FakeSoundDevice

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "sounddevice", FakeSoundDevice(devices=0))
    monkeypatch.setattr("mlx_tts.cli.output.os.access", lambda path, mode: False)
    with pytest.raises(RequestError, match="no sound device, and this folder is read-only: give a file in another"):
        choose_destination(OutputOptions(), LiveOptions())


def test_a_device_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "device")
    (tmp_path / "out.wav").symlink_to("device")
    for path in (tmp_path / "device", tmp_path / "out.wav"):
        with pytest.raises(AudioError, match="is a device or a pipe"):
            write_whole(path, b"x")
        assert is_stream(path)
    file = OutputFile(tmp_path / "other.wav")
    with pytest.raises(AudioError, match="is a device or a pipe"):
        file.finish(tmp_path / "out.wav")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["device", "out.wav"]


def test_what_a_link_in_a_folder_of_our_own_leads_to_stays(tmp_path):
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "000001.json").symlink_to("mine")
    write_whole(tmp_path / "000001.json", b"x", follow=False)
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert not (tmp_path / "000001.json").is_symlink()


def test_what_does_not_fit_the_disk_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(
        shutil, "disk_usage", lambda folder: SimpleNamespace(free=2_000_000 if folder == tmp_path else 0)
    )
    check_room(tmp_path / "made", 2_000_000)
    with pytest.raises(MlxTtsError, match=r"made takes 2\.1 MB and its disk has 2\.0 MB left: free some space"):
        check_room(tmp_path / "made", 2_100_000)
