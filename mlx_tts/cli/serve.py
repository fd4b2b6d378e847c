"""`mlx-tts serve`: a warm voice for other programs, by OpenAI's HTTP interface, WebSocket and Wyoming."""

from __future__ import annotations

import logging
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.model_access import fetched, must_agree_to_fetch
from mlx_tts.cli.options import ConsoleOptions, FetchOptions, flag_of, grouped
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.extras import missing
from mlx_tts.library import hub
from mlx_tts.library.preferences import preferences
from mlx_tts.library.selection import models_to_serve
from mlx_tts.server.settings import FOREVER, ServerSettings, read_api_key
from mlx_tts.setting import changed, switch, text

if TYPE_CHECKING:
    from mlx_tts.library.catalog import ModelSpec

app = new_app()

EXAMPLES = """\b
Examples:
  mlx-tts serve --open
  mlx-tts serve --model 0.6b-custom-8bit --model 0.6b-base-8bit
  mlx-tts serve --host 0.0.0.0 --api-key-file ~/.mlx-tts-key"""
ADDRESS = "serving on "
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # what a server listens on, but nobody can go to


@dataclass(frozen=True)
class ServeOptions:
    """What is not about the server itself: where it runs, and who starts it."""

    ray: str | None = text(None, "Serve from every machine of a running Ray cluster.", metavar="ADDRESS")
    open: bool = switch(False, "Open the page in your browser, to write, listen and clone.")
    install: bool = switch(False, "Serve with these options from now on, whenever you are logged in.")
    uninstall: bool = switch(False, "Stop that, and remove it.")

    def check(self) -> None:
        """RequestError for options that do not go together."""
        if self.install or self.uninstall:
            if self.ray is not None:
                raise RequestError("--install is for one machine: leave out --ray")
            if self.open:
                raise RequestError(
                    "--open is for a server that you start yourself: leave it out, or leave out --install"
                )


@app.command(epilog=EXAMPLES)
@grouped
def serve(
    *,
    settings: ServerSettings,
    options: ServeOptions,
    fetch: FetchOptions,
    console: ConsoleOptions,
) -> None:
    """Start a server with a web page, for browsers and other programs.

    The first line on standard output is the address; a browser shows the page there. Only programs on this machine may
    connect, unless --host allows others; then a key is needed. Ctrl-C and SIGTERM let what is being spoken end first.
    """
    settings = replace(settings, api_key=read_api_key(settings.api_key_file))
    settings.check()
    options.check()
    if options.uninstall:
        _change_service(False, settings)
        return
    _write_log(console)
    specs = models_to_serve(settings.models, hub.is_on_disk)
    for spec in specs:
        must_agree_to_fetch(spec, fetch, console.console)
    if options.install:
        # Now, since nobody can answer a service's question.
        _fetch([spec for spec in specs if spec.folder is None], fetch.offline, console)
        _change_service(True, settings)
        return
    # Those of the command line count more. A service reads the user's own at each start, so they are not installed.
    settings = replace(settings, voice_aliases=(*preferences().aliases, *settings.voice_aliases))
    try:
        from mlx_tts.server.run import serve as run
    except ModuleNotFoundError as error:
        raise MlxTtsError(missing(f"{error.name} is not installed, which serving needs", "server")) from None
    say = announce_and_open if options.open else announce
    if options.ray is not None:
        if settings.allow_fetch:
            raise RequestError(
                "--allow-fetch fetches for one machine: leave out --ray, or `mlx-tts pull` on each machine"
            )
        from mlx_tts.server.on_ray import serve_on_cluster

        serve_on_cluster(settings, options.ray, fetch.offline, say)
        return
    _fetch(specs, fetch.offline, console)
    run(settings, say)


def _change_service(install: bool, settings: ServerSettings) -> None:
    from mlx_tts.cli import service

    if install and settings.api_key is not None and settings.api_key_file is None:
        raise RequestError("a service does not see MLX_TTS_API_KEY of this terminal: give --api-key-file")
    for line in service.install(_command_line(settings)) if install else service.uninstall():
        typer.echo(line)


def _command_line(settings: ServerSettings) -> list[str]:
    """The options that mean these settings, with paths that are true from everywhere."""
    words = []
    for name, known, value in changed(settings):
        for one in value if isinstance(value, tuple) else (value,):
            words += [flag_of(name, known), *([] if known.is_switch else [_as_word(name, one)])]
    return words


def _as_word(name: str, value: Any) -> str:
    if name == "keep_alive_seconds":
        return "forever" if value == FOREVER else f"{value:g}s"
    if name == "api_key_file" or (name == "models" and Path(value).expanduser().is_dir()):
        return str(Path(value).expanduser().resolve())
    return str(value)


def _fetch(specs: list[ModelSpec], offline: bool, console: ConsoleOptions) -> None:
    """The models that the user agreed to are fetched before anybody can ask for them; one that cannot be fetched is
    left out where there are others."""
    say = console.console
    for spec in specs:
        try:
            fetched(spec, offline, say)
        except MlxTtsError as error:
            if len(specs) == 1:
                raise
            say.say(f"{spec.name} is not served: {error}")


def _write_log(console: ConsoleOptions) -> None:
    """Lines about what happens, on standard error: lengths and times, never a text."""
    level = logging.ERROR if console.quiet else logging.INFO if console.verbose else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=logging.ERROR, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    logging.getLogger("mlx_tts.server").setLevel(level)
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)


def announce(line: str) -> None:
    print(line, flush=True)


def announce_and_open(line: str) -> None:
    """The same; when the line says where the server is, its page is opened."""
    announce(line)
    if line.startswith(ADDRESS):
        url = page_address(line.removeprefix(ADDRESS))
        # Some browsers run in the terminal and return when they are left, so the server does not wait for them.
        threading.Thread(target=_open, args=(url,), name="mlx-tts browser", daemon=True).start()


def page_address(url: str) -> str:
    """Where a browser of this machine finds the page of a server that listens there."""
    parts = urlsplit(url)
    host = EVERY_ADDRESS.get(parts.hostname or "")
    return f"{url}/" if host is None else f"{parts.scheme}://{host}:{parts.port}/"


def _open(url: str) -> None:
    import webbrowser

    if not webbrowser.open(url):
        print(f"no browser could be opened: go to {url} yourself", file=sys.stderr, flush=True)
