"""A hundred thousand lines with an engine that makes silence: the plan, memory, going on, and the page.

99,000 of the files are written by the test itself, with their rows, because making them all takes ten minutes; the last
thousand are made by a run that plans, merges and reports all of them.
"""

import json
import os
import random
import subprocess
import sys
import time

import pytest

from tests.helpers.paths import ROOT
from tests.helpers.processor_time import slowness

pytestmark = [pytest.mark.long, pytest.mark.slow, pytest.mark.timed]

LINES, MADE = 100_000, 1_000
WORDS = "the old lighthouse stood at the end of a pier and Every evening 12 keepers climbed its stairs".split()  # noqa: SIM905


def work(task: str, folder: str) -> None:
    """One part of it in a process of its own; prints processor seconds and the peak of memory in MB."""
    from pathlib import Path

    from mlx_tts.batch import BatchSettings, worker
    from mlx_tts.batch.results import write_outputs
    from mlx_tts.batch.run import How, carry_out, prepare
    from mlx_tts.batch.run_folder import open_folder
    from mlx_tts.batch.settings import Outputs
    from mlx_tts.runtime.memory import resident_peak_bytes
    from tests.helpers.stand_in_engine import StandInEngine

    worker.load_model = lambda name, rows, offline, log: (StandInEngine(silent=True), 8)  # type: ignore[assignment]
    worker.machine_of = lambda model: "a stand-in"  # type: ignore[assignment]
    source, out = Path(folder) / "lines.jsonl", Path(folder) / "out"
    settings = BatchSettings(model="tiny", hash_folders=True)
    began = time.process_time()
    if task == "page":
        rows = (json.loads(line) for line in (out / "results.jsonl").open(encoding="utf-8"))
        write_outputs(Path(folder), Outputs(), rows)
    else:
        run = prepare(source, out, settings, How())
        assert len(run.plan.tasks) == {"plan": LINES, "prepare": LINES, "make": MADE, "resume": 0}[task]
        if task == "prepare":
            open_folder(out, settings.describe())
            write_most(run, out)
        if task == "make":
            carry_out(run, print, lambda progress: None)
    print(time.process_time() - began, resident_peak_bytes() / 1e6)


def write_most(run, out) -> None:
    """What a run would have made of all tasks but the last ones."""
    from mlx_tts.batch.tables import Table, empty_row

    table, sound = Table(out), b"x" * 100
    for number, task in enumerate(run.plan.tasks[:-MADE]):
        (out / task.path).parent.mkdir(exist_ok=True)
        (out / task.path).write_bytes(sound)
        row = {
            **empty_row(task.line.id, task.line.number, "ok"),
            **{"file": task.path, "seconds": round(task.seconds * (0.8 + number % 40 / 100), 2), "bytes": len(sound)},
            **{"sha256": "0" * 64, "text": task.line.text, "spoken": task.line.text, "voice": "miles"},
            **{"language": "auto", "model": "tiny", "seed": task.seed, "pieces": 1, "lufs": -20 - number % 7},
            **{"peak": -3.0, "guard": {"takes": 1, "faults": [], "kept_fault": None}, "worker": table.worker},
            **{"machine": "a stand-in", "at": 1.0, "key": task.line.key},
        }
        table.add(row)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale")
    source = random.Random(1)
    with (folder / "lines.jsonl").open("w") as file:
        for number in range(LINES):
            text = " ".join(source.choices(WORDS, k=source.randrange(5, 61)))
            file.write(json.dumps({"id": f"line-{number:06}", "text": text}) + "\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": str(folder / "home")}
    figures = {"folder": folder}
    for task in ("plan", "prepare", "make", "resume", "page"):
        line = [sys.executable, "-m", "tests.batch.test_scale", task, str(folder)]
        done = subprocess.run(line, capture_output=True, text=True, env=environment, cwd=ROOT, timeout=3000)
        assert done.returncode == 0, done.stderr[-2000:]
        figures[task] = tuple(map(float, done.stdout.split()[-2:]))
        print(f"{task}: {figures[task][0]:.2f} s of the processor, {figures[task][1]:.0f} MB")
    return figures


def test_the_plan_takes_less_than_five_seconds(measured):
    assert measured["plan"][0] < 5 * slowness()


def test_the_whole_run_takes_less_than_500_megabytes(measured):
    assert measured["make"][1] < 500
    assert sum(1 for _ in (measured["folder"] / "out" / "results.jsonl").open()) == LINES


def test_going_on_takes_less_than_five_seconds(measured):
    assert measured["resume"][0] < 5 * slowness()


def test_the_page_takes_less_than_ten_seconds_and_five_megabytes(measured):
    assert measured["page"][0] < 10 * slowness()
    assert (measured["folder"] / "report.html").stat().st_size < 5_000_000


if __name__ == "__main__":
    work(sys.argv[1], sys.argv[2])
