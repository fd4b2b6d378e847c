"""Which attentions of a speech MLX computes with one fused kernel, and which it takes apart, by place and shapes.

python benchmarks/attention_paths.py tiny        or a folder with a checkpoint; --kernels on: with our kernels

Each call of `mx.fast.scaled_dot_product_attention` asks for the fused kernel (`force_fused`). Where MLX refuses, the
call is counted and made again without asking. The CPU backend does not have a fused kernel: there
all places are listed as taken apart.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

TEXT = "The old lighthouse stood at the end of the pier."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--kernels", default="off", choices=["off", "half", "fused", "on"])
    parser.add_argument("--frames", type=int, default=25)
    options = parser.parse_args()
    os.environ["MLX_TTS_KERNELS"] = options.kernels
    from mlx_tts.runtime import blas

    blas.preload()
    import mlx.core as mx

    import mlx_tts

    whole = mx.fast.scaled_dot_product_attention
    found: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}

    def watched(q: Any, k: Any, v: Any, **given: Any) -> Any:
        caller = sys._getframe(1)
        mask = given.get("mask")
        shapes = f"q {q.shape}, k {k.shape}, {mask if mask is None or isinstance(mask, str) else mask.shape}, {q.dtype}"
        place = f"{Path(caller.f_code.co_filename).name}:{caller.f_lineno} {shapes}"
        try:
            y = whole(q, k, v, force_fused=True, **given)
        except ValueError:
            found[False][place] += 1
            return whole(q, k, v, **given)
        found[True][place] += 1
        return y

    mx.fast.scaled_dot_product_attention = watched
    with mlx_tts.load(Path(options.model) if "/" in options.model else options.model) as model:
        request = mlx_tts.SpeechRequest(TEXT, voice=model.voices[0], seed=1, max_frames=options.frames, guard=False)
        model.speak(request)
    for fused, calls in found.items():
        print(f"\n{'fused' if fused else 'taken apart'}: {calls.total()} calls, {len(calls)} kinds")
        for place, count in calls.most_common(12):
            print(f"  {count:5d}  {place}")


if __name__ == "__main__":
    main()
