"""A model in, seconds from the start of a process to its first sound out, for a first and for later processes.

python benchmarks/start_time.py tiny                 or a folder with a checkpoint; --processes 3
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

SPEAK = """
import sys, time
from pathlib import Path
begin = float(sys.argv[2])
import mlx_tts
tts = mlx_tts.load(Path(sys.argv[1]) if "/" in sys.argv[1] else sys.argv[1])
loaded = time.time() - begin
text = "The old lighthouse stood at the end of the pier."
request = mlx_tts.SpeechRequest(text, voice=tts.voices[0], seed=1, max_frames=25)
times = []
for chunk in tts.stream(request, low_latency=True):
    times.append(time.time() - begin)
print(f"loaded {loaded:.2f} s, first sound {times[0]:.2f} s, end {times[-1]:.2f} s of a process")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=150, help="after which a process is given up")
    options = parser.parse_args()
    for number in range(options.processes):
        command = [sys.executable, "-c", SPEAK, options.model, str(time.time())]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=options.seconds)
            told = done.stdout.strip() or "FAILED " + done.stderr[-800:]
        except subprocess.TimeoutExpired:
            told = f"nothing within {options.seconds:.0f} s"
        print(f"process {number + 1}: {told}; {compiled()} compiled kernels are kept", flush=True)


def compiled() -> int:
    """How many kernels MLX keeps in MLX_PTX_CACHE_DIR."""
    folder = os.environ.get("MLX_PTX_CACHE_DIR")
    return sum(1 for _ in Path(folder).rglob("*.ptx")) if folder else 0


if __name__ == "__main__":
    main()
