"""Reports of bench: what is in them, and which scripts/matrix.py believes."""

import importlib.util
import json
import random
from pathlib import Path

import pytest

from mlx_tts.cli import run

ROOT = Path(__file__).resolve().parents[1]
spec = importlib.util.spec_from_file_location("matrix", ROOT / "scripts" / "matrix.py")
assert spec is not None
assert spec.loader is not None
matrix = importlib.util.module_from_spec(spec)
spec.loader.exec_module(matrix)

GOOD = {
    "schema": 1,
    "mlx_tts": "0.2.0",
    "mlx": "0.32.4",
    "python": "3.12.3",
    "system": "Darwin 15.1",
    "chip": "Apple M1",
    "memory_gib": 8.0,
    "backend": "metal",
    "model": "0.6b-custom-4bit",
    "family": "qwen3_tts",
    "size": "0.6B",
    "bits": 4,
    "form": "fused",
    "frame_rate": 12.5,
    "weights_gb": 1.1,
    "runs": 3,
    "seconds_of_speech": 8.0,
    "real_time_factor": 0.31,
    "real_time_factor_least": 0.3,
    "real_time_factor_most": 0.33,
    "first_sound_ms": 160.0,
    "peak_memory_gb": 1.5,
}


def test_a_report_that_can_be_true_is_a_row():
    assert matrix.fault(GOOD) is None
    assert matrix.row(GOOD) == (
        "| Apple M1 | 8 | 0.6b-custom-4bit | 4 | metal, fused | 0.310 (0.300-0.330) | 160 | 1.50 | "
        "mlx-tts 0.2.0, mlx 0.32.4, Darwin 15.1 |"
    )


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"real_time_factor_least": 0.02, "real_time_factor": 0.02, "first_sound_ms": 1.0}, "faster than Apple M1 can"),
        ({"real_time_factor": 0.2}, "not between"),
        ({"first_sound_ms": 9000.0}, "first sound comes after the last"),
        ({"peak_memory_gb": 0.4}, "below the weights"),
        ({"peak_memory_gb": 90.0}, "beyond twice"),
        ({"system": "Linux 6.1"}, "macOS alone"),
        ({"backend": "cpu"}, "plain form alone"),
        ({"chip": "Apple M1 | <script>"}, "chip is"),
        ({"model": "../../secret\n"}, "model is"),
        ({"bits": True}, "bits is"),
        ({"real_time_factor": float("nan")}, "real_time_factor is"),
        ({"real_time_factor": "0.3"}, "real_time_factor is"),
        ({"user": "me"}, "unknown: user"),
        ({"schema": 2}, "schema 1"),
    ],
)
def test_a_report_that_cannot_be_true_is_refused(change, why):
    assert why in (matrix.fault({**GOOD, **change}) or "believed")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"schema": 1}', "[" * 5000, "null", "x" * 30_000])
def test_a_file_that_is_no_report_is_named(tmp_path, text):
    (tmp_path / "report.json").write_text(text, encoding="utf-8")
    reports, refused = matrix.read([tmp_path])
    assert reports == []
    assert refused[0].startswith("report.json: ")


def test_the_page_is_written_from_thirty_reports(tmp_path, monkeypatch, capsys):
    page = tmp_path / "macs.md"
    page.write_text(f"before\n{matrix.BEGIN}\nold\n{matrix.END}\nbehind\n", encoding="utf-8")
    monkeypatch.setattr(matrix, "PAGE", page)
    draw = random.Random(0)
    folder = tmp_path / "reports"
    folder.mkdir()
    for number in range(30):
        chip = draw.choice(["Apple M1", "Apple M2 Max", "Apple M4"])
        (folder / f"{number}.json").write_text(json.dumps({**GOOD, "chip": chip, "runs": number + 1}), encoding="utf-8")
    (folder / "forged.json").write_text(json.dumps({**GOOD, "real_time_factor": 9}), encoding="utf-8")
    assert matrix.main([str(folder)]) == 1
    written = page.read_text(encoding="utf-8")
    assert written.startswith("before\n")
    assert written.endswith("behind\n")
    assert "old" not in written
    assert written.count("| Apple M") == 30
    assert "refused forged.json" in capsys.readouterr().err


@pytest.mark.slow
def test_bench_writes_a_report_that_is_believed(tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("USER", "somebody-with-a-name")
    file = tmp_path / "secret-folder" / "report.json"
    file.parent.mkdir()
    assert run(["bench", "--model", "tiny", "--frames", "3", "--runs", "1", "--report", str(file)]) == 0
    assert capfd.readouterr().out == ""
    text = file.read_text(encoding="utf-8")
    assert matrix.fault(json.loads(text)) is None
    assert "secret" not in text
    assert "somebody" not in text


def test_a_file_without_report_is_refused(tmp_path, capfd):
    assert run(["bench", str(tmp_path / "x.json")]) == 2
    assert "--report" in capfd.readouterr().err
    assert run(["bench", "--report", str(tmp_path / "none" / "x.json")]) == 2
    assert "make it first" in capfd.readouterr().err
