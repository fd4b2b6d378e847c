"""Lines of a batch in, seconds of speech a second out: the engine alone, the whole command, shares, and Ray.

python benchmarks/batches.py --lines 200                      engine and command, with the memory on the way
python benchmarks/batches.py --lines 200 --shares 2           two processes with a share each, at the same time
python benchmarks/batches.py --lines 200 --ray HOST:PORT      on a cluster that is running

The engine's own throughput is that of `stream_many` with the same texts, voices and rows: what the command may lose to
reading, checking, joining, measuring and writing.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SENTENCES = ROOT / "scripts" / "train_tiny" / "held_out.txt"


def lines_of(count: int) -> list[dict[str, str]]:
    """Lines of 5 to 60 words of ordinary sentences, the same ones every time. The guard hears words thrown together as
    nonsense, and would have each spoken again."""
    source = random.Random(1)
    sentences = SENTENCES.read_text(encoding="utf-8").splitlines()
    lines = []
    for number in range(count):
        text, words = "", source.randrange(5, 61)
        for sentence in source.sample(sentences, len(sentences)):
            if len(f"{text} {sentence}".split()) <= words or not text:
                text = f"{text} {sentence}".strip()
        lines.append({"id": f"line-{number:05}", "text": text})
    return lines


def engine(lines: list[dict[str, str]], rows: int) -> tuple[float, float]:
    """Seconds of speech and of the clock of `stream_many`, the longest first, without any file."""
    import mlx_tts
    from mlx_tts import SpeechRequest
    from mlx_tts.text.cutting.pace import expected_seconds

    with mlx_tts.load("tiny") as tts:
        voice = tts.voices[0]
        tts.speak("Ready.", voice=voice)
        ordered = sorted(lines, key=lambda line: -expected_seconds(line["text"]))
        asked = ((n, SpeechRequest(line["text"], voice=voice, seed=n)) for n, line in enumerate(ordered))
        begin = time.perf_counter()
        samples = sum(len(chunk.samples) for _, chunk in tts.stream_many(asked, rows=rows))
        return samples / tts.sample_rate, time.perf_counter() - begin


def batch(source: Path, out: Path, *options: str) -> tuple[float, float, float]:
    """Seconds of speech and of the clock of the command, from its start to its end, and its peak of memory in MB."""
    command = [sys.executable, "-m", "mlx_tts", "batch", str(source), "-o", str(out), "--model", "tiny", "-q", *options]
    begin = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True)
    wall = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return seconds_in(out), wall, peak


def seconds_in(out: Path) -> float:
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    return sum(row["seconds"] for row in rows if row["status"] == "ok")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--rows", type=int, default=8)
    parser.add_argument("--shares", type=int)
    parser.add_argument("--ray")
    asked = parser.parse_args()
    lines = lines_of(asked.lines)
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "lines.jsonl"
        source.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        print("| what | speech | wall | x real time |\n|---|---|---|---|")
        rows = ("--rows", str(asked.rows))
        if asked.ray:
            speech, wall, _ = batch(source, Path(folder) / "ray", *rows, "--ray", asked.ray)
            report("Ray", speech, wall)
        elif asked.shares:
            shares(source, Path(folder) / "shares", asked.shares, rows)
        else:
            speech, wall = engine(lines, asked.rows)
            report(f"the engine alone, {asked.rows} rows", speech, wall)
            for part in (4, 1):
                short = source.with_name(f"lines-{part}.jsonl")
                short.write_text("".join(json.dumps(line) + "\n" for line in lines[: len(lines) // part]))
                speech, wall, peak = batch(short, Path(folder) / f"batch-{part}", *rows)
                report(f"batch, {len(lines) // part} lines, at most {peak:.0f} MB", speech, wall)


def shares(source: Path, out: Path, count: int, rows: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "mlx_tts", "batch", str(source), "-o", str(out), "--model", "tiny", "-q", *rows]
    begin = time.perf_counter()
    runs = [subprocess.Popen([*command, "--shard", f"{number}/{count}"], cwd=ROOT) for number in range(1, count + 1)]
    codes = [run.wait() for run in runs]
    assert not any(codes), codes
    report(f"{count} shares at the same time", seconds_in(out), time.perf_counter() - begin)


def report(what: str, speech: float, wall: float) -> None:
    print(f"| {what} | {speech:.1f} s | {wall:.1f} s | {speech / wall:.2f} |", flush=True)


if __name__ == "__main__":
    main()
