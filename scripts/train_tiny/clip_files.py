"""The clips that evaluate.py measures, DIR/SPEAKER/III-SEED.wav: find them, or make them with the tool itself."""

from __future__ import annotations

import argparse
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile


def read_clip(path: Path) -> tuple[np.ndarray, int]:
    audio, rate = soundfile.read(path, dtype="float32")
    return (audio if audio.ndim == 1 else audio.mean(axis=1)), rate


def speak_with_api(options: argparse.Namespace, sentences: list[str]) -> None:
    import mlx_tts

    model = mlx_tts.load(options.speak_model)
    for speaker, index, seed, path in wanted_clips(options, sentences):
        chunk = model.speak(
            mlx_tts.SpeechRequest(text=sentences[index], voice=speaker, seed=seed, language=options.language)
        )
        soundfile.write(path, chunk.samples, chunk.sample_rate)


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
