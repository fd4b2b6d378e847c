"""A loaded model in, one row of measurements out: machine, model, real-time factor, first sound, peak memory."""

from __future__ import annotations

import math
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import numpy as np

from mlx_tts.api import TextToSpeech
from mlx_tts.speech import SpeechRequest

TEXT = (
    "The old lighthouse stood at the end of the pier, and every evening its keeper climbed the stairs to light the "
    "lamp. From up there he could see the fishing boats come home, one behind the other, long before anybody else did."
)
WARM_UP_FRAMES = 16
HEADER_BYTES = 44  # of a WAV file
HEAD = """| chip | memory | model | device | real-time factor | ms a frame | first sound | peak memory | versions |
|---|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Run:
    """One utterance: seconds until its first sound and until its end, and how long it is."""

    first: float
    whole: float
    audio: float
    frames: float


def measure(model: TextToSpeech, frames: int, repeats: int) -> list[Run]:
    """Speak the same text `repeats` times, at most `frames` frames of it, after a warm-up."""
    request = replace(_request(model), max_frames=frames, seed=1)
    _run(model, replace(request, max_frames=min(frames, WARM_UP_FRAMES)))
    return [_run(model, request) for _ in range(repeats)]


def _run(model: TextToSpeech, request: SpeechRequest) -> Run:
    begin = time.perf_counter()
    first, samples = 0.0, 0
    for chunk in model.stream(request, low_latency=True):
        first = first or time.perf_counter() - begin
        samples += len(chunk.samples)
    audio = samples / model.sample_rate
    return Run(first, time.perf_counter() - begin, audio, audio * model.info.frame_rate)


def _request(model: TextToSpeech) -> SpeechRequest:
    """A voice for any model; one that clones gets the voice of noise, which takes the same time."""
    info = model.info
    if info.can.clones:
        noise = np.random.default_rng(0).normal(0, 0.05, 3 * info.sample_rate).astype(np.float32)
        return SpeechRequest(TEXT, voice=model.voice(noise, info.sample_rate))
    if info.can.designs:
        return SpeechRequest(TEXT, instruct="A calm voice.")
    return SpeechRequest(TEXT, voice=info.voices[0] if info.voices else None)


FELT_HEAD = """| what a user waits for | measured |
|---|---|"""
BATCH_ROWS = 8


def felt(model: TextToSpeech, name: str, seconds: float = 60.0) -> list[str]:
    """Markdown rows: a command's start, a long text streamed with its sound, eight utterances side by side."""
    cells = [(f"first sound of the command, process start included: {name}", _start(model, name))]
    request = replace(_request(model), seed=1)
    text, begin, first, samples = " ".join([TEXT] * math.ceil(seconds / 12)), time.perf_counter(), 0.0, 0
    stream = model.narrate(text, **{key: getattr(request, key) for key in ("voice", "instruct", "seed")})
    for chunk in stream:
        first = first or time.perf_counter() - begin
        samples += len(chunk.samples)
        if samples >= seconds * model.sample_rate:
            break
    stream.close()  # type: ignore[attr-defined]
    cells.append((f"a long text, {seconds:.0f} s of it: first sound", f"{first:.2f} s"))
    speed = samples / model.sample_rate / (time.perf_counter() - begin)
    cells.append(("the same: seconds of speech a second", f"{speed:.2f}"))
    asked, begin, samples = iter([(number, request) for number in range(BATCH_ROWS)]), time.perf_counter(), 0
    for _, chunk in model.stream_many(asked, rows=BATCH_ROWS):
        samples += len(chunk.samples)
    speed = samples / model.sample_rate / (time.perf_counter() - begin)
    cells.append((f"{BATCH_ROWS} texts side by side: seconds of speech a second", f"{speed:.2f}"))
    return [f"| {what} | {measured} |" for what, measured in cells]


def _start(model: TextToSpeech, name: str) -> str:
    """Seconds from the start of `mlx-tts speak` to the first bytes of sound in its pipe."""
    if not model.info.can.presets:
        return "-"
    command = [sys.executable, "-m", "mlx_tts", "speak", "Good morning.", "--model", name, "-o", "-", "-q"]
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        sound = process.stdout.read(HEADER_BYTES + 1)
        first = time.perf_counter() - begin
        process.stdout.read()
    return f"{first:.2f} s" if sound else f"failed, exit {process.returncode}"


def row(model: str, runs: list[Run]) -> str:
    """The runs as one Markdown row: medians, and the spread of the real-time factor."""
    from mlx_tts import __version__
    from mlx_tts.runtime.device import gpu_info
    from mlx_tts.runtime.memory import peak_bytes, total_bytes

    factors = [run.whole / run.audio for run in runs]
    factor = f"{statistics.median(factors):.3f} ({min(factors):.3f}-{max(factors):.3f})"
    frame = 1e3 * statistics.median([run.whole / run.frames for run in runs])
    first = 1e3 * statistics.median([run.first for run in runs])
    device = "CPU" if gpu_info() is None else "GPU"
    versions = (
        f"mlx-tts {__version__}, mlx {metadata.version('mlx')}, {platform.system()} {platform.release().split('-')[0]}"
    )
    cells = (chip(), f"{total_bytes() / 2**30:.0f} GB", model, device, factor, f"{frame:.1f}", f"{first:.0f} ms")
    return f"| {' | '.join(cells)} | {peak_bytes() / 1e9:.2f} GB | {versions} |"


def chip() -> str:
    """What people call this machine's processor, or its GPU where that computes."""
    from mlx_tts.runtime.device import gpu_info

    if (gpu := gpu_info()) is not None:
        return str(gpu.get("device_name", "GPU"))
    if platform.system() == "Darwin":
        asked = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip() or platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else platform.machine()
