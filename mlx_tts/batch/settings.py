"""What a whole run is asked for: settings that change files, which the folder's run.json keeps, and how it works."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mlx_tts.audio.formats import FORMATS
from mlx_tts.errors import RequestError
from mlx_tts.extras import missing
from mlx_tts.files.reading import user_path
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.setting import changed, setting, switch, text, whole, with_default
from mlx_tts.shortened import shown
from mlx_tts.text.cast.cast_file import Cast, read_cast
from mlx_tts.text.normalise.lexicon import Lexicon

# What run.json has always held; other settings stand there where they differ from their defaults.
ALWAYS_KEPT = (
    *("model", "voice", "language", "instruct", "seed", "speed", "format", "rate", "loudness", "normalise", "markup"),
    *("lexicon", "guard", "retries", "hash_folders"),
)
MANIFESTS = ("ljspeech", "nemo", "audiofolder")
# Job arrays: this task's number, the first number, and the last or how many there are.
ARRAYS = (
    ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"),
    ("SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_LAST", "SGE_TASK_STEPSIZE"),
    ("LSB_JOBINDEX", None, "LSB_JOBINDEX_END", "LSB_JOBINDEX_STEP"),
)
COUNTED = (("AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"),)  # from 0


def _read_cast(value: Any) -> Cast:
    if not isinstance(value, (str, Path, Cast)):
        raise ValueError("give the name of a file that `mlx-tts cast` wrote")
    return value if isinstance(value, Cast) else read_cast(user_path(str(value)))


@dataclass(frozen=True)
class BatchSettings(SpeechSettings):
    """How lines are spoken that say nothing else, and how their files are written: see job.settings for each.

    model: None takes what `speak` would take. rate: of the files; None is the model's own. verify: a recogniser listens
    to every file. cast: who speaks which words of the text, read already; None: one voice speaks all of it.
    """

    seed: int = with_default(SpeechSettings, "seed", 0)
    format: str = with_default(SpeechSettings, "format", "wav")
    hash_folders: bool = switch(False, "Put the files into 256 folders (out/ab/ID.wav).", per_line=False)

    cast: Cast | None = setting(
        None,
        "Who speaks which words, as `mlx-tts cast` writes it (TOML); a row may have its own.",
        _read_cast,
        local=True,
        metavar="FILE",
    )

    @property
    def ending(self) -> str:
        return FORMATS[self.format].ending

    def describe(self) -> dict[str, Any]:
        """All that the files depend on, as run.json holds it."""
        own = {name: getattr(self, name) for name in ALWAYS_KEPT}
        sampling = {}
        for name, _, value in changed(self):
            if hasattr(self.sampling, name):
                sampling[name] = value
            elif name != "verify":
                own[name] = value.digest if isinstance(value, Cast) else value
        own["lexicon"] = None if self.lexicon is None else _digest(self.lexicon)
        return {**own, "sampling": sampling}


def _digest(lexicon: Lexicon) -> str:
    return hashlib.sha256(repr(lexicon.entries).encode("utf-8", "surrogatepass")).hexdigest()


def must_have_parquet() -> None:
    """RequestError where the extra is missing."""
    if find_spec("pyarrow") is None:
        raise RequestError(f"{missing('Parquet needs pyarrow', 'parquet')}, or use JSONL or CSV")


@dataclass(frozen=True)
class Outputs:
    """What is written next to the sound."""

    report: bool = True
    manifest: str | None = text(None, "Also write what trainers read: ljspeech, nemo or audiofolder.", metavar="KIND")
    parquet: bool = switch(False, "Write the results as a Parquet table too.")

    def check(self, settings: BatchSettings) -> None:
        """RequestError for what cannot be written."""
        if self.manifest is not None and self.manifest not in MANIFESTS:
            raise RequestError(f"--manifest is {shown(self.manifest)}: use {', '.join(MANIFESTS)}")
        if self.manifest == "ljspeech" and settings.format != "wav":
            raise RequestError("--manifest ljspeech is for WAV files: leave out --format")
        if self.manifest == "ljspeech" and settings.hash_folders:
            raise RequestError("--manifest ljspeech wants all files in one folder: leave out --hash-folders")
        if self.parquet:
            must_have_parquet()


@dataclass(frozen=True)
class Shard:
    """Which lines are this machine's. number: from 1 to count.

    A line's share follows from its id alone, so that no share changes when lines are added.
    """

    number: int = 1
    count: int = 1

    def has(self, name: str) -> bool:
        """Whether the line with this id is of this share."""
        if self.count == 1:
            return True
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.number - 1


def read_shard(text: str | None, environment: Mapping[str, str] = os.environ) -> Shard:
    """ "2/8" or "auto" -> the share; None is all of it."""
    if text is None:
        return Shard()
    if text == "auto":
        return _of_array(environment)
    number, slash, count = text.partition("/")
    if not (slash and number.isascii() and number.isdigit() and count.isascii() and count.isdigit()):
        raise RequestError(f"--shard is {shown(text)}: give K/N such as 2/8, or auto in a job array")
    return _checked(int(number), int(count), f"--shard is {shown(text)}")


def _of_array(environment: Mapping[str, str]) -> Shard:
    for own, first, last, step in ARRAYS:
        if environment.get(own, "").isdigit():
            low, stride = _value(environment, first, 1), _value(environment, step, 1)
            high = _value(environment, last, 0)
            what = f"{own}={environment[own]}"
            if high < low or stride < 1:
                raise RequestError(
                    f"{what} without {last}, so --shard auto cannot tell how many shares there are: give K/N"
                )
            return _checked((int(environment[own]) - low) // stride + 1, (high - low) // stride + 1, what)
    for own, size in COUNTED:
        if environment.get(own, "").isdigit():
            return _checked(int(environment[own]) + 1, _value(environment, size, 0), f"{own}={environment[own]}")
    raise RequestError(
        "--shard auto is for job arrays (Slurm, Grid Engine, LSF, AWS Batch), and this is not one: give K/N"
    )


def _value(environment: Mapping[str, str], name: str | None, otherwise: int) -> int:
    text = environment.get(name or "", "")
    return int(text) if text.isdigit() else otherwise


def _checked(number: int, count: int, what: str) -> Shard:
    if not 1 <= number <= count:
        raise RequestError(f"{what}: K must be from 1 to N")
    return Shard(number, count)


ALL, ORDINARY = Shard(), Outputs()


@dataclass(frozen=True)
class How:
    """How a run works, which changes no file. rows: None is what suits the memory. offline, fetch_unnamed: see Roles.
    ray: the address of a cluster."""

    rows: int | None = whole(None, "Lines made in parallel (default: as memory allows).", 1, 256)
    shard: Shard = setting(
        ALL, "Make one of N shares of the rows; auto takes the share of a job array.", read_shard, metavar="K/N|auto"
    )
    ray: str | None = text(None, "Let a running Ray cluster do the work.", metavar="ADDRESS")
    strict: bool = switch(False, "Begin nothing if any line is bad.")
    offline: bool = False
    fetch_unnamed: bool = False
    outputs: Outputs = ORDINARY
