"""The options of `mlx-tts batch`: what the files are, how lines are spoken, how the work is done."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mlx_tts.audio.formats import STREAMED
from mlx_tts.cli.number_option import number_option
from mlx_tts.cli.options import complete_voice


@dataclass(frozen=True)
class FileOptions:
    """What the files are."""

    format: Annotated[str, typer.Option("--format", metavar="FORMAT", help=f"{', '.join(STREAMED)}.")] = "wav"
    rate: Annotated[
        int | None, number_option("--rate", "Samples a second: 8000, 16000, 24000 and others; 24 is 24000.", 8, 48_000)
    ] = None
    loudness: Annotated[
        str | None,
        typer.Option(
            "--loudness",
            metavar="LUFS|off",
            help="Loudness of every file. By default only peaks above -1 dBTP are turned down; off leaves them.",
            show_default=False,
        ),
    ] = None
    hash_folders: Annotated[
        bool, typer.Option("--hash-folders", help="Put the files into 256 folders (out/ab/ID.wav).")
    ] = False
    manifest: Annotated[
        str | None,
        typer.Option(
            "--manifest",
            metavar="KIND",
            help="Also write what trainers read: ljspeech, nemo or audiofolder.",
            show_default=False,
        ),
    ] = None
    parquet: Annotated[bool, typer.Option("--parquet", help="Write the results as a Parquet table too.")] = False


@dataclass(frozen=True)
class LineOptions:
    """How lines are spoken that say nothing else."""

    voice: Annotated[
        str | None,
        typer.Option(
            "--voice",
            metavar="NAME",
            help="Of lines without a voice: a preset, a voice of yours or a voice file.",
            autocompletion=complete_voice,
            show_default=False,
        ),
    ] = None
    language: Annotated[str, typer.Option("--language", "-l", metavar="LANGUAGE", help="Of lines without one.")] = (
        "auto"
    )
    instruct: Annotated[
        str | None,
        typer.Option("--instruct", "-i", metavar="TEXT", help="How to speak lines without one.", show_default=False),
    ] = None
    speed: Annotated[float, number_option("--speed", "Times as fast, at the same pitch.", 0.25, 4)] = 1.0
    seed: Annotated[int, number_option("--seed", "The same seed gives the same files; 0 by default.", 0)] = 0
    normalise: Annotated[
        str,
        typer.Option(
            "--normalise", "--normalize", metavar="auto|on|off", help="Numbers and dates in words, as in speak."
        ),
    ] = "auto"
    lexicon: Annotated[
        Path | None,
        typer.Option("--lexicon", metavar="FILE", help="How to say words of your own (TOML).", show_default=False),
    ] = None
    no_markup: Annotated[bool, typer.Option("--no-markup", help="Read SSML and [pause 2s] as they are written.")] = (
        False
    )


@dataclass(frozen=True)
class TakesOptions:
    """What is done about speech that goes wrong."""

    no_guard: Annotated[
        bool,
        typer.Option("--no-guard", help="Do not watch for speech that runs away, loops, falls silent or ends early."),
    ] = False
    retries: Annotated[
        int, number_option("--retries", "How often speech that went wrong is made again; 2 by default.", 0, 20)
    ] = 2


@dataclass(frozen=True)
class WorkOptions:
    """How the work is done."""

    rows: Annotated[
        int | None, number_option("--rows", "Lines made side by side; by default from the memory.", 1, 256)
    ] = None
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard", metavar="K/N|auto", help="Make one of N shares; auto: that of a job array.", show_default=False
        ),
    ] = None
    ray: Annotated[
        str | None,
        typer.Option("--ray", metavar="ADDRESS", help="Let a running Ray cluster do the work.", show_default=False),
    ] = None
    strict: Annotated[bool, typer.Option("--strict", help="Begin nothing if any line is bad.")] = False
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Have a recogniser write down the words of each file, and count wrong ones."),
    ] = False
    verify_model: Annotated[
        str | None,
        typer.Option(
            "--verify-model",
            metavar="FOLDER",
            help="For --verify: a folder with a model of faster-whisper or mlx-whisper, or a size of Whisper.",
            show_default=False,
        ),
    ] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what there is to do, and do nothing.")] = False
