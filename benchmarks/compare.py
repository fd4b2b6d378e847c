# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""Sizes and bits in, a Markdown table out: milliseconds a frame of this package and of mlx-audio, in turn, in one run.

python benchmarks/compare.py                                   0.6B, 4 bits, with mlx-audio where it is installed
python benchmarks/compare.py --bits 8 --batch 8 32 --no-peer   our loop alone, 8 and then 32 rows
python benchmarks/compare.py --size 1.7B --frames 60 --device cpu --bits 32
python benchmarks/compare.py --model FOLDER                    a checkpoint that both load
python benchmarks/compare.py --prompt 2000 --no-peer           late frames

Without --model weights are random, shapes the published ones. Both start from a random prompt of 40 positions (as for a
text of 24 tokens) and sample with the published settings; neither may end its speech. All is timed from frame to frame
as it comes out, without the first frames (warm-up, compilation). What fails says so and the rest goes on.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mlx_tts.runtime import blas

blas.preload()  # before mlx, so that the fast products are found

import frame_rows
import mlx.core as mx
import numpy as np
import peer
from random_model import CHUNK, DTYPES, PROMPT, bytes_a_frame, random_codec, random_talker, talker_config

from mlx_tts.generation.sampling import SamplerSettings, SamplingParams
from mlx_tts.kernels.core import self_check
from mlx_tts.kernels.core.forms import kernel_form
from mlx_tts.models import families
from mlx_tts.models.qwen3_tts.codec.decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.config import CodecDecoderConfig
from mlx_tts.models.qwen3_tts.frames import FrameLoop
from mlx_tts.models.qwen3_tts.rows import Utterance
from mlx_tts.models.qwen3_tts.synthesizer import Qwen3TTS
from mlx_tts.runtime.device import on_gpu

DRAWING = SamplingParams(SamplerSettings(0.9, 50, 1.0), SamplerSettings(0.9, 50, 1.0), 1.05)


@dataclass(frozen=True)
class Row:
    """What was run, and the milliseconds of each step once warm; a step speaks `frames` frames (0: something else)."""

    what: str
    times: list[float]
    frames: int = 1
    moved: int = 0  # bytes of weights a frame reads

    def line(self, peak: float, other: Row | None) -> str:
        middle = statistics.median(self.times)
        tenths = np.percentile(self.times, [10, 90])
        share = f"{self.moved / middle * 1e3 / peak:.0%}" if self.moved else "-"
        ratio = f"{middle / statistics.median(other.times):.2f}" if other else "-"
        moved = f"{self.moved / 1e9:.2f}" if self.moved else "-"
        speed = f"{80 * self.frames / middle:.2f}" if self.frames else "-"
        return (
            f"| {self.what} | {middle:.2f} | {tenths[0]:.2f}-{tenths[1]:.2f} | {speed} | {moved} | {share} | {ratio} |"
        )


HEAD = """| what | ms | p10-p90 | x real time | GB a frame | of copy bandwidth | times as long as ours |
|---|---|---|---|---|---|---|"""


def gaps(stamps: list[float], skip: int) -> list[float]:
    return (np.diff(stamps)[skip:] * 1e3).tolist()


def prompts(width: int, batch: int, dtype: mx.Dtype, length: int) -> list[Utterance]:
    rows = []
    for seed in range(batch):
        prefill = (0.5 * mx.random.normal((length, width))).astype(dtype)
        rows.append(Utterance(prefill, mx.zeros((0, width), dtype), mx.zeros((width,), dtype), DRAWING, seed))
    return rows


class Ours:
    """Our talker and codec, with the end of speech forbidden, so that all runs have one length."""

    def __init__(self, loop: FrameLoop, codec: CodecDecoder, dtype: mx.Dtype, prompt: int):
        self.loop, self.codec, self.dtype, self.prompt = loop, codec, dtype, prompt
        self.loop.later = self.loop.early
        self.moved = bytes_a_frame(loop.talker)

    @classmethod
    def random(cls, size: str, bits: int, prompt: int) -> Ours:
        config, dtype = talker_config(size), DTYPES[bits]
        return cls(FrameLoop(random_talker(config, bits, dtype), config), random_codec(size), dtype, prompt)

    @classmethod
    def loaded(cls, folder: Path, prompt: int) -> Ours:
        model = families.load(families.open_checkpoint(folder))
        assert isinstance(model, Qwen3TTS)
        return cls(model._loop, model._decoder, model._loop.talker.dtype, prompt)

    def frames(self, count: int, batch: int = 1) -> Iterator[mx.array]:
        asked = prompts(self.loop.config.hidden_size, batch, self.dtype, self.prompt)
        mx.eval([utterance.prefill for utterance in asked])
        for index, codes in frame_rows.run(self.loop, asked, count):
            if index == 0:
                yield codes

    def step(self, count: int, batch: int = 1) -> list[float]:
        return [time.perf_counter() for _ in self.frames(count, batch)]

    def streamed(self, count: int) -> Iterator[tuple[float, list[float]]]:
        """After each piece: milliseconds to the first one (one frame), and per frame of every later one (four)."""
        begin = last = time.perf_counter()
        first, times, pending = 0.0, [], []
        state = self.codec.make_state()
        for codes in self.frames(count):
            pending.append(codes)
            if len(pending) == (CHUNK if first else 1):
                samples, state = self.codec.step(mx.array(np.stack(pending)[None]), state)
                mx.eval(samples, state)
                np.array(samples)
                now = time.perf_counter()
                if first:
                    times.append((now - last) * 1e3 / CHUNK)
                first, last, pending = first or (now - begin) * 1e3, now, []
                yield first, times


def copy_bandwidth() -> float:
    """Bytes a second, read and written, of copying an array that no cache holds."""
    if not on_gpu():
        source = np.ones(1 << 26, np.float32)
        target = np.zeros_like(source)
        return 2 * source.nbytes / min(median_of(lambda: np.copyto(target, source), 5)) * 1e3
    x = mx.zeros((1 << 28,), mx.float32) + 1
    mx.eval(x)
    return 2 * x.nbytes / min(median_of(lambda: mx.eval(x + 1), 5)) * 1e3


def median_of(run: Callable[[], object], repeats: int) -> list[float]:
    run()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e3)
    return times


def counted(rows: int) -> str:
    return f"{rows} rows" if rows > 1 else "1 row"


def attempt(what: str, run: Callable[[], None]) -> None:
    """A measurement that fails must not take the others with it: time on the machine is scarce."""
    try:
        run()
    except Exception as error:  # noqa: BLE001 (whatever it is, the next measurement runs too)
        last = traceback.extract_tb(error.__traceback__)[-1]
        print(f"FAILED {what}: {type(error).__name__}: {str(error)[:600]} ({last.filename}:{last.lineno})", flush=True)


class Comparison:
    """The measurements of one run; those of mlx-audio are divided by ours of the same kind."""

    def __init__(self, options: argparse.Namespace):
        self.options, self.peak = options, copy_bandwidth()
        kernels = f", {kernel_form().name}" if on_gpu() else ""
        model = options.model.resolve().name if options.model else f"{options.size}, {options.bits} bits"
        self.name = model + kernels + (f", after {options.prompt} positions" if options.prompt != PROMPT else "")
        self.rows: dict[str, Row] = {}
        device = f"{mx.default_device()}, copying {self.peak / 1e9:.0f} GB/s"
        print(f"{device}, mlx {mx.__version__}\n\n{HEAD}", flush=True)
        mx.reset_peak_memory()  # the copy took 3 GB

    def show(self, kind: str, row: Row, theirs: bool = False) -> None:
        print(row.line(self.peak, self.rows.get(kind) if theirs else None), flush=True)
        if not theirs:
            self.rows[kind] = row

    def without_warm_up(self, stamps: list[float]) -> list[float]:
        return gaps(stamps, min(15, len(stamps) // 3))

    def measure_ours(self) -> None:
        options = self.options
        if options.model:
            ours = Ours.loaded(options.model, options.prompt)
        else:
            ours = Ours.random(options.size, options.bits, options.prompt)
        for batch in options.batch:
            attempt(f"our loop, {counted(batch)}", lambda batch=batch: self.our_loop(ours, batch))  # type: ignore[misc]
        if options.long:
            attempt("a long run", lambda: self.long(ours))
        if not options.no_codec:
            attempt("our stream", lambda: self.our_stream(ours))
            if "stream" not in self.rows and ours.codec._short_step is not None:
                ours.codec._short_step = None
                attempt("our stream, its codec not compiled", lambda: self.our_stream(ours))
            attempt("pieces of our codec", lambda: self.codec_pieces(ours))
            attempt("our codec", lambda: self.codec_alone("mlx-tts", ours.codec, ours.codec.config))

    def our_loop(self, ours: Ours, batch: int) -> None:
        frames, rows = self.options.frames, counted(batch)
        ours.step(4, batch)
        times = self.without_warm_up(ours.step(frames, batch))
        self.show(f"loop {batch}", Row(f"mlx-tts, {self.name}, {rows}, a frame", times, batch, ours.moved))

    def our_stream(self, ours: Ours) -> None:
        count = 1 + self.options.frames // CHUNK * CHUNK
        *_, _ = ours.streamed(1 + 3 * CHUNK)
        *_, (_, times) = ours.streamed(count)
        self.show(
            "stream", Row(f"mlx-tts streamed with the codec, pieces of {CHUNK}, a frame", times[1:], 1, ours.moved)
        )
        firsts = [next(iter(ours.streamed(count)))[0] for _ in range(self.options.repeats)]
        self.show("first", Row("mlx-tts, to the first sound (1 frame)", firsts, 0))

    def codec_pieces(self, ours: Ours) -> None:
        """A stream's pieces one after the other, read back each, by the compiled step and by the plain one."""
        codec, short = ours.codec, ours.codec._short_step
        codes = mx.ones((1, CHUNK, codec.config.num_quantizers), mx.int32)
        for what, step in (("compiled", short), ("plain", codec._step)):
            if step is None:
                continue
            state = codec.make_state()

            def piece(step: Callable[..., tuple[mx.array, object]] = step) -> None:
                nonlocal state
                samples, state = step(codes, state)
                mx.eval(samples, state)

            times = median_of(piece, 4 * self.options.repeats)
            self.show(what, Row(f"mlx-tts: codec alone, a piece of {CHUNK} frames, {what}", times, CHUNK))

    def long(self, ours: Ours) -> None:
        count = self.options.long
        times = gaps(ours.step(count), 0)
        for a, b in ((30, 70), (480, 520), (count - 60, count - 10)):
            if 0 <= a < b <= len(times):
                row = Row(f"mlx-tts, {self.name}, 1 row, frames {a}-{b} of {count}", times[a:b], 1, ours.moved)
                self.show(f"frames {a}-{b}", row)

    def codec_alone(self, whose: str, decode: Callable[[mx.array], mx.array], config: CodecDecoderConfig) -> None:
        count = self.options.codec_frames
        codes = mx.random.randint(1, config.codebook_size, (1, count, config.num_quantizers))
        times = median_of(lambda: np.array(decode(codes)), self.options.repeats)
        row = Row(f"{whose}: codec alone, {count} frames at once", times, count)
        self.show("codec", row, theirs=whose != "mlx-tts")

    def measure_theirs(self) -> None:
        options, count = self.options, self.options.peer_frames
        if options.model:
            model = peer.loaded(options.model, options.prompt)
        else:
            model = peer.random(options.size, options.bits, options.prompt)
        for batch in options.batch:
            attempt(f"mlx-audio's loop, {counted(batch)}", lambda batch=batch: self.their_loop(model, batch))  # type: ignore[misc]
        if not options.no_codec:
            attempt("mlx-audio's stream", lambda: self.their_stream(model, count))
            codec = model.speech_tokenizer
            decode = lambda codes: codec.decode(codes)[0]  # noqa: E731
            attempt("mlx-audio's codec", lambda: self.codec_alone("mlx-audio", decode, codec.config.decoder_config))

    def their_loop(self, model, batch: int) -> None:  # type: ignore[no-untyped-def]
        times, rows = self.without_warm_up(peer.step(model, self.options.peer_frames, batch)), counted(batch)
        self.show(f"loop {batch}", Row(f"mlx-audio, {self.name}, {rows}, a frame", times, batch), theirs=True)

    def their_stream(self, model, count: int) -> None:  # type: ignore[no-untyped-def]
        *_, _ = peer.streamed(model, 2 * CHUNK)
        *_, (_, times) = peer.streamed(model, count)
        self.show("stream", Row(f"mlx-audio streamed with the codec, pieces of {CHUNK}, a frame", times), theirs=True)
        for chunk in (CHUNK, 1):
            next(iter(peer.streamed(model, 2 * CHUNK, chunk)))
            firsts = [next(iter(peer.streamed(model, count, chunk)))[0] for _ in range(self.options.repeats)]
            self.show("first", Row(f"mlx-audio, to the first sound (pieces of {chunk})", firsts, 0), theirs=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("0.6B", "1.7B", "tiny"), default="0.6B")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help="a checkpoint, in place of --size and --bits")
    parser.add_argument("--bits", type=int, choices=tuple(DTYPES), default=4)
    parser.add_argument("--batch", type=int, nargs="+", default=[1], help="rows side by side, one run for each number")
    parser.add_argument("--frames", type=int, default=80)
    parser.add_argument("--prompt", type=int, default=PROMPT, help="positions before the first frame")
    parser.add_argument("--long", type=int, default=0, help="also run so many frames and compare late ones with early")
    parser.add_argument("--codec-frames", type=int, default=100)
    parser.add_argument("--peer-frames", type=int, default=40)
    parser.add_argument("--repeats", type=int, default=5, help="of first sounds and of the codec alone")
    parser.add_argument("--device", choices=("cpu", "gpu"))
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--theirs-only", action="store_true", help="mlx-audio without ours")
    parser.add_argument("--no-codec", action="store_true", help="talker and code predictor only")
    options = parser.parse_args()
    if options.device:
        mx.set_default_device(mx.Device(getattr(mx, options.device)))
    comparison = Comparison(options)
    if not options.theirs_only:
        attempt("ours", comparison.measure_ours)
    if not options.no_peer:
        attempt("mlx-audio", comparison.measure_theirs)
    if on_gpu():
        left_out = sum(not good for good in self_check._results.values())
        kernels = f"kernels used {len(self_check._results) - left_out}, left out {left_out}"
        print(f"\npeak memory {mx.get_peak_memory() / 1e9:.2f} GB; {kernels}")


if __name__ == "__main__":
    sys.exit(main())
