"""`mlx-tts speak`: text -> speech in a preset voice, a described voice or a saved one."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.audio.formats import ENDINGS
from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import SpeakingOptions, TextArgument, Without, grouped
from mlx_tts.errors import RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.setting import choice, path, switch, text

if TYPE_CHECKING:
    from mlx_tts.cli.console import Console
    from mlx_tts.cli.order import Order

app = new_app()

EXAMPLES = """\b
Examples:
  mlx-tts speak "Good morning." --voice ivy -o hello.mp3
  mlx-tts speak book.epub -o book.m4b
  some-program | mlx-tts speak - --play"""


@dataclass(frozen=True)
class SpeakOptions:
    """What `speak` has besides the options of every command that speaks."""

    engine: str = choice(
        "mlx",
        ("mlx", "coreml"),
        "Run the model with mlx (default), or with coreml, which takes what `convert --format coreml` made "
        "(experimental).",
    )
    server: str | None = text(
        None,
        "Let a running `mlx-tts serve` speak; auto takes the one on this machine, if there is one.",
        metavar="URL|auto",
    )
    clipboard: bool = switch(False, "Speak the text in the clipboard.")
    dialogue: bool = switch(False, "Read a script: lines such as `ANN: Hello.`, each speaker in another voice.")
    cast: Path | None = path("Voices of the speakers, as `mlx-tts cast` writes them (TOML).")
    each_speaker: bool = switch(False, "With --dialogue: write a file for each speaker.")
    dry_run: bool = switch(False, "Only print the words that would be spoken.")
    json: bool = switch(False, "With --dry-run: print details of each piece as JSON.")
    list_chapters: bool = switch(False, "List the chapters with their numbers, and stop.")
    list_devices: bool = switch(False, "List the sound devices and stop.")

    def check(self, model: str | None, output: str | None = None) -> None:
        """RequestError for options that do not go together."""
        if self.engine == "coreml" and (self.server is not None or model is None):
            raise RequestError(
                "--engine coreml needs --model FOLDER, made by `convert --format coreml`, and no --server"
            )
        if self.json and not self.dry_run:
            raise RequestError("--json works only with --dry-run: add it")
        if self.each_speaker and not self.dialogue:
            raise RequestError("--each-speaker works only with --dialogue: add it")
        from mlx_tts.cli.output import is_book

        if self.server is not None and is_book(Path(output or "")):
            raise RequestError(f"{output} is to be a book with its sound, which is made here: leave out --server")
        if self.server is not None and self.dialogue:
            raise RequestError("--dialogue does not work with --server: leave --server out")


def _check_voice(voice: str | None) -> None:
    """RequestError for a recording, which `clone` takes."""
    if voice is not None and Path(voice).suffix.lower() in ENDINGS:
        command = f"mlx-tts clone --voice-sample {shlex.quote(voice)}"
        raise RequestError(f"{voice} is a recording: `{command}` speaks in its voice")


@app.command(epilog=EXAMPLES)
@grouped
def speak(
    *,
    text: TextArgument = None,
    settings: Annotated[SpeechSettings, Without("rate", "verify")],
    own: SpeakOptions,
    options: SpeakingOptions,
) -> None:
    """Speak a text, a file or a web page.

    The speech is played, or written to speech.wav where there is no sound device. `mlx-tts TEXT` does the same.
    The voice decides which model speaks; without one it is your default model, or a small one that is built in.
    """
    from mlx_tts.cli.order import Order
    from mlx_tts.cli.output import Destination, choose_destination
    from mlx_tts.cli.progress import preview
    from mlx_tts.cli.script import read_script

    if own.list_devices:
        _print_devices(options.console.console)
        return
    own.check(settings.model, options.output.output)
    _check_voice(settings.voice)
    dry_run = own.dry_run or own.list_chapters
    text = _copied(text, options) if own.clipboard else text
    destination = Destination() if dry_run else choose_destination(options.output, options.live, settings.format)
    if own.dialogue or own.cast is not None:
        from mlx_tts.cli.casting import read_cast_script

        script, settings = read_cast_script(text, options, settings, own.dialogue, own.cast, own.each_speaker)
        if own.each_speaker:
            options = replace(options, long_text=replace(options.long_text, chapters=True))
    else:
        script = read_script(text, options, settings, destination.live)
    order = Order(destination, script, settings, options)
    if own.list_chapters:
        for number, chapter in enumerate(order.script.chapters or [], 1):
            typer.echo(f"{number}\t{chapter.title or preview(' '.join(chapter.text.split()))}")
        return
    if not dry_run:
        order.check()
    if not dry_run and _spoken_elsewhere(own.server, order, own.cast):
        return
    speak_order(order, dry_run, own.json, own.engine)


def speak_order(order: Order, dry_run: bool = False, as_json: bool = False, engine: str = "mlx") -> None:
    """Choose and load the model, and speak; or print the plan."""
    from mlx_tts.cli.model_access import load, open_checkpoint
    from mlx_tts.cli.voice_sample import prepared_again
    from mlx_tts.cli.write_speech import print_plan, speak_into
    from mlx_tts.job import prepare
    from mlx_tts.job.casting import Casting, naming_narrator
    from mlx_tts.speech import Voice

    settings, options, console = order.settings, order.options, order.options.console.console
    casting = order.script.casting or Casting()
    with naming_narrator(casting.narrator, casting.where):
        chosen = prepare.choose(settings, lambda choice: open_checkpoint(choice, options.fetch, console))
        request, again = prepare.checked_request(settings, chosen, order.script.sample)
    choice, info = chosen.choice, chosen.info
    preset = prepare.voice_of(settings, chosen)
    voice = settings.voice or (preset if isinstance(preset, str) else None)
    if settings.voice is None and voice is not None:
        console.detail(f"voice {voice} (--voice takes another)")
    plan = order.plan(chosen.checkpoint, request)
    prepare.must_speak_text(plan, info, chosen.name)
    if dry_run:
        print_plan(plan, as_json)
        return
    if choice.note:
        console.daily_hint(choice.note)
    if request.instruct and not (info.can.instructs or info.can.designs):
        console.say(f"{chosen.name} was not trained for --instruct and may not follow it: a 1.7B CustomVoice does")
    console.detail(f"model {chosen.name}, language {request.language}")
    loaded = load(choice.spec, chosen.checkpoint, options.fetch, console, engine)
    if again and chosen.saved is not None:
        request = prepared_again(loaded, chosen.saved, request, console)
        has_styles = isinstance(request.voice, Voice) and request.voice.styles
        plan = order.plan(chosen.checkpoint, request) if has_styles else replace(plan, request=request)
    speak_into(order, plan, loaded, chosen.name, console, voice)


def _copied(text: list[str] | None, options: SpeakingOptions) -> list[str]:
    from mlx_tts.cli.script import clipboard_text

    if text or options.text.is_given:
        raise RequestError("both --clipboard and another text were given: give one of them")
    return [clipboard_text()]


def _spoken_elsewhere(server: str | None, order: Order, cast: Path | None) -> bool:
    """Whether a server spoke it; with "auto" there may be none."""
    if server is None:
        return False
    from mlx_tts.cli.remote import find_server, refuse_what_stays_here, speak_remotely
    from mlx_tts.cli.script import read_text
    from mlx_tts.library.voice_choice import is_voice_file

    options, settings = order.options, order.settings
    refuse_what_stays_here(settings, options)
    if settings.voice is not None and is_voice_file(settings.voice):
        raise RequestError(
            "--voice is a file here, which the server does not have: upload it there, or leave --server out"
        )
    sent: tuple[str, str | None] | None = None
    if cast is not None:
        from mlx_tts.cli.casting import sent_with_cast

        sent = sent_with_cast(order.script, settings, cast)
    address = find_server(server, options.console.console.say)
    if address is None:
        options.console.console.detail("no server is running: speaking here")
        return False
    if sent is None:
        chapters = order.script.chapters
        sent = read_text(None) if chapters is None else "\n\n".join(chapter.text for chapter in chapters), None
    text, cast_text = sent
    speak_remotely(address, text, order, cast_text)
    return True


def _print_devices(console: Console) -> None:
    from mlx_tts.audio.playback.speaker import output_devices

    devices = list(output_devices())
    for number, name in devices:
        typer.echo(f"{number}\t{name}")
    if not devices:
        console.say("no sound device was found: speech is written to a file here")
