"""`mlx-tts clone`: text and a recording -> speech in the recording's voice, or a voice file for later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from mlx_tts.cli.commands import SectionedCommand, new_app
from mlx_tts.cli.options import SpeakingOptions, TextArgument, Without, grouped
from mlx_tts.cli.voice_sample import SampleOptions, SampleRequest, check_sample, make_voice, open_cloner, report
from mlx_tts.errors import RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.setting import path

app = new_app()

EXAMPLES = """Examples:

  mlx-tts clone "This is my voice." --voice-sample me.wav -o clone.wav

  mlx-tts clone --voice-sample me.wav --transcript "What I say in it." --save-voice me.safetensors"""


@dataclass(frozen=True)
class CloneOptions:
    """Where the voice comes from, and where it is kept."""

    voice_sample: Path | None = path("A recording of the voice, 0.5 to 60 s, any format and rate.")
    save_voice: Path | None = path("Keep the voice in a .safetensors file for `speak --voice`.")


@app.command(cls=SectionedCommand, epilog=EXAMPLES)
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

    Needs a Base model: without --model the default if it clones, else one on disk, the 0.6B ones first. With
    --save-voice and no text the voice is only kept.
    Silence around the voice is cut off, and its level is made even; what will be heard in the clone is said.
    """
    from mlx_tts.cli.model_access import load
    from mlx_tts.cli.order import Order
    from mlx_tts.cli.output import choose_destination
    from mlx_tts.cli.script import read_script
    from mlx_tts.cli.write_speech import speak_into
    from mlx_tts.job import prepare
    from mlx_tts.library import voice_store
    from mlx_tts.models import families

    console = options.console.console
    sample, save_voice = voice.voice_sample, voice.save_voice
    only_save = save_voice is not None and text is None and options.text.file is None and options.text.url is None
    order = None
    if not only_save:
        destination = choose_destination(options.output, options.live, settings.format)
        script = read_script(text, options.text, settings, destination.live)
        order = Order(destination, script, settings, options)
        order.check()
    check_sample(sample, reference, "--voice-sample")
    _check_file(save_voice)
    request_of_sample = SampleRequest(sample, reference, settings.language)
    choice, checkpoint, heard = open_cloner(settings.model, request_of_sample, options.fetch, console)
    if order is not None:
        # The voice is not known before the weights are; all else of the request is checked now.
        asked = prepare.request_of(settings, checkpoint.info, None, order.script.sample)
        prepare.must_speak_language(asked.language, checkpoint.info, choice.spec.name)
        plan = order.plan(checkpoint, families.check_request(checkpoint, asked))
        prepare.must_speak_text(plan, checkpoint.info, choice.spec.name)
    report(heard, console)
    loaded = load(choice.spec, checkpoint, options.fetch, console)
    made = make_voice(loaded, heard.recording, heard.transcript)
    if save_voice is not None:
        voice_store.save_voice(made, save_voice, choice.spec.lasting_name)
        console.say(f"saved the voice in {save_voice}")
    if order is not None:
        request = loaded.check(replace(asked, voice=made))
        console.detail(f"model {choice.spec.name}, language {request.language}")
        speak_into(order, replace(plan, request=request), loaded, choice.spec.name, console)


def _check_file(save_voice: Path | None) -> None:
    from mlx_tts.cli.output import check_file

    if save_voice is not None:
        if save_voice.suffix != ".safetensors":
            raise RequestError(f"--save-voice is {save_voice}: voice files end in .safetensors")
        check_file(save_voice, audio=False)
