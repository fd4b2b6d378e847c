"""Run the calls of a kit here, as the GPU machine would: a bare folder, carried parts, an empty OUT, limits on what returns.

    python rehearse.py --kit KIT --machine FOLDER --results RESULTS [--first 1 --last 6] [--pace 0.1]

What a call leaves in OUT comes back to RESULTS/callNN. A new FOLDER is a new machine: remove it to lose one. The
environment says how small all is: STAGE_OPTIONS are further options of the stage, PYTHON its interpreter.
"""

import argparse
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

MOST_CHARACTERS, MOST_PART = 2000, 50_900_000  # beside a working tree of 14.1 MB, in 62 MiB
MOST_FILES, MOST_FILE, MOST_BACK = 8, 16 * 2**20, 64 * 2**20


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kit", type=Path, required=True)
    parser.add_argument("--machine", type=Path, required=True)
    parser.add_argument("--results", type=Path, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--last", type=int, default=1000)
    parser.add_argument("--pace", type=float, default=1.0, help="a second of the calls in seconds here")
    return parser.parse_args()


def call(number, asked, options):
    machine, out = options.machine.resolve(), options.machine.resolve() / "out"
    repository = machine / "repository"
    repository.mkdir(parents=True, exist_ok=True)
    assert len(asked["command"]) <= MOST_CHARACTERS, f"call {number}: the command is too long"
    for carried in asked.get("carry", []):
        source, target = options.kit / Path(carried).name, repository / carried
        size = sum(path.stat().st_size for path in source.iterdir())
        assert size <= MOST_PART, f"{source} has {size} bytes, more than {MOST_PART}"
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    environment = os.environ | {"OUT": str(out), "RUN": str(machine / "run"), "PACE": str(options.pace)}
    begin = time.time()
    limit = asked["timeout_s"] * max(1.0, options.pace)
    result = subprocess.run(["bash", "-c", asked["command"]], cwd=repository, env=environment, timeout=limit)
    files = [path for path in out.rglob("*") if path.is_file()]
    sizes = [path.stat().st_size for path in files]
    print(
        f"== call {number}: rc {result.returncode}, {time.time() - begin:.0f} s, back {sum(sizes) / 2**20:.1f} MiB",
        flush=True,
    )
    assert len(files) <= MOST_FILES and max(sizes, default=0) <= MOST_FILE and sum(sizes) <= MOST_BACK, sizes
    back = options.results / f"call{number:02d}"
    shutil.rmtree(back, ignore_errors=True)
    if files:
        shutil.copytree(out, back)


if __name__ == "__main__":
    options = parse()
    calls = [json.loads(line) for line in (options.kit / "calls.jsonl").read_text().splitlines()]
    for number, asked in enumerate(calls, 1):
        if options.first <= number <= options.last:
            call(number, asked, options)
