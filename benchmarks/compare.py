# ruff: noqa: E402 (a BLAS is loaded before mlx)
"""Sizes and bits in, a Markdown table out: milliseconds a frame of this package and of mlx-audio, in turn, in one run.

python benchmarks/compare.py                                   0.6B, 4 bits, with mlx-audio where it is installed
python benchmarks/compare.py --bits 8 --batch 8 --no-peer      our loop alone
python benchmarks/compare.py --size 1.7B --frames 60 --device cpu --bits 32
python benchmarks/compare.py --model FOLDER                    a checkpoint that both load

Without --model weights are random, shapes the published ones. Both start from a random prompt (40 positions; --prompt
2000 shows a late frame) and draw with the published settings. All is timed
from frame to frame as it comes out, without the first frames (warm-up, compilation).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mlx_tts import blas

blas.preload()  # before mlx, so that the fast products are found

import mlx.core as mx
import numpy as np
from random_model import bytes_a_frame, random_codec, random_talker, talker_config

from mlx_tts.loading import load_folder
from mlx_tts.models.qwen3_tts.codec_decoder import CodecDecoder
from mlx_tts.models.qwen3_tts.frames import FrameLoop, Utterance
from mlx_tts.models.qwen3_tts.synthesizer import Qwen3TTS
from mlx_tts.nn.device import on_gpu
from mlx_tts.nn.kernels import trust
from mlx_tts.sampling import Drawing, DrawSettings

DRAWING = Drawing(DrawSettings(0.9, 50, 1.0), DrawSettings(0.9, 50, 1.0), 1.05)
PROMPT = 40  # positions
CHUNK = 4  # frames a streamed piece
DTYPES = {4: mx.bfloat16, 8: mx.bfloat16, 16: mx.bfloat16, 32: mx.float32}


@dataclass(frozen=True)
class Row:
    """What was run, and the milliseconds of each frame (of all rows of a batch together) once it was warm."""

    what: str
    times: list[float]
    batch: int = 1
    moved: int = 0  # bytes of weights a frame reads

    def line(self, peak: float, beside: Row | None) -> str:
        middle = statistics.median(self.times)
        tenths = np.percentile(self.times, [10, 90])
        share = f"{self.moved / middle * 1e3 / peak:.0%}" if self.moved else "-"
        ratio = f"{statistics.median(beside.times) / middle:.2f}" if beside and beside is not self else "-"
        moved = f"{self.moved / 1e9:.2f}" if self.moved else "-"
        speed = 80 * self.batch / middle
        return (
            f"| {self.what} | {middle:.2f} | {tenths[0]:.2f}-{tenths[1]:.2f} | {speed:.2f} "
            f"| {moved} | {share} | {ratio} |"
        )


HEAD = """| what | ms a frame | p10-p90 | x real time | GB a frame | of copy bandwidth | times faster than mlx-audio |
|---|---|---|---|---|---|---|"""


def gaps(stamps: list[float], skip: int) -> list[float]:
    return (np.diff(stamps)[skip:] * 1e3).tolist()


def prompts(width: int, batch: int, frames: int, dtype: mx.Dtype, length: int) -> list[Utterance]:
    rows = []
    for index in range(batch):
        prefill = (0.5 * mx.random.normal((length, width))).astype(dtype)
        rows.append(Utterance(prefill, mx.zeros((0, width), dtype), mx.zeros((width,), dtype), 1, index, frames))
    return rows


class Ours:
    """Our talker and codec, with the end of speech forbidden, so that all runs have one length."""

    def __init__(self, loop: FrameLoop, codec: CodecDecoder, dtype: mx.Dtype, prompt: int = PROMPT):
        self.loop, self.codec, self.dtype, self.prompt = loop, codec, dtype, prompt
        self.loop.later = self.loop.early
        self.moved = bytes_a_frame(loop.talker)

    @classmethod
    def random(cls, size: str, bits: int, prompt: int) -> Ours:
        config, dtype = talker_config(size), DTYPES[bits]
        return cls(FrameLoop(random_talker(config, bits, dtype), config), random_codec(), dtype, prompt)

    @classmethod
    def loaded(cls, folder: Path, prompt: int) -> Ours:
        model = load_folder(folder)
        assert isinstance(model, Qwen3TTS)
        return cls(model._loop, model._decoder, model._loop.talker.dtype, prompt)

    def frames(self, count: int, batch: int = 1) -> Iterator[mx.array]:
        rows = prompts(self.loop.config.hidden_size, batch, count, self.dtype, self.prompt)
        mx.eval([row.prefill for row in rows])
        for index, codes in self.loop.run(iter(rows), DRAWING, batch):
            if index == 0 and codes is not None:
                yield codes

    def step(self, count: int, batch: int = 1) -> list[float]:
        return [time.perf_counter() for _ in self.frames(count, batch)]

    def streamed(self, count: int) -> tuple[float, list[float]]:
        """Milliseconds to the first sound (a piece of one frame), and per frame in pieces of four after it."""
        begin = last = time.perf_counter()
        first, times, pending, size = 0.0, [], [], 1
        state = self.codec.make_state()
        for codes in self.frames(count):
            pending.append(codes)
            if len(pending) == size:
                samples, state = self.codec.step(mx.array(np.stack(pending)[None]), state)
                mx.eval(samples, state)
                np.array(samples)
                now = time.perf_counter()
                first = first or (now - begin) * 1e3
                times.append((now - last) * 1e3 / size)
                last, pending, size = now, [], CHUNK
        return first, times[2:]


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
    speech = theirs.Qwen3TTSSpeechTokenizer(Qwen3TTSTokenizerConfig(encoder_config=None))
    mx.eval(model.parameters(), speech.parameters())
    speech.decoder = mx.compile(speech.decoder)  # as its loader does
    model.load_speech_tokenizer(speech)
    return prepared(model, DTYPES[bits])


def loaded_peer(folder: Path):  # type: ignore[no-untyped-def]
    """mlx-audio's model of a checkpoint. It may end its speech early: the prompt means nothing to it."""
    from mlx_audio.tts.utils import load_model

    model = load_model(folder)
    model.config.tts_model_type = "base"  # the prompt is given: no voice or instruction has to be
    return prepared(model, model.talker.model.norm.weight.dtype)


def prepared(model, dtype: mx.Dtype):  # type: ignore[no-untyped-def]
    """The same with a prompt given."""
    D = model.config.talker_config.hidden_size
    mx.random.seed(0)
    ready = [(0.5 * mx.random.normal((1, n, D))).astype(dtype) for n in (PROMPT, 1, 1)]
    model._prepare_generation_inputs = lambda *_, **__: tuple(ready)
    return model


def peer_options(count: int) -> dict[str, object]:
    drawing = {"temperature": 0.9, "top_k": 50, "top_p": 1.0, "repetition_penalty": 1.05}
    return {"text": "x", "max_tokens": count, "verbose": False, **drawing}


def peer_step(model, count: int) -> list[float]:  # type: ignore[no-untyped-def]
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
        list(model.generate(**peer_options(count)))
    finally:
        model.talker, model.speech_tokenizer.decode = talker, decode
    return stamps


def peer_streamed(model, count: int) -> tuple[float, list[float]]:  # type: ignore[no-untyped-def]
    begin = last = time.perf_counter()
    first, times = 0.0, []
    for chunk in model.generate(**peer_options(count), stream=True, streaming_interval=CHUNK / 12.5 + 1e-6):
        np.array(chunk.audio)
        now = time.perf_counter()
        first = first or (now - begin) * 1e3
        times.append((now - last) * 1e3 / chunk.token_count)
        last = now
    return first, times[1:]


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=("0.6B", "1.7B", "tiny"), default="0.6B")
    parser.add_argument(
        "--model", type=Path, metavar="FOLDER", help="a checkpoint; --size and --bits do not count then"
    )
    parser.add_argument("--bits", type=int, choices=tuple(DTYPES), default=4)
    parser.add_argument("--batch", type=int, default=1, help="rows side by side; more than one: our loop alone")
    parser.add_argument("--frames", type=int, default=80)
    parser.add_argument("--prompt", type=int, default=PROMPT, help="positions before the first frame; our loop alone")
    parser.add_argument("--long", type=int, default=0, help="also run so many frames and compare late ones with early")
    parser.add_argument("--codec-frames", type=int, default=100)
    parser.add_argument("--peer-frames", type=int, default=40)
    parser.add_argument("--device", choices=("cpu", "gpu"))
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--no-codec", action="store_true", help="talker and code predictor only")
    options = parser.parse_args()
    if options.device:
        mx.set_default_device(mx.Device(getattr(mx, options.device)))
    peak, skip = copy_bandwidth(), min(15, options.frames // 3)
    kernels = f", kernels {'on' if trust.wanted() else 'off'}" if on_gpu() else ""
    name = options.model.resolve().name if options.model else f"{options.size}, {options.bits} bits"
    name += kernels + (f", after {options.prompt} positions" if options.prompt != PROMPT else "")
    print(f"{mx.default_device()}, copying {peak / 1e9:.0f} GB/s, mlx {mx.__version__}\n\n{HEAD}", flush=True)
    theirs: dict[str, Row] = {}

    def show(row: Row, key: str = "") -> None:
        print(row.line(peak, theirs.get(key)), flush=True)

    if not options.no_peer and options.batch == 1 and options.prompt == PROMPT:
        model = loaded_peer(options.model) if options.model else peer(options.size, options.bits)
        count = options.peer_frames
        theirs["step"] = Row(f"mlx-audio, {name}", gaps(peer_step(model, count), min(15, count // 3)))
        show(theirs["step"])
        if not options.no_codec:
            peer_streamed(model, 2 * CHUNK)
            first, times = peer_streamed(model, count)
            theirs["streamed"] = Row(f"mlx-audio streamed, first sound {first:.0f} ms (4 frames)", times)
            show(theirs["streamed"])
        del model
    if options.model:
        ours = Ours.loaded(options.model, options.prompt)
    else:
        ours = Ours.random(options.size, options.bits, options.prompt)
    ours.step(4, options.batch)
    show(
        Row(
            f"mlx-tts, {name}, {options.batch} rows",
            gaps(ours.step(options.frames, options.batch), skip),
            options.batch,
            ours.moved,
        ),
        "step",
    )
    if not options.no_codec and options.batch == 1:
        ours.streamed(1 + 3 * CHUNK)
        first, times = ours.streamed(1 + options.frames // CHUNK * CHUNK)
        show(Row(f"mlx-tts streamed, first sound {first:.0f} ms (1 frame)", times, 1, ours.moved), "streamed")
        codes = mx.zeros((1, options.codec_frames, ours.codec.config.num_quantizers), mx.int32)
        times = median_of(lambda: mx.eval(ours.codec(codes)), 3)
        middle = statistics.median(times)
        print(
            f"\ncodec alone, {options.codec_frames} frames: {middle:.1f} ms ({min(times):.1f}-{max(times):.1f})",
            flush=True,
        )
    if options.long:
        times = gaps(ours.step(options.long), 0)
        parts = ((30, 70), (480, 520), (options.long - 60, options.long - 10))
        found = [f"frames {a}-{b}: {statistics.median(times[a:b]):.2f} ms" for a, b in parts if a < b <= len(times)]
        print("\n" + "; ".join(found))
    if on_gpu():
        print(f"\npeak memory {mx.get_peak_memory() / 1e9:.2f} GB")


if __name__ == "__main__":
    sys.exit(main())
