"""The same short lines by two plain shares and by two Ray nodes, each on its own core, in turn: clock and processor.

python benchmarks/ray_against_shares.py --lines 120 --turns 2      as root on Linux, in an environment with Ray

Prints a row for each run: seconds of the clock from the start of the command to its end, and of the processor: of those
that speak, of the command that tells them what to do, and of each of Ray's own processes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.batches import seconds_in  # noqa: E402
from tests.helpers.closed_network import closed_network  # noqa: E402
from tests.helpers.ray_nodes import RayNodes  # noqa: E402

TEXT = """the old keeper climbed slowly to his lamp and saw that nobody had crossed the river since morning although
every boat was tied to its pier while rain fell on the quiet garden behind a house where we had once lived for years"""
WORDS = TEXT.split()

CORES = (0, 1)
LOOK_SECONDS = 1.0  # what a process does after the last look is not counted
SPEAKER = "ray::Maker"


def command(source: Path, out: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "mlx_tts", "batch", str(source), "-o", str(out), "--model", "tiny", "-q", *options]


def children() -> float:
    """Processor seconds of the processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def shares(source: Path, out: Path) -> tuple[float, Counter[str]]:
    """Seconds of the clock until both are done, and processor seconds by process."""
    before, begin = children(), time.monotonic()
    runs = [
        subprocess.Popen(
            ["taskset", "--cpu-list", str(core), *command(source, out, "--shard", f"{number}/{len(CORES)}")], cwd=ROOT
        )
        for number, core in enumerate(CORES, 1)
    ]
    ends = {}
    while len(ends) < len(runs):
        ends |= {run.pid: time.monotonic() - begin for run in runs if run.pid not in ends and run.poll() is not None}
        time.sleep(0.05)
    assert not any(run.returncode for run in runs)
    print("shares ended after", ", ".join(f"{seconds:.1f} s" for seconds in ends.values()), flush=True)
    return max(ends.values()), Counter({"shares": children() - before})


def ray(source: Path, out: Path, nodes: RayNodes) -> tuple[float, Counter[str]]:
    """The same on a cluster that is running."""
    idle, stop = nodes.seconds(), threading.Event()
    latest: dict[int, tuple[str, float]] = {}

    def look() -> None:
        while not stop.wait(LOOK_SECONDS):
            latest.update(nodes.seconds())

    watcher = threading.Thread(target=look)
    watcher.start()
    before, begin = children(), time.monotonic()
    subprocess.run(command(source, out, "--ray", nodes.address), cwd=ROOT, env=nodes.environment, check=True)
    wall = time.monotonic() - begin
    driver = children() - before
    stop.set()
    watcher.join()
    used = Counter({"the command": driver})
    for pid, (name, seconds) in latest.items():
        used[name] += seconds - idle.get(pid, ("", 0.0))[1]
    return wall, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=120)
    parser.add_argument("--words", type=int, default=15, help="The longest line; the shortest has 5.")
    parser.add_argument("--turns", type=int, default=2)
    asked = parser.parse_args()
    source = random.Random(1)
    texts = [" ".join(source.choices(WORDS, k=source.randint(5, asked.words))).capitalize() for _ in range(asked.lines)]
    with tempfile.TemporaryDirectory() as name, closed_network():
        folder = Path(name)
        lines = [json.dumps({"id": f"line-{number:05}", "text": f"{text}."}) for number, text in enumerate(texts)]
        (folder / "lines.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        nodes = RayNodes(folder)
        try:
            for turn in range(asked.turns):
                row(f"two shares, turn {turn + 1}", *shares(folder / "lines.jsonl", folder / f"shares-{turn}"))
                nodes.head()
                for core in CORES:
                    nodes.node(core)
                time.sleep(5)  # a node's own start is not the batch's
                row(f"Ray, turn {turn + 1}", *ray(folder / "lines.jsonl", folder / f"ray-{turn}", nodes))
                assert sounds(folder / f"ray-{turn}") == sounds(folder / f"shares-{turn}")
                nodes.close()
                nodes = RayNodes(folder)
            print(f"{seconds_in(folder / 'ray-0'):.0f} s of speech each")
        finally:
            nodes.close()


def sounds(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("*.wav")}


def row(what: str, wall: float, used: Counter[str]) -> None:
    load = os.getloadavg()[0]
    own = {name: seconds for name, seconds in used.items() if name not in (SPEAKER, "the command", "shares")}
    print(f"{what}: {wall:.1f} s of the clock, {used.total():.1f} s of the processor, load {load:.1f}")
    for name in ("shares", SPEAKER, "the command"):
        if name in used:
            print(f"  {name}: {used[name]:.1f} s")
    if own:
        print(f"  Ray's own: {sum(own.values()):.1f} s")
        for name, seconds in sorted(own.items(), key=lambda pair: -pair[1]):
            print(f"    {name}: {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
