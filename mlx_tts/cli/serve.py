"""`mlx-tts serve`: a warm voice for other programs, by OpenAI's HTTP interface, WebSocket and Wyoming."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.cli.commands import SectionedCommand, new_app
from mlx_tts.cli.number_option import number_option
from mlx_tts.cli.options import ConsoleOptions, OfflineOption, complete_model, grouped
from mlx_tts.cli.page_opening import announce, announce_and_open
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.server.settings import FOREVER, ServerSettings, duration, read_api_key

if TYPE_CHECKING:
    from mlx_tts.library.catalog import ModelSpec

app = new_app()

EXAMPLES = """Examples:

  mlx-tts serve --open

  mlx-tts serve --model 0.6b-custom-8bit --model 0.6b-base-8bit --wyoming 10200

  mlx-tts serve --host 0.0.0.0 --api-key-file ~/.mlx-tts-key"""

HostOption = Annotated[
    str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; other than this machine needs a key.")
]
PortOption = Annotated[int, number_option("--port", "8880 by default; 0 is a free one.", 0, 65_535)]
ModelsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        metavar="MODEL",
        help="An alias, owner/name or a folder; may be repeated. The first is the default. Without it: what speak "
        "takes, and every model on disk.",
        autocompletion=complete_model,
        show_default=False,
    ),
]
WyomingOption = Annotated[
    int | None, number_option("--wyoming", "Also speak Home Assistant's protocol, on this port.", 0, 65_535)
]
KeyOption = Annotated[
    Path | None,
    typer.Option(
        "--api-key-file",
        metavar="FILE",
        help="Ask clients for the key in this file; MLX_TTS_API_KEY does the same.",
        show_default=False,
    ),
]
OriginOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cors-origin",
        metavar="ORIGIN",
        help="Let pages of this site speak, such as https://example.org; may be repeated.",
        show_default=False,
    ),
]
AllowedHostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allowed-host", metavar="NAME", help="Answer under this name as well; may be repeated.", show_default=False
    ),
]
InsecureOption = Annotated[
    bool, typer.Option("--insecure", help="Let other machines in without a key: everyone who reaches it may speak.")
]
KeepAliveOption = Annotated[
    str | None,
    typer.Option(
        "--keep-alive",
        metavar="TIME",
        help="How long a model that nobody uses stays loaded: 30s, 5m, 1h, 0 or forever. Without it the default model "
        "stays, others leave after 5m.",
        show_default=False,
    ),
]
RayOption = Annotated[
    str | None,
    typer.Option(
        "--ray", metavar="ADDRESS", help="Serve from every machine of a running Ray cluster.", show_default=False
    ),
]


@app.command(cls=SectionedCommand, epilog=EXAMPLES)
@grouped
def serve(
    *,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8880,
    model: ModelsOption = None,
    wyoming: WyomingOption = None,
    api_key_file: KeyOption = None,
    cors_origin: OriginOption = None,
    allowed_host: AllowedHostOption = None,
    insecure: InsecureOption = False,
    rows: Annotated[
        int | None, number_option("--rows", "Requests spoken side by side; by default from the memory.", 1, 256)
    ] = None,
    max_input: Annotated[
        int, number_option("--max-input", "Most characters of one request; 100,000 by default.", 1, 999_999)
    ] = 100_000,
    keep_alive: KeepAliveOption = None,
    ray: RayOption = None,
    open_page: Annotated[
        bool,
        typer.Option("--open", help="Open the page in your browser, to write, listen and clone."),
    ] = False,
    install: Annotated[
        bool, typer.Option("--install", help="Serve with these options from now on, whenever you are logged in.")
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Stop that, and remove it.")] = False,
    offline: OfflineOption = False,
    console: ConsoleOptions,
) -> None:
    """Serve speech to other programs: OpenAI's HTTP interface, a WebSocket, and Wyoming.

    The first line on standard output says where; a browser finds a page there. Only programs of this machine may
    connect, unless --host says otherwise; then a key is needed. Ctrl-C and SIGTERM let what is being spoken end first.
    """
    settings = ServerSettings(
        host=host,
        port=port,
        models=tuple(model or ()),
        wyoming_port=wyoming,
        api_key=read_api_key(api_key_file),
        cors_origins=tuple(cors_origin or ()),
        allowed_hosts=tuple(allowed_host or ()),
        insecure=insecure,
        rows=rows,
        max_input=max_input,
        keep_alive_seconds=None if keep_alive is None else duration(keep_alive),
    )
    settings.check()
    if ray is not None and (install or uninstall):
        raise RequestError("--install is for one machine: leave out --ray")
    if install or uninstall:
        if open_page:
            raise RequestError("--open is for a server that you start yourself: leave it out, or leave out --install")
        _change_service(install, api_key_file, settings)
        return
    _write_log(console)
    try:
        from mlx_tts.server.run import models_to_serve
        from mlx_tts.server.run import serve as run
    except ModuleNotFoundError as error:
        raise MlxTtsError(
            f"{error.name} is not installed: `pip install 'mlx-tts[server]'` adds what serving needs"
        ) from None
    if ray is not None:
        from mlx_tts.server.on_ray import serve_on_cluster

        serve_on_cluster(settings, ray, offline, announce_and_open if open_page else announce)
        return
    _fetch(models_to_serve(settings.models), offline, console)
    run(settings, announce_and_open if open_page else announce)


def _change_service(install: bool, api_key_file: Path | None, settings: ServerSettings) -> None:
    from mlx_tts.cli import service

    if install and settings.api_key is not None and api_key_file is None:
        raise RequestError("a service does not see MLX_TTS_API_KEY of this terminal: give --api-key-file")
    for line in service.install(_options(settings, api_key_file)) if install else service.uninstall():
        typer.echo(line)


def _options(settings: ServerSettings, api_key_file: Path | None) -> list[str]:
    """The command line that means these settings, with paths that are true from everywhere."""
    words = ["--host", settings.host, "--port", str(settings.port), "--max-input", str(settings.max_input)]
    for name in settings.models:
        words += ["--model", str(Path(name).expanduser().resolve()) if Path(name).expanduser().is_dir() else name]
    for option, values in (("--cors-origin", settings.cors_origins), ("--allowed-host", settings.allowed_hosts)):
        words += [word for value in values for word in (option, value)]
    if settings.keep_alive_seconds is not None:
        words += [
            "--keep-alive",
            "forever" if settings.keep_alive_seconds == FOREVER else f"{settings.keep_alive_seconds:g}s",
        ]
    for option, value in (("--wyoming", settings.wyoming_port), ("--rows", settings.rows)):
        words += [] if value is None else [option, str(value)]
    if api_key_file is not None:
        words += ["--api-key-file", str(api_key_file.expanduser().resolve())]
    return [*words, "--insecure"] if settings.insecure else words


def _fetch(specs: list[ModelSpec], offline: bool, console: ConsoleOptions) -> None:
    """What was named is fetched before anybody can ask for it; one that cannot be is left to the others."""
    from mlx_tts.library import hub

    say = console.console
    for spec in specs:
        try:
            hub.fetch(spec, offline=offline, log=say.say, progress=say.shows_progress)
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
