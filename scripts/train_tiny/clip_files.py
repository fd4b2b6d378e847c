"""The clips that evaluate.py measures, DIR/SPEAKER/III-SEED.wav: find them, or make them with the tool itself."""

from __future__ import annotations

import argparse
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

ROWS = 4  # clips that are spoken side by side


def read_clip(path: Path) -> tuple[np.ndarray, int]:
    audio, rate = soundfile.read(path, dtype="float32")
    return (audio if audio.ndim == 1 else audio.mean(axis=1)), rate


def speak_with_api(options: argparse.Namespace, sentences: list[str]) -> None:
    """As the commands do unless told otherwise: words that the model reads as phones go so. With --as-written they do not."""
    import mlx_tts
    from mlx_tts.narration.plan import reading_for

    with mlx_tts.load(options.speak_model) as model:
        reading = reading_for(model.info, normalise="off" if options.as_written else "auto")
        model.serve_rows(ROWS)
        for wanted in batched(wanted_clips(options, sentences), ROWS):
            streams = [
                model.submit(
                    mlx_tts.SpeechRequest(
                        text=reading.spoken(sentences[index], options.language, voice=speaker),
                        voice=speaker,
                        seed=seed,
                        language=options.language,
                    )
                )
                for speaker, index, seed, _ in wanted
            ]
            for (*_, path), stream in zip(wanted, streams, strict=True):
                soundfile.write(path, np.concatenate([chunk.samples for chunk in stream]), model.sample_rate)


def batched(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of `size` items; the last may be shorter."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some


def speak_with_command(options: argparse.Namespace, sentences: list[str]) -> None:
    for speaker, index, seed, path in wanted_clips(options, sentences):
        command = [
            *shlex.split(options.speak_command),
            sentences[index],
            "--voice",
            speaker,
            "--seed",
            str(seed),
            "-o",
            path,
        ]
        subprocess.run([str(part) for part in command], check=True)


def wanted_clips(options: argparse.Namespace, sentences: list[str]) -> Iterator[tuple[str, int, int, Path]]:
    """Every clip that is not there yet, so that an interrupted run goes on where it stopped."""
    for speaker in options.speakers:
        (options.wav_dir / speaker).mkdir(parents=True, exist_ok=True)
        for seed in options.seeds:
            for index in range(len(sentences)):
                path = options.wav_dir / speaker / f"{index:03d}-{seed}.wav"
                if not path.exists():
                    yield speaker, index, seed, path


def find_clips(folder: Path, speakers: list[str]) -> list[tuple[str, int, int, Path]]:
    found = []
    for speaker in speakers:
        for path in sorted((folder / speaker).glob("[0-9][0-9][0-9]*.wav")):
            index, _, seed = path.stem.partition("-")
            found.append((speaker, int(index), int(seed or 0), path))
    return found
