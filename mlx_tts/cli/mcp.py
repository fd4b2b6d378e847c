"""`mlx-tts mcp`: a voice for agents, by the Model Context Protocol on standard input and output."""

from __future__ import annotations

import logging
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import Without, command_words, grouped
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.extras import missing
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.library.catalog import voice_key
from mlx_tts.mcp.agent_settings import CLIENTS, recipe
from mlx_tts.setting import setting, text

if TYPE_CHECKING:
    from mlx_tts.mcp.voice_box import VoiceBox

app = new_app()

EXAMPLES = """\b
Examples:
  mlx-tts mcp --print-config claude
  claude mcp add mlx-tts -- mlx-tts mcp --voice ivy"""


def _read_client(value: Any) -> str:
    if value not in CLIENTS:
        raise ValueError(f"use {', '.join(CLIENTS)}")
    return str(value)


@dataclass(frozen=True)
class McpOptions:
    """What is not about the speech itself."""

    client_voices: tuple[str, ...] = setting(
        (),
        "The voice of one client, by the name it gives itself, such as claude-code=ivy; may be repeated.",
        tuple,
        flag="--client-voice",
        metavar="CLIENT=VOICE",
    )
    folder: Path | None = setting(
        None,
        "Where agents may have files read and saved; by default the folder it starts in, unless that is your home.",
        Path,
        metavar="DIR",
    )
    device: str | None = text(None, "Play on this device: its number or part of its name.", metavar="DEVICE")
    print_config: str | None = setting(
        None,
        f"Print what an agent's settings need to start this with these options: {', '.join(CLIENTS)}.",
        _read_client,
        metavar="AGENT",
    )

    @property
    def voices_by_client(self) -> dict[str, str]:
        """RequestError for an entry that says nothing."""
        pairs = {}
        for entry in self.client_voices:
            client, sign, voice = entry.partition("=")
            if not (client.strip() and sign and voice.strip()):
                raise RequestError(f"--client-voice {entry}: give CLIENT=VOICE, such as claude-code=ivy")
            pairs[voice_key(client.strip())] = voice.strip()
        return pairs

    @property
    def allowed_folder(self) -> Path | None:
        """RequestError where the folder is none."""
        if self.folder is not None:
            folder = self.folder.expanduser()
            if not folder.is_dir():
                raise RequestError(f"--folder {self.folder} is not a folder: give one that exists")
            return folder.resolve()
        here = Path.cwd().resolve()
        # Programs with windows start others in / or at home: too much to allow unasked.
        return None if Path.home().resolve().is_relative_to(here) else here


@app.command(epilog=EXAMPLES)
@grouped
def mcp(*, settings: Annotated[SpeechSettings, Without("rate", "verify", "format")], options: McpOptions) -> None:
    """Give coding agents and chat programs a voice (MCP).

    This is a server for the Model Context Protocol. An agent starts it and talks to it on standard input and output;
    --print-config shows how to set that up. The options are the defaults of everything it says. Nothing is downloaded
    for an agent.
    """
    voices, folder = options.voices_by_client, options.allowed_folder
    if options.print_config is not None:
        typer.echo(recipe(options.print_config, command_words(settings, replace(options, print_config=None))))
        return
    try:
        from mlx_tts.mcp.tools import Agents, make_server
    except ModuleNotFoundError as error:
        raise MlxTtsError(missing(f"{error.name} is not installed, which agents need", "mcp")) from None
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(message)s")
    settings.check()
    box = _LoadingBox(settings, options.device)
    try:
        make_server(Agents(settings, voices, folder), box.get).run()
    finally:
        box.close()


class _LoadingBox:
    """The voice box and the default voice's model, loaded while the client sends its first requests.

    Those requests do not wait for them.
    """

    def __init__(self, settings: SpeechSettings, device: str | None):
        self._settings, self._device = settings, device
        self._box: VoiceBox | None = None
        self._lock = threading.Lock()
        threading.Thread(target=self._load, name="mlx-tts loading", daemon=True).start()

    def get(self) -> VoiceBox:
        from mlx_tts.mcp.voice_box import VoiceBox
        from mlx_tts.runtime.folders import data_folder

        with self._lock:
            if self._box is None:
                self._box = VoiceBox(data_folder() / "speaking.lock", self._device)
            return self._box

    def _load(self) -> None:
        from mlx_tts.mcp.planning import SPOKEN_BEFORE, plan_text

        try:
            with self.get().models.using(plan_text(self._settings, SPOKEN_BEFORE)):
                return  # it stays loaded
        except MlxTtsError as error:
            logging.getLogger("mlx_tts.mcp").warning("mlx-tts: %s", error)  # and speak says so again

    def close(self) -> None:
        if self._box is not None:
            self._box.close()
