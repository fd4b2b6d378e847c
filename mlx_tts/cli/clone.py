"""`mlx-tts clone`: text and a recording -> speech in the recording's voice, or a voice file for later."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from mlx_tts.audio.formats import ENDINGS
from mlx_tts.cli.commands import new_app
from mlx_tts.cli.options import SpeakingOptions, TextArgument, Without, grouped
from mlx_tts.cli.voice_sample import (
    SAMPLE_HELP,
    SampleOptions,
    SampleRequest,
    check_sample,
    make_voice,
    open_cloner,
    read_sample,
    report,
)
from mlx_tts.errors import RequestError
from mlx_tts.files.reading import user_path
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.setting import path

if TYPE_CHECKING:
    from mlx_tts.cli.console import Console
    from mlx_tts.cli.voice_sample import Reference
    from mlx_tts.samples import Samples
    from mlx_tts.speech import ModelInfo

app = new_app()

EXAMPLES = """\b
Examples:
  mlx-tts clone --voice-sample me.wav
  mlx-tts clone "This is my voice." --voice-sample me.wav -o clone.wav
  mlx-tts clone --voice-sample me.wav --save-voice me.safetensors"""


@dataclass(frozen=True)
class CloneOptions:
    """Where the voice comes from, and where it is kept."""

    voice_sample: Path | None = path(SAMPLE_HELP, flag="--voice-sample/--sample")
    save_voice: Path | None = path("Keep the voice in a .safetensors file for `speak --voice`.")


@app.command(epilog=EXAMPLES)
@grouped
def clone(
    *,
    text: TextArgument = None,
    voice: CloneOptions,
    reference: SampleOptions,
    settings: Annotated[SpeechSettings, Without("voice", "instruct", "rate", "verify")],
    options: SpeakingOptions,
) -> None:
    """Speak in the voice of a recording.

    Without a text it says a few sentences, so that you hear the voice. If you give --save-voice and no text, it only
    keeps the voice. Without --model it takes your default model if that one clones, else a Base model that is on disk,
    else the small one that is built in.
    """
    from mlx_tts.cli.model_access import load
    from mlx_tts.cli.order import Order
    from mlx_tts.cli.output import choose_destination
    from mlx_tts.cli.script import Script, read_script
    from mlx_tts.cli.write_speech import speak_into
    from mlx_tts.job import prepare
    from mlx_tts.library import voice_store
    from mlx_tts.models import families
    from mlx_tts.text.cutting.pieces import Chapter

    console = options.console.console
    sample, save_voice = voice.voice_sample, voice.save_voice
    sample, text = _sample_in_place_of_text(sample, text, reference)
    check_sample(sample, reference, "--voice-sample")
    samples = None if sample is None else _read(sample, console)  # before a text is waited for
    has_text = text is not None or options.text.is_given
    first_words = not has_text and save_voice is None and sys.stdin.isatty()
    order = None
    if save_voice is None or has_text:
        destination = choose_destination(options.output, options.live, settings.format)
        script = Script([]) if first_words else read_script(text, options, settings, destination.live)
        order = Order(destination, script, settings, options)
        order.check()
    _check_voice_file(save_voice)
    with console.working("preparing the voice sample") as step:
        request_of_sample = SampleRequest(sample, reference, settings.language, samples)
        choice, checkpoint, heard = open_cloner(settings.model, request_of_sample, options.fetch, console)
        if order is not None:
            if first_words:
                order = replace(order, script=Script([Chapter(None, _first_words(heard, checkpoint.info))]))
            # The voice is not known before the weights are; all else of the request is checked now.
            asked = prepare.request_of(settings, checkpoint.info, None, order.script.sample)
            prepare.must_speak_language(asked.language, checkpoint.info, choice.spec.name)
            plan = order.plan(checkpoint, families.check_request(checkpoint, asked))
            prepare.must_speak_text(plan, checkpoint.info, choice.spec.name)
        report(heard, console)
        step("loading the model")
        loaded = load(choice.spec, checkpoint, options.fetch, console)
        step("making the voice")
        made = make_voice(loaded, heard.recording, heard.transcript)
    if save_voice is not None:
        voice_store.save_voice(made, save_voice, choice.spec.lasting_name)
        console.say(f"saved the voice in {save_voice}")
    if order is not None:
        request = loaded.check(replace(asked, voice=made))
        console.detail(f"model {choice.spec.name}, language {request.language}")
        name = "your voice" if sample is None else f"the voice of {sample.name}"
        speak_into(order, replace(plan, request=request), loaded, choice.spec.name, console, name)
    if first_words:
        _tell_how_to_go_on(sample, console)


def _sample_in_place_of_text(
    sample: Path | None, text: list[str] | None, reference: SampleOptions
) -> tuple[Path | None, list[str] | None]:
    """`clone me.wav`: a recording where the text stands is the sample."""
    if sample is None and text and not reference.record and Path(text[0]).suffix.lower() in ENDINGS:
        file = user_path(text[0])
        if file.is_file() or not any(map(str.isspace, text[0])):  # a single name means a file, maybe missing
            return file, text[1:] or None
    return sample, text


def _read(sample: Path, console: Console) -> Samples:
    with console.working(f"reading {sample.name}"):
        return read_sample(sample)


def _first_words(heard: Reference, info: ModelInfo) -> str:
    """What a voice says first where nobody gave a text: in the sample's language if that is known and spoken."""
    from mlx_tts.text.language_guess import guess_language
    from mlx_tts.text.languages import sample_sentences

    language = heard.language or (guess_language(heard.transcript) if heard.transcript else None)
    return sample_sentences(language if language in info.languages else None)


def _tell_how_to_go_on(sample: Path | None, console: Console) -> None:
    where = "--record" if sample is None else shlex.quote(str(sample))
    console.say(f'say your own words: mlx-tts clone "your text" {"" if sample is None else "--voice-sample "}{where}')
    console.say(f"keep the voice: mlx-tts voice make NAME {'' if sample is None else '--sample '}{where}")


def _check_voice_file(save_voice: Path | None) -> None:
    from mlx_tts.files.writing import check_writable

    if save_voice is not None:
        if save_voice.suffix != ".safetensors":
            raise RequestError(f"--save-voice is {save_voice}: voice files end in .safetensors")
        check_writable(save_voice)
