"""Samples as they are made -> the bytes of one of the six formats, as soon as the format allows."""

from __future__ import annotations

import io
import struct
from typing import Any, Literal, Protocol

import numpy as np

from mlx_tts.audio.effects.limiter import LOUD
from mlx_tts.audio.sinks.streams import to_pcm16, wav_header
from mlx_tts.samples import Samples
from mlx_tts.server.mastering import Mastering

PCM_RATE = 24_000  # bare samples say no rate, and clients take this one for granted
MEDIA_TYPES = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}
# format -> container, codec, options of the container: no header that is written at the end, small pages
CONTAINERS: dict[str, tuple[str, str, dict[str, str]]] = {
    "mp3": ("mp3", "libmp3lame", {"write_xing": "0", "id3v2_version": "0"}),
    "opus": ("ogg", "libopus", {"page_duration": "20000"}),
    "aac": ("adts", "aac", {}),
    "flac": ("flac", "flac", {}),
}
OPUS_RATES = (8_000, 12_000, 16_000, 24_000, 48_000)
BITS_A_SECOND = {"mp3": 128_000, "opus": 48_000, "aac": 96_000}


class Encoder(Protocol):
    """Takes samples [N] in order; the bytes of all calls joined are the file."""

    def is_slow(self, samples: Samples) -> bool:
        """Whether these samples take too long for an event loop."""
        ...

    def begin_voice(self, name: str | None) -> None: ...
    def encode(self, samples: Samples) -> bytes: ...
    def finish(self) -> bytes: ...


class PlainEncoder:
    """16-bit samples, behind a WAV header of open sizes where that is wanted."""

    def is_slow(self, _samples: Samples) -> bool:
        return False

    def __init__(self, header: bytes = b""):
        self._header = header

    def begin_voice(self, name: str | None) -> None: ...

    def encode(self, samples: Samples) -> bytes:
        header, self._header = self._header, b""
        return header + to_pcm16(samples)

    def finish(self) -> bytes:
        return self.encode(np.zeros(0, np.float32))


class _Output(io.RawIOBase):
    """What a container is written to: it cannot seek, so nothing that was written changes later."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


class ContainerEncoder:
    """MP3, Opus, AAC or FLAC by FFmpeg."""

    def is_slow(self, _samples: Samples) -> bool:
        return True

    def __init__(self, name: str, sample_rate: int):
        import av

        container, codec, options = CONTAINERS[name]
        self._rate = sample_rate
        self._output = _Output()
        opened: Any = av.open(self._output, "w", format=container, options={"flush_packets": "1", **options})
        self._container, self._stream = opened, opened.add_stream(codec, rate=sample_rate)
        self._stream.layout = "mono"
        if name in BITS_A_SECOND:
            self._stream.bit_rate = BITS_A_SECOND[name]
        if name == "flac":
            self._stream.format = "s16"
            self._stream.codec_context.options = {"frame_size": "1152"}
        self._made = 0

    def begin_voice(self, name: str | None) -> None: ...

    def encode(self, samples: Samples) -> bytes:
        if not len(samples):
            return b""
        import av

        pcm = np.frombuffer(to_pcm16(samples), "<i2")[None]
        frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout="mono")
        frame.sample_rate, frame.pts = self._rate, self._made
        self._made += len(samples)
        self._container.mux(self._stream.encode(frame))
        return self._output.taken()

    def finish(self) -> bytes:
        if self._made:
            self._container.mux(self._stream.encode(None))
        self._container.close()
        return self._output.taken()


class PreparedEncoder:
    """Another encoder, behind changes of speed, of loudness and of rate. Only to look for peaks that have to be turned
    down takes no time; to turn them down takes 2 to 10 ms a second of sound."""

    def __init__(self, encoder: Encoder, stages: list[Any]):
        self._encoder, self._stages = encoder, stages
        self._changes = any(not isinstance(stage, Mastering) or stage.levels for stage in stages)

    def is_slow(self, samples: Samples) -> bool:
        if self._changes or self._encoder.is_slow(samples):
            return True
        return bool(len(samples)) and float(np.abs(samples).max()) >= LOUD

    def begin_voice(self, name: str | None) -> None:
        for stage in self._stages:
            if isinstance(stage, Mastering):
                stage.begin_voice(name)

    def encode(self, samples: Samples) -> bytes:
        for stage in self._stages:
            samples = stage.change(samples)
        return self._encoder.encode(samples) if len(samples) else b""

    def finish(self) -> bytes:
        rest = np.zeros(0, np.float32)
        for stage in self._stages:
            rest = np.concatenate([stage.change(rest), stage.finish()])
        return self._encoder.encode(rest) + self._encoder.finish()


class Resampling:
    """Samples at one rate -> samples at another, without a seam between calls."""

    def __init__(self, rate: int, wanted: int):
        import soxr

        self._stream = soxr.ResampleStream(rate, wanted, 1, dtype="float32", quality="VHQ")

    def change(self, samples: Samples) -> Samples:
        return self._stream.resample_chunk(samples)

    def finish(self) -> Samples:
        return self._stream.resample_chunk(np.zeros(0, np.float32), last=True)


def open_encoder(
    name: str, sample_rate: int, speed: float = 1.0, loudness: float | Literal["off"] | None = None
) -> Encoder:
    """An encoder for the speech of a model of this rate. loudness: LUFS; None turns down peaks alone."""
    stages: list[Any] = []
    if speed != 1.0:
        from mlx_tts.audio.effects.speed import SpeedChange

        stages.append(SpeedChange(sample_rate, speed))
    if loudness != "off":
        stages.append(Mastering(sample_rate, loudness))
    rate = output_rate(name, sample_rate)
    if rate != sample_rate:
        stages.append(Resampling(sample_rate, rate))
    encoder: Encoder
    if name in CONTAINERS:
        encoder = ContainerEncoder(name, rate)
    else:
        encoder = PlainEncoder(wav_header(rate) if name == "wav" else b"")
    return PreparedEncoder(encoder, stages) if stages else encoder


def output_rate(name: str, sample_rate: int) -> int:
    """The rate of what is sent."""
    if name == "pcm":
        return PCM_RATE
    if name == "opus":
        return next((rate for rate in OPUS_RATES if rate >= sample_rate), OPUS_RATES[-1])
    return sample_rate


def with_true_sizes(wav: bytes) -> bytes:
    """A whole WAV file whose header had open sizes, with the sizes that it has."""
    return wav[:4] + struct.pack("<I", len(wav) - 8) + wav[8:40] + struct.pack("<I", len(wav) - 44) + wav[44:]
