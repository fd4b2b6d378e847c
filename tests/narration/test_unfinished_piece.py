"""Ctrl-C in the midst of pieces: their frames are kept beside the finished ones, and the resumed run is the same."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from safetensors.numpy import load_file, save_file

from mlx_tts.cli import run
from mlx_tts.narration.piece_store import UNFINISHED_PIECE, PieceStore, UnfinishedPiece, store_folder
from mlx_tts.speech import Unfinished
from tests.helpers.paths import ROOT

FRAMES = np.arange(48, dtype=np.int32).reshape(3, 16)
TEXT = "The old man sat by the sea. Go. No."


def test_frames_are_read_as_they_were_written(tmp_path):
    piece: Unfinished = UnfinishedPiece(tmp_path / "3.unfinished.safetensors")
    assert piece.read(7) is None
    piece.write(1 << 80, FRAMES)
    np.testing.assert_array_equal(piece.read(1 << 80), FRAMES)
    assert piece.read(7) is None, "they were made with another seed"
    latents = np.random.default_rng(0).normal(size=(4, 2, 8)).astype(np.float32)
    piece.write(7, latents)
    np.testing.assert_array_equal(piece.read(7), latents)


@pytest.mark.parametrize("damage", ["cut", "changed", "other", "empty"])
def test_damaged_frames_are_none(tmp_path, damage):
    piece = UnfinishedPiece(tmp_path / "p")
    piece.write(7, FRAMES)
    if damage == "changed":
        stored = load_file(piece.path)
        save_file({**stored, "frames": stored["frames"] + 1}, piece.path)
    elif damage == "other":
        save_file({"frames": FRAMES}, piece.path)
    else:
        piece.path.write_bytes(piece.path.read_bytes()[:-20] if damage == "cut" else b"")
    assert piece.read(7) is None


def test_frames_that_cannot_be_written_stop_nothing(tmp_path):
    UnfinishedPiece(tmp_path / "missing" / "p").write(7, FRAMES)
    assert list(tmp_path.iterdir()) == []


def test_a_finished_piece_and_one_that_is_redone_leave_no_frames(tmp_path):
    store = PieceStore(tmp_path / "s", 24_000)
    store.begin({}, 5, resume=False)
    for end in (lambda: store.write(2, np.zeros(100, np.float32)), lambda: store.forget(2)):
        store.unfinished(2).write(5, FRAMES)
        assert store.unfinished_pieces == 1
        end()
        assert store.unfinished_pieces == 0


def line(*more: str) -> list[str]:
    return ["speak", TEXT, "--model", "tiny", "--voice", "hazel", "--seed", "3", "--sentence-pause", "0.2", *more]


def interrupted(output: str, rows: int) -> str:
    """Begin, wait until frames are surely made, press Ctrl-C; what was told."""
    folder = store_folder(Path(output))
    shutil.rmtree(folder, ignore_errors=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "mlx_tts", *line("-o", output, "--batch", str(rows))],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    until = time.monotonic() + 120
    while not (folder / "manifest.json").exists() and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(0.4)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=120)[1]
    assert process.returncode == 130, told
    return told


@pytest.mark.slow
@pytest.mark.smoke("1")
@pytest.mark.parametrize("rows", [1, 3])
def test_ctrl_c_keeps_work_half_done(tmp_path, monkeypatch, capfd, rows):
    monkeypatch.chdir(tmp_path)
    assert run(line("-o", "whole.wav", "--batch", str(rows))) == 0
    folder = store_folder(tmp_path / "cut.wav")
    for _ in range(20):  # one stop may come before the first frame, or behind the last
        told = interrupted("cut.wav", rows)
        if kept := list(folder.glob(f"0*{UNFINISHED_PIECE}")):
            break
    assert kept, "no frames were kept in 20 attempts"
    assert re.search(r"the beginnings? of \d( of 3 pieces| more) (is|are) kept: the same command with --resume", told)
    capfd.readouterr()
    assert run(line("-o", "cut.wav", "--batch", str(rows), "--resume")) == 0
    assert re.search(r"the beginnings? of \d( of 3 pieces| more) (is|are) there already", capfd.readouterr().err)
    whole, cut = (soundfile.read(name, dtype="int16")[0] for name in ("whole.wav", "cut.wav"))
    np.testing.assert_array_equal(whole, cut)
    assert not folder.exists() and not list(tmp_path.glob("*partial*"))
