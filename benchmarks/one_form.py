"""One way to make frames, measured in turns with the others: fused, half, plain, a bare loop, mlx-audio.

python benchmarks/one_form.py plain                     0.6B, 4 bits, one row; a line of JSON a turn
python benchmarks/one_form.py fused --bits 8 --rows 8   --size tiny to try it

Weights are random. A turn is `--frames` frames behind a warm-up of 8; its figure is their median.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time

FORMS = {"resident": "on", "fused": "fused", "half": "half", "plain": "off"}
SKIPPED = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("form", choices=(*FORMS, "bare", "mlx-audio"))
    parser.add_argument("--size", choices=("0.6B", "1.7B", "tiny"), default="0.6B")
    parser.add_argument("--bits", type=int, choices=(4, 6, 8, 16, 32), default=4)
    parser.add_argument("--rows", type=int, default=1)
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--prompt", type=int, default=40, help="positions before the first frame")
    options = parser.parse_args()
    os.environ["MLX_TTS_KERNELS"] = FORMS.get(options.form, "off")
    import compare  # it loads a BLAS before mlx  # isort: skip
    import bare_loop
    import peer
    import turns

    size, bits, rows = options.size, options.bits, options.rows
    if options.form == "mlx-audio":
        model = peer.random(size, bits, options.prompt)
        stamps = lambda count: peer.step(model, count, rows)  # noqa: E731
    else:
        ours = compare.Ours.random(size, bits, options.prompt)
        stamps = lambda count: ours.step(count, rows)  # noqa: E731
        if options.form == "bare":
            stamps = lambda count: bare_loop.frames(ours.loop.talker, count, rows, options.prompt)  # noqa: E731
    begin = time.perf_counter()
    stamps(SKIPPED)
    print(f"first use {time.perf_counter() - begin:.1f} s", flush=True)
    while turns.take():
        times = compare.gaps(stamps(options.frames + SKIPPED), SKIPPED)
        turns.tell(ms=statistics.median(times), least=min(times), most=max(times), size=size, bits=bits, rows=rows)


if __name__ == "__main__":
    main()
