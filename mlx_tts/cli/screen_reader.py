"""`mlx-tts screen-reader`: the voice of a screen reader, by the protocol of speech-dispatcher's modules."""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import Without, command_words, grouped
from mlx_tts.errors import RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.setting import switch

app = new_app()

EXAMPLES = """\b
Examples:
  mlx-tts screen-reader --voice ivy --speed 1.2 --install
  spd-say -o mlx-tts "Hello." """


@dataclass(frozen=True)
class ScreenReaderOptions:
    """What is not about the speech itself."""

    install: bool = switch(False, "Make it a module of speech-dispatcher, with these options.")
    uninstall: bool = switch(False, "Take that module away.")


UNSUITABLE = Without("rate", "verify", "format", "markup", "lexicon", "footnotes", "code")


@app.command(epilog=EXAMPLES)
@grouped
def screen_reader(*, settings: Annotated[SpeechSettings, UNSUITABLE], options: ScreenReaderOptions) -> None:
    """Give screen readers a voice (speech-dispatcher, on Linux).

    speech-dispatcher 0.11 or newer starts this itself once --install has run. The options are the voice as it is
    until the screen reader asks for another rate, pitch or voice. Nothing is downloaded.
    """
    if options.install and options.uninstall:
        raise RequestError("--install and --uninstall exclude each other: give one of them")
    settings.check()
    if options.install or options.uninstall:
        from mlx_tts.screen_reader import installing

        words = command_words(settings)
        for line in installing.install(words) if options.install else installing.uninstall():
            typer.echo(line)
        return
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    if not _converse(settings):
        raise typer.Exit(1)


def _converse(settings: SpeechSettings) -> bool:
    from mlx_tts.screen_reader.protocol import Module
    from mlx_tts.screen_reader.voice import ScreenVoice

    voice = ScreenVoice(settings)
    # What others print, C code as well, must not get into the protocol.
    own = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        with os.fdopen(own, "wb") as sink:
            return Module(voice, sys.stdin.buffer, sink).run()
    finally:
        voice.close()
