"""Sound in a container that libsndfile does not read (m4a, mp4, aac, webm) -> samples, by FFmpeg of the extra `media`.

The file may come from a stranger: only containers of sound are opened, nothing is fetched, and length and time are
counted while it is decoded, since a small file can hold hours of silence.
"""

from __future__ import annotations

import time
from importlib.util import find_spec
from typing import Any, BinaryIO

import numpy as np

from mlx_tts.errors import AudioError
from mlx_tts.samples import Samples

DEMUXERS = "wav,mp3,ogg,aac,flac,matroska,webm,mov,mp4,m4a"
DECODING_SECONDS = 20.0
ENDINGS = (".m4a", ".mp4", ".aac", ".webm", ".mka", ".mov")
CANNOT_BE_READ = "is no audio that can be read"


def has_decoder() -> bool:
    return find_spec("av") is not None


def decode(file: BinaryIO, sample_rate: int, most_seconds: float) -> Samples:
    """One channel at `sample_rate`. The text of an AudioError is the end of a sentence that begins with the file."""
    import av

    try:
        return _decoded(file, sample_rate, most_seconds)
    except (av.FFmpegError, ValueError, IndexError, EOFError):
        raise AudioError(CANNOT_BE_READ) from None


def _decoded(file: BinaryIO, sample_rate: int, most_seconds: float) -> Samples:
    import av

    until = time.monotonic() + DECODING_SECONDS
    parts: list[np.ndarray] = []
    length = 0
    opened: Any = av.open(file, options={"format_whitelist": DEMUXERS, "protocol_whitelist": ""})
    with opened as container:
        resampler = av.AudioResampler(format="flt", layout="mono", rate=sample_rate)
        for frame in container.decode(container.streams.audio[0]):
            for changed in resampler.resample(frame):
                parts.append(changed.to_ndarray()[0])
                length += len(parts[-1])
            if length > round(most_seconds * sample_rate):
                raise AudioError(f"is longer than {most_seconds:.0f} s: cut it")
            if time.monotonic() > until:
                raise AudioError("takes too long to read: send a shorter one")
        parts += [changed.to_ndarray()[0] for changed in resampler.resample(None)]
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)
