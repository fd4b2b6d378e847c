"""A checkpoint folder in; out: seconds from the start of the process to loaded and to the first sound, and memory.

python benchmarks/random_checkpoint.py FOLDER; python benchmarks/loading.py FOLDER

Run it twice: the second time the files are in the page cache. Memory is given against the weights in use.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from pathlib import Path

BEGIN = time.time()


def started() -> float:
    """When this process began; where the system does not tell, when its first line ran."""
    stat, uptime = Path("/proc/self/stat"), Path("/proc/uptime")
    if not stat.exists():
        return BEGIN
    ticks = int(stat.read_text().rpartition(")")[2].split()[19])
    return time.time() - float(uptime.read_text().split()[0]) + ticks / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--frames", type=int, default=24)
    options = parser.parse_args()
    from mlx_tts.api import load_folder
    from mlx_tts.cli.measurement import TEXT
    from mlx_tts.speech import SpeechRequest

    begin = started()
    model = load_folder(options.folder)
    loaded = time.time() - begin
    usage = resource.getrusage(resource.RUSAGE_SELF)

    import mlx.core as mx

    from mlx_tts.checkpoints.tensors import parameters_of
    from mlx_tts.models.qwen3_tts.synthesizer import Qwen3TTS
    from mlx_tts.runtime.memory import peak_bytes

    assert isinstance(model._synthesizer, Qwen3TTS)
    modules = model._synthesizer.talker, model._synthesizer._decoder
    weights = sum(value.nbytes for module in modules for value in parameters_of(module).values())
    voice = model.voices[0] if model.voices else None
    request = SpeechRequest(TEXT, voice=voice, seed=1, max_frames=options.frames, guard=False)
    first = 0.0
    for _ in model.stream(request, low_latency=True):
        first = first or time.time() - begin
    peaks = mx.get_peak_memory(), peak_bytes()
    print(
        f"loaded after {loaded:.2f} s (user {usage.ru_utime:.2f}, system {usage.ru_stime:.2f}), sound after {first:.2f}"
    )
    over = [f"{peak / 1e9:.2f} GB ({(peak - weights) / 1e6:.0f} MB more)" for peak in peaks]
    print(f"weights {weights / 1e9:.2f} GB; most held by MLX {over[0]}, by the process {over[1]}")


if __name__ == "__main__":
    main()
