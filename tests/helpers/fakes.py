"""Stand-ins for what the command line drives: a Synthesizer that hums, a sound device that listens."""

from __future__ import annotations

import sys
import threading
import time
import types
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts import api
from mlx_tts.models import families
from mlx_tts.models.qwen3_tts import checkpoint as qwen3_tts
from mlx_tts.models.qwen3_tts.checkpoint import Checkpoint
from mlx_tts.speech import AudioChunk, CheckedRequest, GuardReport, ModelInfo, SpeechRequest, Voice
from tests.helpers.made_stream import MadeStream
from tests.helpers.paths import ROOT

FRAME = 1920
VOICES = ("serena", "uncle_fu", "ryan", "hazel")
LANGUAGES = ("auto", "chinese", "english", "german", "french", "portuguese")
CHECKPOINT_FILES = (
    "config.json",
    "vocab.json",
    "merges.txt",
    "model.safetensors",
    "speech_tokenizer/config.json",
    "speech_tokenizer/model.safetensors",
)


def make_folder(folder: Path) -> Path:
    """A folder with the names of a checkpoint's files, and nothing in them."""
    (folder / "speech_tokenizer").mkdir(parents=True)
    for name in CHECKPOINT_FILES:
        (folder / name).write_text('{"model_type": "qwen3_tts"}')
    return folder


CASES = {"custom_voice": "custom_voice_tiny", "base": "base_tiny", "voice_design": "voice_design_wide"}


def checkpoint_of(folder: Path, kind: str) -> Checkpoint:
    """The small files of an oracle case under another folder's name, with voices that the tests know."""
    opened = qwen3_tts.open_checkpoint(ROOT / "tests" / "fixtures" / "oracle" / CASES[kind] / "checkpoint")
    voices = VOICES if kind == "custom_voice" else ()
    info = replace(opened.info, folder=folder, size="0b6", voices=voices, languages=LANGUAGES, dialects={})
    return replace(opened, folder=folder, info=info)


def hum(frames: int) -> np.ndarray:
    return (0.3 * np.sin(2 * np.pi * 220 / 24_000 * np.arange(frames * FRAME))).astype(np.float32)


@dataclass
class FakeSynthesizer:
    """Hums 220 Hz: 25 frames or max_frames, a frame at a time; notes what it was asked."""

    checkpoint: Checkpoint
    frames: int = 25
    pause: float = 0.0
    failure: BaseException | None = None
    requests: list[SpeechRequest] = field(default_factory=list)
    clones: list[tuple[int, int, str | None]] = field(default_factory=list)
    row_bytes: int = 1 << 20
    kernel_form: str = "plain"
    frames_made: int = 0

    def use_kernel_form(self, name: str) -> None:
        self.kernel_form = name

    @property
    def info(self) -> ModelInfo:
        return self.checkpoint.info

    @property
    def sample_rate(self) -> int:
        return self.info.sample_rate

    def check(self, request: SpeechRequest) -> CheckedRequest:
        return families.check_request(self.checkpoint, request)

    def stream(self, request: SpeechRequest) -> Iterator[AudioChunk]:
        self.requests.append(request)
        total = min(self.frames, request.max_frames or self.frames)
        samples = hum(total)
        for at in range(total):
            if self.failure is not None and at == 10:
                raise self.failure
            time.sleep(self.pause)
            self.frames_made += 1
            yield AudioChunk(samples[at * FRAME : (at + 1) * FRAME], self.sample_rate)

    def serve_rows(self, rows: int | None = None) -> int:
        return 8

    def submit(
        self,
        request: SpeechRequest,
        *,
        live: bool = False,
        low_latency: bool = False,
        condition: threading.Condition | None = None,
        number: int = 0,
    ) -> MadeStream:
        return MadeStream(request, self.chunks(request))

    def chunks(self, request: SpeechRequest) -> Iterator[AudioChunk]:
        yield from self.stream(request)
        yield AudioChunk(np.zeros(0, np.float32), self.sample_rate, GuardReport(1))

    def stream_many(self, requests: Any) -> Iterator[tuple[int, AudioChunk]]:
        for number, request in requests:
            for chunk in self.chunks(request):
                yield number, chunk

    def close(self) -> None: ...

    def voice(self, samples: np.ndarray, sample_rate: int, transcript: str | None = None) -> Voice:
        self.clones.append((len(samples), sample_rate, transcript))
        width, books = (
            self.checkpoint.model.talker_config.hidden_size,
            self.checkpoint.codec.decoder_config.num_quantizers,
        )
        codes = None if transcript is None else np.arange(2 * books, dtype=np.int32).reshape(2, books) % 7
        return Voice(np.linspace(-1, 1, width, dtype=np.float32), codes, transcript)


@dataclass
class FakeModels:
    """Replaces families.describe and api.load_folder; the kind of a folder is the end of its name."""

    synthesizers: list[FakeSynthesizer] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)

    def open_checkpoint(self, folder: Path) -> Checkpoint:
        kind = next((k for k in ("voice_design", "base") if folder.name.endswith(k)), "custom_voice")
        return checkpoint_of(folder, kind)

    def load_checkpoint(self, checkpoint: Checkpoint, **options: Any) -> FakeSynthesizer:
        self.synthesizers.append(FakeSynthesizer(checkpoint, **self.settings))
        return self.synthesizers[-1]

    @property
    def request(self) -> SpeechRequest:
        return self.synthesizers[-1].requests[-1]

    def install(self) -> FakeModels:
        families.open_checkpoint = self.open_checkpoint
        api.load_checkpoint = self.load_checkpoint  # type: ignore[assignment]
        return self


class FakeSoundDevice(types.ModuleType):
    """PortAudio as far as the speaker sink knows it: a stream pulls blocks until it is stopped."""

    class PortAudioError(Exception):
        pass

    def __init__(self, devices: int = 1, heard: np.ndarray | None = None, block_seconds: float = 0.0005) -> None:
        """block_seconds: how long a block of 20 ms takes to be played.

        heard: what the microphone hears, at 48 kHz, again and again; None: there is no microphone."""
        super().__init__("sounddevice")
        self.heard, self.block_seconds = heard, block_seconds
        self.devices = devices
        self.streams: list[FakeStream] = []

    def query_devices(self, device: int | None = None, kind: str | None = None) -> Any:
        if kind is None:
            return [{"name": f"fake {number}", "max_output_channels": 2} for number in range(self.devices)]
        if kind == "input" and self.heard is None:
            raise self.PortAudioError("no device")
        if kind == "output" and not self.devices:
            raise self.PortAudioError("no device")
        return {"name": "fake", "default_samplerate": 48_000.0}

    def InputStream(self, **options: Any) -> FakeMicrophone:
        return FakeMicrophone(self.heard, **options)

    def OutputStream(self, **options: Any) -> FakeStream:
        if not self.devices:
            raise self.PortAudioError("no device")
        self.streams.append(FakeStream(**options))
        self.streams[-1].block_seconds = self.block_seconds
        return self.streams[-1]


class FakeMicrophone:
    """Gives a callback what it hears, a block of 10 ms at a time, much faster than time goes by."""

    active = True

    def __init__(self, heard: np.ndarray, samplerate: int, channels: int, dtype: str, callback: Any) -> None:
        import threading

        self._heard, self._callback, self._ended = heard, callback, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        at = 0
        while not self._ended.wait(0.0002):
            block = np.take(self._heard, np.arange(at, at + 480), mode="wrap").astype(np.float32)
            self._callback(block[:, None], 480, None, None)
            at += 480

    def __enter__(self) -> FakeMicrophone:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()


class FakeStream:
    """Calls back from a thread of its own, as PortAudio does, and keeps what it is given."""

    active = True
    block_seconds = 0.0005

    def __init__(self, samplerate: int, channels: int, dtype: str, callback: Any, device: int | None = None) -> None:
        import threading

        self.samplerate, self.device = samplerate, device

        self.blocks: list[np.ndarray] = []
        self.times: list[float] = []  # when each block was taken
        self.ended = ""
        self._callback = callback
        self._running = threading.Event()
        self._thread = threading.Thread(target=self._pull, daemon=True)

    def _pull(self) -> None:
        while self._running.is_set():
            block = np.full((480, 1), 9.0, np.float32)
            self._callback(block, 480, None, None)
            self.blocks.append(block[:, 0])
            self.times.append(time.monotonic())
            time.sleep(self.block_seconds)

    def start(self) -> None:
        self._running.set()
        self._thread.start()

    def _end(self, how: str) -> None:
        self.ended = self.ended or how
        self._running.clear()
        if self._thread.is_alive():
            self._thread.join()

    def stop(self) -> None:
        self._end("stopped")

    def abort(self) -> None:
        self._end("aborted")

    def close(self) -> None:
        self._end("closed")

    @property
    def first_sound(self) -> float | None:
        """When the first block was taken that is not silent."""
        return next((at for at, block in zip(self.times, self.blocks, strict=False) if block.any()), None)

    @property
    def heard(self) -> np.ndarray:
        return np.concatenate(self.blocks) if self.blocks else np.zeros(0, np.float32)


if __name__ == "__main__":
    # python fakes.py PAUSE ARGUMENTS...: the command with a humming model, for tests of signals. With --play it is
    # played in real time by a sound device that keeps silent.
    FakeModels(settings={"pause": float(sys.argv[1]), "frames": 250}).install()
    if "--play" in sys.argv:
        sys.modules["sounddevice"] = FakeSoundDevice(block_seconds=0.02)
    sys.argv[1:] = sys.argv[2:]
    from mlx_tts.cli import main

    main()
