"""A form in, out: which launches a frame's time goes to, on CUDA, as PyTorch's profiler sees the whole process.

MLX_TTS_KERNELS=on python benchmarks/profile_frame.py            0.6B, 4 bits, 20 frames; --bits, --frames

Needs PyTorch besides MLX. MLX's CUDA graphs are switched off where that shows more.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from itertools import pairwise

from compare import Ours
from random_model import DTYPES

WARM_UP = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="0.6B")
    parser.add_argument("--bits", type=int, choices=tuple(DTYPES), default=4)
    parser.add_argument("--frames", type=int, default=20)
    options = parser.parse_args()
    ours = Ours.random(options.size, options.bits, 40)
    ours.step(WARM_UP)
    from torch.profiler import ProfilerActivity, profile

    begin = time.perf_counter()
    ours.step(options.frames)
    plain = (time.perf_counter() - begin) * 1e3 / options.frames
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiler:
        begin = time.perf_counter()
        ours.step(options.frames)
        wall = (time.perf_counter() - begin) * 1e3 / options.frames
    spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for event in profiler.events():
        if event.device_type.name == "CUDA":
            spans[event.name].append((event.time_range.start, event.time_range.end))
    every = sorted(span for found in spans.values() for span in found)
    busy = sum(end - start for start, end in every) / 1e3 / options.frames
    pauses = [after[0] - before[1] for before, after in pairwise(every) if after[0] > before[1]]
    print(f"{plain:.2f} ms a frame, {wall:.2f} profiled (the prompt included); GPU busy {busy:.2f} ms a frame,")
    idle = sum(pauses) / 1e3 / options.frames
    print(f"{len(every) / options.frames:.0f} launches, {idle:.2f} ms of pauses between them\n")
    print("| launch | a frame | us each | ms a frame |\n|---|---|---|---|")
    ordered = sorted(spans.items(), key=lambda item: -sum(end - start for start, end in item[1]))
    for name, found in ordered[:24]:
        total = sum(end - start for start, end in found)
        each, frame = total / len(found), total / 1e3 / options.frames
        print(f"| `{name[:90]}` | {len(found) / options.frames:.1f} | {each:.2f} | {frame:.3f} |")


if __name__ == "__main__":
    main()
