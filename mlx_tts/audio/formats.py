"""The table of audio formats: what a file, a pipe or an HTTP answer can be. Imports nothing heavy.

A new format is one entry here: the command line, batches, the server and its page all ask this table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mlx_tts.errors import RequestError
from mlx_tts.shortened import shown


@dataclass(frozen=True, kw_only=True)
class AudioFormat:
    """How one format is written.

    name: as `--format` and `response_format` have it. title, note: what people read.
    library: which one encodes; plain needs none. container, codec: by the names of that library; "" means without one.
    options, codec_options: FFmpeg's, of the container and the codec. stream_options, stream_codec_options: those of a
    stream, of which nothing can be rewritten at its end. rates: samples a second it can have, None for any.
    bytes_a_second: of speech at 24,000 samples a second, as measured with the built-in voices. lossless: whether its
    size follows the rate. streams: whether it can be sent while it is made. chapters: whether its files hold them.
    """

    name: str
    title: str
    note: str
    media_type: str
    library: Literal["plain", "libsndfile", "ffmpeg"]
    container: str
    codec: str
    options: Mapping[str, str] = field(default_factory=dict)
    codec_options: Mapping[str, str] = field(default_factory=dict)
    stream_options: Mapping[str, str] = field(default_factory=dict)
    stream_codec_options: Mapping[str, str] | None = None
    rates: tuple[int, ...] | None = None
    bytes_a_second: int
    lossless: bool = False
    streams: bool = True
    chapters: bool = False

    @property
    def ending(self) -> str:
        """Of its files."""
        return f".{self.name}"

    def rate_for(self, sample_rate: int) -> int:
        """The rate that speech of `sample_rate` is written with: the same if the format has it, else the next one."""
        if self.rates is None or sample_rate in self.rates:
            return sample_rate
        return next((rate for rate in self.rates if rate >= sample_rate), self.rates[-1])


# Fragments: a reader needs no table that would be written at the end.
_MP4: Any = {"library": "ffmpeg", "container": "mp4", "codec": "aac", "codec_options": {"b": "64000"}, "chapters": True,
             "stream_options": {"movflags": "empty_moov+delay_moov+default_base_moof", "frag_duration": "200000"},
             "bytes_a_second": 8_900}  # fmt: skip
_TABLE = (
    AudioFormat(name="wav", title="WAV", note="as it was made", media_type="audio/wav", library="libsndfile",
                container="WAV", codec="PCM_16", bytes_a_second=48_000, lossless=True),
    AudioFormat(name="flac", title="FLAC", note="smaller, nothing lost", media_type="audio/flac", library="libsndfile",
                container="FLAC", codec="PCM_16", bytes_a_second=24_000, lossless=True),
    AudioFormat(name="mp3", title="MP3", note="small, plays everywhere", media_type="audio/mpeg", library="ffmpeg",
                container="mp3", codec="libmp3lame", options={"id3v2_version": "0"}, bytes_a_second=5_300,
                codec_options={"flags": "+qscale", "global_quality": str(4 * 118)},  # LAME's -V 4; 118 is FF_QP2LAMBDA
                # A stream has no header with its length, so players take that from a constant bit rate.
                stream_options={"write_xing": "0"}, stream_codec_options={"b": "128000"},
                rates=(8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)),
    AudioFormat(name="ogg", title="Ogg Vorbis", note="small and free", media_type="audio/ogg",
                library="libsndfile",  # FFmpeg's wheels have no libvorbis
                container="OGG", codec="VORBIS", bytes_a_second=6_500),
    AudioFormat(name="opus", title="Opus", note="the smallest", media_type="audio/ogg", library="ffmpeg",
                container="ogg", codec="libopus", codec_options={"b": "48000"}, bytes_a_second=5_800,
                stream_options={"page_duration": "20000"},  # microseconds: sound leaves at once
                rates=(8_000, 12_000, 16_000, 24_000, 48_000)),
    AudioFormat(name="aac", title="AAC", note="for radio and old devices", media_type="audio/aac", library="ffmpeg",
                container="adts", codec="aac", codec_options={"b": "96000"}, bytes_a_second=13_300),
    AudioFormat(name="m4a", title="M4A", note="AAC for telephones", media_type="audio/mp4", **_MP4),
    AudioFormat(name="m4b", title="M4B", note="audiobook with chapters", media_type="audio/mp4", streams=False, **_MP4),
    AudioFormat(name="pcm", title="PCM", note="bare 16-bit samples", media_type="audio/pcm", library="plain",
                container="", codec="PCM_16", bytes_a_second=48_000, lossless=True),
)  # fmt: skip
FORMATS = {entry.name: entry for entry in _TABLE}
STREAMED = tuple(name for name, entry in FORMATS.items() if entry.streams)  # what pipes and answers can be
ENDINGS = {entry.ending: entry for entry in FORMATS.values()}


def format_of(path: Path) -> AudioFormat:
    """The format that a file's ending says, in any case; RequestError names the allowed ones."""
    if not path.suffix:
        raise RequestError(f'"{path}" has no file extension: use {", ".join(ENDINGS)}')
    found = ENDINGS.get(path.suffix.lower())
    if found is None:
        raise RequestError(
            f"{path} ends in {shown(path.suffix)}, which is not an audio format: use {', '.join(ENDINGS)}"
        )
    return found


def law_format(name: str) -> AudioFormat:
    """G.711 as telephones have it: bytes without a header. name: "ulaw" or "alaw"."""
    container, codec = {"ulaw": ("mulaw", "pcm_mulaw"), "alaw": ("alaw", "pcm_alaw")}[name]
    return AudioFormat(
        name=name, title=name, note="telephones", media_type="audio/basic", library="ffmpeg", container=container,
        codec=codec, rates=(8_000,), bytes_a_second=8_000,
    )  # fmt: skip
