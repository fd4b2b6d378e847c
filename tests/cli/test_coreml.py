"""`convert --format coreml`, `speak --engine coreml` and `doctor` as they are typed: one clear line for each fault."""

import json

import pytest

from mlx_tts.cli import run
from mlx_tts.export.coreml import packages
from tests.helpers.coreml import needs_coremltools

CASE = "custom_voice_tiny"


def refused(capfd, *line: str) -> str:
    """The one line that a command says before it ends with 2, or with 1."""
    code = run([*line])
    out, error = capfd.readouterr()
    assert code in (1, 2)
    assert out == ""
    assert error.count("\n") == 1
    return f"{code} {error.strip()}"


def test_options_that_do_not_go_together(capfd, tmp_path):
    convert = ["convert", "tiny", str(tmp_path / "x"), "--format", "coreml"]
    assert "2 mlx-tts: --bits is 4: use 8, 16" in refused(capfd, *convert, "--bits", "4")
    assert "--bits, --context and --norm alone" in refused(capfd, *convert, "--bits", "8", "--mode", "mxfp4")
    assert "--norm is 'plain': use layer or scaled" in refused(capfd, *convert, "--norm", "plain")
    assert "--context and --norm go with --format coreml" in refused(capfd, *convert[:3], "--context", "1024")
    assert "2 mlx-tts: --engine is 'gpu': use mlx or coreml" in refused(capfd, "speak", "Hi.", "--engine", "gpu")
    assert "--engine coreml needs --model FOLDER" in refused(capfd, "speak", "Hi.", "--engine", "coreml")


def test_without_the_extra(capfd, tmp_path, monkeypatch):
    packages.coremltools.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "coremltools", None)
    line = refused(capfd, "convert", "tiny", str(tmp_path / "x"), "--format", "coreml")
    assert line.startswith("1 ")
    assert "pip install" in line and "[coreml]" in line
    assert not list(tmp_path.iterdir())


def test_off_a_mac(oracle, capfd, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    line = ["speak", "Hello.", "--engine", "coreml", "--model", str(oracle(CASE).folder), "-o", str(tmp_path / "a.wav")]
    assert "Core ML is a part of macOS" in refused(capfd, *line)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@needs_coremltools()
def test_a_conversion_prints_its_check_and_is_used_by_name(oracle, capfd, tmp_path, monkeypatch):
    folder = tmp_path / "packages"
    line = [
        "convert",
        str(oracle(CASE).folder),
        str(folder),
        "--format",
        "coreml",
        "--bits",
        "8",
        "--context",
        "64",
        "-q",
    ]
    assert run(line) == 0
    table = [row.split() for row in capfd.readouterr().out.splitlines()]
    assert table[0] == ["package", "wide", "declared", "largest", "MB"]
    names = {row[0] for row in table[1:]}
    six = {"TextProjector", "CodeEmbedder", "MultiCodeEmbedder", "CodeDecoder", "MultiCodeDecoder", "SpeechDecoder"}
    assert names == six
    assert all(float(row[1]) < 1e-3 and float(row[3]) < 30_000 for row in table[1:])
    assert {path.stem for path in folder.glob("*.mlpackage")} == six
    assert json.loads((folder / "coreml.json").read_text())["bits"] == 8

    spoken = ["speak", "Hello.", "--model", str(folder), "-o", str(tmp_path / "a.wav")]
    assert "holds Core ML packages: `speak` them with --engine coreml" in refused(capfd, *spoken)
    monkeypatch.setattr("sys.platform", "linux")
    assert run(["doctor", "--model", str(folder)]) == 0
    report = capfd.readouterr().out
    assert "8 bits, norm layer, 64 positions" in report
    assert report.count("Core ML is a part of macOS") == 6


@pytest.mark.parametrize("value", ["gpu", ""])
def test_units_that_abort_the_process_are_refused(monkeypatch, value):
    from mlx_tts.errors import RequestError
    from mlx_tts.export.coreml.runtime import chosen_units

    monkeypatch.setenv("MLX_TTS_COREML", value)
    with pytest.raises(RequestError, match="use ne or cpu"):
        chosen_units()
