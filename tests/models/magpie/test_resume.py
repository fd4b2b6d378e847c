"""A speech in pieces that was stopped goes on as if it had not been: state and word times are kept with each piece."""

import json
import shutil

import pytest

from mlx_tts.cli import run
from mlx_tts.narration.piece_store import PieceStore

TEXT = "This is a test. How are you? You read it. The fox is."
PIECES = 4


@pytest.fixture(scope="module")
def whole(magpie, tmp_path_factory):
    """The speech made in one go, with its subtitles and its store; and the command line for it."""
    folder, model = tmp_path_factory.mktemp("whole"), str(magpie("baked_s1").folder)
    # Random weights do not end by themselves: the guard would only make each piece again.
    line = ["speak", TEXT, "--model", model, "--language", "en", "--seed", "1", "--sentence-pause", "0.1"]
    line += ["--no-guard", "--subtitle-level", "word", "--keep-pieces"]
    assert run([*line, "-o", str(folder / "a.wav"), "--subtitles", str(folder / "a.json")]) == 0
    return folder, line


def gone_on(whole, tmp_path, *missing):
    """The same command with --resume, where these files of the store are not there."""
    folder, line = whole
    shutil.copytree(folder / "a.wav.pieces", tmp_path / "b.wav.pieces")
    for name in missing:
        (tmp_path / "b.wav.pieces" / name).unlink()
    out = ["-o", str(tmp_path / "b.wav"), "--subtitles", str(tmp_path / "b.json"), "--resume"]
    assert run([*line, *out]) == 0
    assert (tmp_path / "b.wav").read_bytes() == (folder / "a.wav").read_bytes()
    assert (tmp_path / "b.json").read_bytes() == (folder / "a.json").read_bytes()


@pytest.mark.smoke("two", "state")
@pytest.mark.slow
@pytest.mark.parametrize(
    "missing",
    [
        (),
        ("000003.flac",),
        ("000002.flac", "000003.flac", "000003.json", "000003.safetensors"),
        ("000001.flac",),  # between pieces that are there
        ("000001.safetensors",),  # of a piece that is of no use without it
        ("000000.flac", "000000.json", "000000.safetensors"),
    ],
    ids=["nothing", "last", "two", "middle", "state", "first"],
)
def test_a_resumed_speech_is_the_uninterrupted_one(whole, tmp_path, missing):
    gone_on(whole, tmp_path, *missing)


@pytest.mark.slow
def test_a_damaged_state_is_made_again(whole, tmp_path):
    folder, _ = whole
    good = (folder / "a.wav.pieces" / "000001.safetensors").read_bytes()
    (folder / "a.wav.pieces" / "000001.safetensors").write_bytes(good[: len(good) // 2])
    gone_on(whole, tmp_path)


@pytest.mark.slow
def test_each_word_has_its_time(whole):
    folder, _ = whole
    words = json.loads((folder / "a.json").read_text())
    assert [entry["text"] for entry in words if entry["level"] == "word"] == TEXT.split()
    starts = [entry["start"] for entry in words if entry["level"] == "word"]
    assert starts == sorted(starts)


@pytest.mark.slow
def test_the_times_are_the_models_own(whole, magpie):
    """They fall on the model's frames; times that are worked out from the letters do not."""
    folder, _ = whole
    store = PieceStore(folder / "a.wav.pieces", 22_050)
    frame = 1 / magpie("baked_s1").tts.info.frame_rate
    for number in range(PIECES):
        marks = store.marks(number)
        assert [mark.text for mark in marks] == [sentence.split() for sentence in sentences()][number]
        for mark in marks:
            assert abs(mark.start / frame - round(mark.start / frame)) < 0.02


def sentences():
    return [part + (sign if part else "") for part, sign in split(TEXT)]


def split(text):
    import re

    return [(found[1].strip(), found[2]) for found in re.finditer(r"([^.?]+)([.?])", text)]
