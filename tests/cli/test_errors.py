"""Bad input: one line on standard error, the right exit code, no traceback, no weights read, nothing left behind."""

import io
import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from mlx_tts.cli import run
from mlx_tts.models import families
from tests.cli.test_speak import FAKES, place, sample  # noqa: F401 (place is a fixture)
from tests.helpers.fakes import CHECKPOINT_FILES, FakeModels, make_folder

CUSTOM = "--model home/custom_voice"
BASE = "--model home/base"
DESIGN = "--model home/voice_design"
REAL_OPEN = families.open_checkpoint


@pytest.fixture(scope="module")
def texts_and_sounds(tmp_path_factory):
    """A folder of files that are wrong in one way each, and of some that are not."""
    folder = tmp_path_factory.mktemp("texts and sounds")
    (folder / "latin1.txt").write_bytes("schön".encode("latin-1"))
    (folder / "notes.wav").write_text("not audio")
    (folder / "empty.wav").touch()
    soundfile.write(folder / "nothing.wav", np.zeros(0), 24_000)
    soundfile.write(folder / "silent.wav", np.zeros(48_000), 24_000)
    soundfile.write(folder / "nan.wav", np.full(48_000, np.nan), 24_000, subtype="FLOAT")
    sample(folder / "short.wav", seconds=0.4)
    sample(folder / "long.wav", seconds=61, rate=8000, channels=1)
    sample(folder / "good.wav")
    return folder


@pytest.fixture(autouse=True)
def models(monkeypatch, place, texts_and_sounds):  # noqa: F811
    """The humming model; whatever is loaded in spite of bad arguments fails the test."""
    fake = FakeModels()
    monkeypatch.setattr("mlx_tts.models.families.open_checkpoint", fake.open_checkpoint)
    monkeypatch.setattr("mlx_tts.api.load_checkpoint", fake.load_checkpoint)
    for kind in ("custom_voice", "base", "voice_design"):
        make_folder(place / "home" / kind)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b" \n"), encoding="utf-8"))
    shutil.copytree(texts_and_sounds, place / "home", dirs_exist_ok=True)
    yield fake
    assert fake.synthesizers == [], "weights were read before the arguments were checked"


ROWS = [
    # text
    ("speak|| -o out.wav", 2, "the text is empty"),
    ("speak|  | -o out.wav", 2, "the text is empty"),
    ("speak -o out.wav", 2, "standard input is empty"),
    ("speak - -o out.wav", 2, "standard input is empty"),
    ("speak Hi --file home/latin1.txt -o out.wav", 2, "give one of them"),
    ("speak --file missing.txt -o out.wav", 2, "cannot read missing.txt: no such file"),
    # names
    ("speak Hi --voice Rian -o out.wav", 2, "unknown voice 'Rian': did you mean Ryan (0.6b-custom-8bit)"),
    ("speak Hi --voice ivi -o out.wav", 2, "or ivy (tiny)? `mlx-tts voices` lists all"),
    ("speak Hi --voice xyz -o out.wav", 2, "'xyz': try one of miles, ivy, rowan, hazel; `mlx-tts voices` lists all"),
    (f"speak Hi --voice rian {CUSTOM} -o out.wav", 2, "did you mean ryan? this model has serena, uncle_fu"),
    (
        f"speak Hi --voice af_hart {CUSTOM} -o out.wav",
        2,
        "no voice 'af_hart': did you mean af_heart (kokoro)? then leave --",
    ),
    (f"speak Hi --voice xyz {CUSTOM} -o out.wav", 2, "unknown voice 'xyz': this model has serena, uncle_fu"),
    (f"speak Hi --language klingon {CUSTOM} -o out.wav", 2, "unknown language 'klingon': use auto, chinese"),
    (f"speak Hi --language ko {CUSTOM} -o out.wav", 2, "does not speak Korean: give --model 0.6b-custom-8bit"),
    (f"speak Hi --language Germn {CUSTOM} -o out.wav", 2, "did you mean german?"),
    ("speak Hi --model 0.6b-custom-9bit -o out.wav", 2, "did you mean 0.6b-custom-"),
    ("speak Hi --model ./nowhere -o out.wav", 2, "no folder './nowhere'"),
    (f"speak Hi {CUSTOM} -o out.xyz", 2, "'.xyz', which is not an audio format: use .wav, .flac, .mp3, .ogg, .opus"),
    (f"speak Hi {CUSTOM} -o out", 2, '"out" has no file extension: use .wav, .flac, .mp3'),
    (f"speak Hi {CUSTOM} -o - --format m4b", 2, "'m4b': use wav, flac, mp3, ogg, opus, aac, m4a, pcm"),
    (f"speak Hi {CUSTOM} -o out.wav --format pcm", 2, "--format is for -o -"),
    ("spek Hi", 2, "No such command 'spek'"),
    ("speak Hi --nonsense", 2, "No such option"),
    # what the model's kind does not have
    (f"speak Hi --voice ryan {BASE} -o out.wav", 2, "Base model has no preset voice"),
    (f"speak Hi --voice ryan --instruct x {DESIGN} -o out.wav", 2, "VoiceDesign model has no preset voices"),
    (f"speak Hi {DESIGN} -o out.wav", 2, "give --instruct"),
    (f"speak Hi --instruct calmly {BASE} -o out.wav", 2, "takes no --instruct"),
    (f"clone Hi --voice-sample home/good.wav {CUSTOM} -o out.wav", 2, "cannot clone: use a Base model"),
    ("clone Hi --voice-sample home/good.wav --model 1.7b-custom -o out.wav", 2, "cannot clone: use a Base model"),
    # numbers
    (f"speak Hi --temperature -1 {CUSTOM} -o out.wav", 2, "--temperature is -1: give 0 to 5"),
    (f"speak Hi --temperature nan {CUSTOM} -o out.wav", 2, "--temperature is nan: give a number"),
    (f"speak Hi --top-k -1 {CUSTOM} -o out.wav", 2, "give 0 or more"),
    (f"speak Hi --top-p 0 {CUSTOM} -o out.wav", 2, "give above 0, up to 1"),
    (f"speak Hi --top-p 1.5 {CUSTOM} -o out.wav", 2, "--top-p is 1.5: give above 0, up to 1"),
    (f"speak Hi --repetition-penalty 0 {CUSTOM} -o out.wav", 2, "give 0.1 to 10"),
    (f"speak Hi --subtalker-temperature 9 {CUSTOM} -o out.wav", 2, "--subtalker-temperature is 9: give 0 to 5"),
    (f"speak Hi --subtalker-top-k -2 {CUSTOM} -o out.wav", 2, "--subtalker-top-k is -2: give 0 or more"),
    (f"speak Hi --subtalker-top-p 2 {CUSTOM} -o out.wav", 2, "--subtalker-top-p is 2: give above 0, up to 1"),
    (f"speak Hi --seed -1 {CUSTOM} -o out.wav", 2, "--seed is -1: give 0 to 2^64 - 1"),
    (f"speak Hi --seed one {CUSTOM} -o out.wav", 2, "--seed is 'one': give a whole number"),
    (f"speak Hi --max-seconds 0 {CUSTOM} -o out.wav", 2, "give above 0"),
    (f"speak Hi --max-seconds inf {CUSTOM} -o out.wav", 2, "--max-seconds is inf: give above 0, up to 86400"),
    ("convert home/custom_voice new --bits 5", 2, "--bits is 5: use 4, 6, 8"),
    ("convert home/custom_voice new --mode int8 --bits 8", 2, "use affine, mxfp4, mxfp8, nvfp4"),
    ("convert home/custom_voice new --dtype float8", 2, "use bfloat16, float32, float16"),
    ("convert home/custom_voice new --bits 4 --group-size 7", 2, "use 16, 32, 64, 128"),
    ("convert home/custom_voice new --mode mxfp4", 2, "give --bits as well"),
    ("convert home/custom_voice home", 2, "home exists and is not empty"),
    ("convert home/custom_voice nowhere/new", 2, "nowhere: make it first"),
    # the reference recording
    (f"clone Hi {BASE} -o out.wav", 2, "Missing option '--voice-sample'"),
    (f"clone Hi --voice-sample missing.wav {BASE} -o out.wav", 2, "no audio file missing.wav"),
    (f"clone Hi --voice-sample home/notes.wav {BASE} -o out.wav", 1, "is not audio this program reads"),
    (f"clone Hi --voice-sample home/empty.wav {BASE} -o out.wav", 1, "home/empty.wav is empty"),
    (f"clone Hi --voice-sample home/nothing.wav {BASE} -o out.wav", 1, "holds no sound"),
    (f"clone Hi --voice-sample home/silent.wav {BASE} -o out.wav", 1, "home/silent.wav is silent"),
    (f"clone Hi --voice-sample home/nan.wav {BASE} -o out.wav", 1, "not numbers"),
    (
        f"clone Hi --voice-sample home/short.wav {BASE} -o out.wav",
        1,
        "0.40 s long: a voice sample needs at least 0.5 s",
    ),
    (f"clone Hi --voice-sample home/long.wav {BASE} -o out.wav", 1, "61 s long: cut the voice sample to 60 s"),
    (f"clone Hi --voice-sample home/good.wav --transcript= {BASE} -o out.wav", 2, "--transcript is empty"),
    (f"clone --voice-sample home/good.wav --save-voice me.bin {BASE}", 2, "voice files end in .safetensors"),
    (f"clone --voice-sample home/good.wav --save-voice nowhere/me.safetensors {BASE}", 2, "no folder nowhere"),
    (f"speak Hi --voice me.safetensors {BASE} -o out.wav", 2, "no voice file me.safetensors"),
    # where it goes
    (f"speak Hi {CUSTOM} -o nowhere/out.wav", 2, "no folder nowhere: make it first"),
    (f"speak Hi {CUSTOM} -o home", 2, "home is a folder: give a file's name"),
    (f"speak Hi {CUSTOM} -o home/folder.wav", 2, "is a folder"),
    (f"speak Hi {CUSTOM} --play", 1, "no sound device to play on"),
    (f"speak Hi {CUSTOM} --play -o out.wav", 1, "no sound device to play on"),
    # models that are not there, and no network
    ("speak Hi --voice Ryan -o out.wav", 1, "0.6b-custom-8bit is not on disk and the network is off"),
    ("speak Hi --voice Ryan --offline -o out.wav", 1, "run `mlx-tts pull 0.6b-custom-8bit`"),
    ("speak Hi --model someone/something -o out.wav", 1, "someone/something is not on disk"),
    ("clone Hi --voice-sample home/good.wav --model 0.6b-base-4bit -o out.wav", 1, "0.6b-base-4bit is not on disk"),
    ("pull 0.6b-base", 1, "the network is off"),
    ("pull nothing", 2, "unknown model 'nothing'"),
    ("models default nothing", 2, "unknown model 'nothing'"),
    ("voices --model nothing", 2, "unknown model 'nothing'"),
]


def split(line: str) -> list[str]:
    """Words, or between bars a text with blanks in it."""
    if "|" not in line:
        return line.split()
    before, text, after = line.split("|")
    return [*before.split(), text, *after.split()]


def assert_one_line(capfd, code: int, expected: int, fragment: str) -> None:
    out, error = capfd.readouterr()
    assert (code, out) == (expected, ""), error
    assert error.startswith("mlx-tts: ") and error.endswith("\n") and error.count("\n") == 1, error
    assert fragment in error
    assert "Traceback" not in error


@pytest.mark.parametrize(("line", "code", "fragment"), ROWS, ids=[row[0][:60] for row in ROWS])
def test_one_clear_line(line, code, fragment, place, capfd):  # noqa: F811
    (place / "home" / "folder.wav").mkdir()
    before = sorted(place.rglob("*"))
    assert_one_line(capfd, run(split(line)), code, fragment)
    assert sorted(place.rglob("*")) == before


def test_a_file_that_is_not_text_comes_through_a_pipe(place, monkeypatch, capfd):  # noqa: F811
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"PK\x03\x04\xff"), encoding="utf-8"))
    assert_one_line(
        capfd, run(["speak", "-", "-o", "out.wav"]), 2, "not UTF-8 text (byte 4): give the name of the file"
    )


def test_a_read_only_folder(place, monkeypatch, capfd):  # noqa: F811
    (place / "locked").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "locked")  # root may write anywhere
    assert_one_line(capfd, run(["speak", "Hi", *CUSTOM.split(), "-o", "locked/out.wav"]), 2, "locked is read-only")


def test_no_portaudio(monkeypatch, capfd):
    class Missing:
        def find_spec(self, name, path=None, target=None):
            if name == "sounddevice":
                raise OSError("PortAudio library not found")

    monkeypatch.delitem(sys.modules, "sounddevice")
    monkeypatch.setattr(sys, "meta_path", [Missing(), *sys.meta_path])
    assert_one_line(capfd, run(["speak", "Hi", *CUSTOM.split(), "--play"]), 1, "PortAudio is missing: install it")


def test_audio_is_not_written_to_a_terminal(monkeypatch, capfd):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert_one_line(capfd, run(["speak", "Hi", *CUSTOM.split(), "-o", "-"]), 2, "audio is not for a terminal")


@pytest.mark.parametrize("name", CHECKPOINT_FILES)
def test_a_checkpoint_folder_with_a_file_missing(name, place, capfd):  # noqa: F811
    (place / "home" / "custom_voice" / name).unlink()
    assert_one_line(capfd, run(["speak", "Hi", *CUSTOM.split(), "-o", "out.wav"]), 1, f"has no {name}")


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        ("{", "cannot be read as JSON"),
        ("[]", "holds no JSON object"),
        (json.dumps({"model_type": "parler_tts"}), "model_type 'parler_tts'; this program speaks with qwen3_tts"),
        (json.dumps({"model_type": "qwen3_tts"}), "damaged"),
    ],
)
def test_a_broken_config(text, fragment, place, monkeypatch, capfd):  # noqa: F811
    monkeypatch.setattr("mlx_tts.models.families.open_checkpoint", REAL_OPEN)
    (place / "home" / "custom_voice" / "config.json").write_text(text)
    assert_one_line(capfd, run(["speak", "Hi", *CUSTOM.split(), "-o", "out.wav"]), 1, fragment)


def test_settings_that_cannot_be_read(place, capfd):  # noqa: F811
    from mlx_tts.library.preferences import settings_path

    settings_path().parent.mkdir(parents=True)
    settings_path().write_text("{")
    assert_one_line(capfd, run(["speak", "Hi", "-o", "out.wav"]), 1, "repair or delete it")


@pytest.mark.slow
@pytest.mark.parametrize("extension", ["wav", "flac", "mp3", "ogg", "opus"])
def test_a_full_disk_leaves_nothing_behind(extension, place):  # noqa: F811
    make_folder(place / "model")
    command = [sys.executable, str(FAKES), "0", "speak", "Hi", "--model", "model", "-o", f"out.{extension}"]
    process = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": str(FAKES.parents[1])},
        stderr=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, 5_000)),
        check=False,
    )
    error = process.stderr.decode()
    assert process.returncode == 1
    assert error.count("\n") == 1
    assert f"could not write out.{extension}: the disk takes no more" in error
    assert sorted(path.name for path in place.iterdir()) == ["home", "model"]


def test_debug_shows_the_traceback_and_keeps_the_exit_code(place, capfd):  # noqa: F811
    assert run(["speak", "", "--debug"]) == 2
    error = capfd.readouterr().err
    assert "Traceback" in error
    assert error.endswith("mlx-tts: the text is empty: give some words to speak\n")
