# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""Sizes and bits in, a Markdown table out: milliseconds a frame of this package and of mlx-audio, in turn, in one run.

python benchmarks/compare.py                                   0.6B, 4 bits, with mlx-audio where it is installed
python benchmarks/compare.py --bits 8 --batch 8 32 --no-peer   our loop alone, 8 and then 32 rows
python benchmarks/compare.py --size 1.7B --frames 60 --device cpu --bits 32

Weights are random, shapes the published ones. Both start from a prepared prompt of 40 positions (a text of 24 tokens
and what stands around it) and draw with the published settings. All is timed from frame to frame as it comes out,
without the first frames (warm-up, compilation). What fails says so and the rest goes on.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from mlx_tts import blas

blas.preload()  # before mlx, so that the fast products are found

import mlx.core as mx
import numpy as np
from random_model import bytes_a_frame, codec_config, random_codec, random_talker, talker_config

from mlx_tts.models.qwen3_tts.frames import FrameLoop, Utterance
from mlx_tts.nn.device import on_gpu
from mlx_tts.nn.kernels import trust
from mlx_tts.sampling import Drawing, DrawSettings

DRAWING = Drawing(DrawSettings(0.9, 50, 1.0), DrawSettings(0.9, 50, 1.0), 1.05)
PROMPT = 40  # positions
CHUNK = 4  # frames a streamed piece
DTYPES = {4: mx.bfloat16, 8: mx.bfloat16, 16: mx.bfloat16, 32: mx.float32}


@dataclass(frozen=True)
class Row:
    """What was run, and the milliseconds of each step once warm; a step speaks `frames` frames (0: something else)."""

    what: str
    times: list[float]
    frames: int = 1
    moved: int = 0  # bytes of weights a frame reads

    def line(self, peak: float, beside: Row | None) -> str:
        middle = statistics.median(self.times)
        tenths = np.percentile(self.times, [10, 90])
        share = f"{self.moved / middle * 1e3 / peak:.0%}" if self.moved else "-"
        ratio = f"{middle / statistics.median(beside.times):.2f}" if beside else "-"
        moved = f"{self.moved / 1e9:.2f}" if self.moved else "-"
        speed = f"{80 * self.frames / middle:.2f}" if self.frames else "-"
        return (
            f"| {self.what} | {middle:.2f} | {tenths[0]:.2f}-{tenths[1]:.2f} | {speed} | {moved} | {share} | {ratio} |"
        )


HEAD = """| what | ms | p10-p90 | x real time | GB a frame | of copy bandwidth | times as long as ours |
|---|---|---|---|---|---|---|"""


def gaps(stamps: list[float], skip: int) -> list[float]:
    return (np.diff(stamps)[skip:] * 1e3).tolist()


def prompts(width: int, batch: int, frames: int, dtype: mx.Dtype) -> list[Utterance]:
    rows = []
    for index in range(batch):
        prefill = (0.5 * mx.random.normal((PROMPT, width))).astype(dtype)
        rows.append(Utterance(prefill, mx.zeros((0, width), dtype), mx.zeros((width,), dtype), 1, index, frames))
    return rows


class Ours:
    """Our talker and codec of one size, with the end of speech forbidden, so that all runs have one length."""

    def __init__(self, size: str, bits: int):
        self.config, self.dtype = talker_config(size), DTYPES[bits]
        self.talker = random_talker(self.config, bits, self.dtype)
        self.loop = FrameLoop(self.talker, self.config)
        self.loop.later = self.loop.early
        self.moved = bytes_a_frame(self.talker)
        self.codec = random_codec(size)

    def frames(self, count: int, batch: int = 1) -> Iterator[mx.array]:
        rows = prompts(self.config.hidden_size, batch, count, self.dtype)
        mx.eval([row.prefill for row in rows])
        for index, codes in self.loop.run(iter(rows), DRAWING, batch):
            if index == 0 and codes is not None:
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


def peer(size: str, bits: int):  # type: ignore[no-untyped-def]
    """mlx-audio's model of the same shapes with random weights and a prepared prompt; its own code does the rest."""
    from mlx import nn
    from mlx_audio.tts.models.qwen3_tts import qwen3_tts as theirs
    from mlx_audio.tts.models.qwen3_tts.config import ModelConfig, Qwen3TTSTokenizerConfig

    ours = talker_config(size)
    names = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads")
    names += ("head_dim", "vocab_size")
    shape = {name: getattr(ours, name) for name in names} | {"text_vocab_size": ours.text_vocab_size}
    shape["code_predictor_config"] = {name: getattr(ours.code_predictor_config, name) for name in names}
    model = theirs.Model(ModelConfig(talker_config=shape))  # the rest of its defaults are the published ones
    model.set_dtype(DTYPES[bits])
    if bits < 16:
        linear = lambda path, layer: isinstance(layer, nn.Linear) and path.startswith("talker")  # noqa: E731
        nn.quantize(model, group_size=64, bits=bits, class_predicate=linear)
    # with the published defaults the encoder would be built too: only cloning uses it
    codec = asdict(codec_config(size))
    speech = theirs.Qwen3TTSSpeechTokenizer(Qwen3TTSTokenizerConfig(encoder_config=None, decoder_config=codec))
    mx.eval(model.parameters(), speech.parameters())
    speech.decoder = mx.compile(speech.decoder)  # as its loader does
    model.load_speech_tokenizer(speech)
    D = ours.hidden_size
    mx.random.seed(0)
    ready = [(0.5 * mx.random.normal((1, n, D))).astype(DTYPES[bits]) for n in (PROMPT, 1, 1)]
    model._prepare_generation_inputs = lambda *_, **__: tuple(ready)
    return model


def peer_options(count: int) -> dict[str, object]:
    drawing = {"temperature": 0.9, "top_k": 50, "top_p": 1.0, "repetition_penalty": 1.05}
    return {"text": "x", "max_tokens": count, "verbose": False, **drawing}


def peer_step(model, count: int, batch: int) -> list[float]:  # type: ignore[no-untyped-def]
    """A stamp behind each frame of its loop; the loop evaluates once a frame, and its codec is left out."""
    stamps: list[float] = []
    talker = model.talker

    class Stamped:  # the loop calls the talker once a frame, right after it has read the frame before
        def __call__(self, *arguments, **options):  # type: ignore[no-untyped-def]
            stamps.append(time.perf_counter())
            return talker(*arguments, **options)

        def __getattr__(self, name):  # type: ignore[no-untyped-def]
            return getattr(talker, name)

    def silent(codes: mx.array) -> tuple[mx.array, mx.array]:
        return mx.zeros((1, 1920)), mx.array([1920])

    decode = model.speech_tokenizer.decode
    model.talker, model.speech_tokenizer.decode = Stamped(), silent
    try:
        if batch == 1:
            list(model.generate(**peer_options(count)))
        else:
            options = peer_options(count)
            list(model.batch_generate([str(options.pop("text"))] * batch, **options))
    finally:
        model.talker, model.speech_tokenizer.decode = talker, decode
    return stamps


def peer_streamed(model, count: int, chunk: int = CHUNK) -> Iterator[tuple[float, list[float]]]:  # type: ignore[no-untyped-def]
    """After each piece: milliseconds to the first one, and per frame of every later one."""
    begin = last = time.perf_counter()
    first, times = 0.0, []
    for piece in model.generate(**peer_options(count), stream=True, streaming_interval=chunk / 12.5 + 1e-6):
        np.array(piece.audio)
        now = time.perf_counter()
        if first:
            times.append((now - last) * 1e3 / piece.token_count)
        first, last = first or (now - begin) * 1e3, now
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
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        print(f"FAILED {what}: {type(error).__name__}: {str(error)[:600]} ({last.filename}:{last.lineno})", flush=True)


class Comparison:
    """The measurements of one run; those of mlx-audio are divided by ours of the same kind."""

    def __init__(self, options: argparse.Namespace):
        self.options, self.peak = options, copy_bandwidth()
        kernels = f", kernels {'on' if trust.wanted() else 'off'}" if on_gpu() else ""
        self.name = f"{options.size}, {options.bits} bits{kernels}"
        self.rows: dict[str, Row] = {}
        device = f"{mx.default_device()}, copying {self.peak / 1e9:.0f} GB/s"
        print(f"{device}, mlx {mx.__version__}\n\n{HEAD}", flush=True)

    def show(self, kind: str, row: Row, theirs: bool = False) -> None:
        beside = self.rows.get(kind) if theirs else None
        print(row.line(self.peak, beside), flush=True)
        self.rows.setdefault(kind, row)

    def settled(self, stamps: list[float]) -> list[float]:
        return gaps(stamps, min(15, len(stamps) // 3))

    def measure_ours(self) -> None:
        options, ours = self.options, Ours(self.options.size, self.options.bits)
        for batch in options.batch:
            attempt(f"our loop, {batch} rows", lambda batch=batch: self.our_loop(ours, batch))  # type: ignore[misc]
        if options.long:
            attempt("a long run", lambda: self.long(ours))
        if not options.no_codec:
            attempt("our stream", lambda: self.our_stream(ours))
            if "stream" not in self.rows and ours.codec._short_step is not None:
                ours.codec._short_step = None
                attempt("our stream, its codec not compiled", lambda: self.our_stream(ours))
            attempt("pieces of our codec", lambda: self.codec_pieces(ours))
            attempt("our codec", lambda: self.codec_alone("mlx-tts", lambda codes: ours.codec(codes)))

    def our_loop(self, ours: Ours, batch: int) -> None:
        frames, rows = self.options.frames, counted(batch)
        ours.step(4, batch)
        times = self.settled(ours.step(frames, batch))
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
        parts = ((30, 70), (480, 520), (count - 60, count - 10))
        found = [
            f"frames {a}-{b}: {statistics.median(times[a:b]):.2f} ms" for a, b in parts if 0 <= a < b <= len(times)
        ]
        print("\n" + "; ".join(found), flush=True)

    def codec_alone(self, whose: str, decode: Callable[[mx.array], mx.array]) -> None:
        count, config = self.options.codec_frames, codec_config(self.options.size)
        codes = mx.random.randint(1, config.codebook_size, (1, count, config.num_quantizers))
        times = median_of(lambda: np.array(decode(codes)), self.options.repeats)
        row = Row(f"{whose}: codec alone, {count} frames at once", times, count)
        self.show("codec", row, theirs=whose != "mlx-tts")

    def measure_theirs(self) -> None:
        options, model = self.options, peer(self.options.size, self.options.bits)
        count = options.peer_frames
        for batch in options.batch:
            attempt(f"mlx-audio's loop, {batch} rows", lambda batch=batch: self.their_loop(model, batch))  # type: ignore[misc]
        if not options.no_codec:
            attempt("mlx-audio's stream", lambda: self.their_stream(model, count))
            attempt(
                "mlx-audio's codec",
                lambda: self.codec_alone("mlx-audio", lambda codes: model.speech_tokenizer.decode(codes)[0]),
            )

    def their_loop(self, model, batch: int) -> None:  # type: ignore[no-untyped-def]
        times, rows = self.settled(peer_step(model, self.options.peer_frames, batch)), counted(batch)
        self.show(f"loop {batch}", Row(f"mlx-audio, {self.name}, {rows}, a frame", times, batch), theirs=True)

    def their_stream(self, model, count: int) -> None:  # type: ignore[no-untyped-def]
        *_, _ = peer_streamed(model, 2 * CHUNK)
        *_, (_, times) = peer_streamed(model, count)
        self.show("stream", Row(f"mlx-audio streamed with the codec, pieces of {CHUNK}, a frame", times), theirs=True)
        for chunk in (CHUNK, 1):
            next(iter(peer_streamed(model, 2 * CHUNK, chunk)))
            firsts = [next(iter(peer_streamed(model, count, chunk)))[0] for _ in range(self.options.repeats)]
            self.show("first", Row(f"mlx-audio, to the first sound (pieces of {chunk})", firsts, 0), theirs=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("0.6B", "1.7B", "tiny"), default="0.6B")
    parser.add_argument("--bits", type=int, choices=tuple(DTYPES), default=4)
    parser.add_argument("--batch", type=int, nargs="+", default=[1], help="rows side by side, one run for each number")
    parser.add_argument("--frames", type=int, default=80)
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
        left_out = sum(not good for good in trust._verdicts.values())
        kernels = f"kernels used {len(trust._verdicts) - left_out}, left out {left_out}"
        print(f"\npeak memory {mx.get_peak_memory() / 1e9:.2f} GB; {kernels}")


if __name__ == "__main__":
    sys.exit(main())
