"""`mlx-tts voice play`: a voice's name -> its recording or a spoken sentence, into the speakers or a file."""

from __future__ import annotations

from mlx_tts.cli.options import SpeakingOptions
from mlx_tts.errors import RequestError
from mlx_tts.library import catalog


def play_voice(name: str, text: str | None, model: str | None, options: SpeakingOptions) -> None:
    """RequestError where no preset and no voice of the user's has this name."""
    from mlx_tts.cli.order import Order
    from mlx_tts.cli.output import choose_destination
    from mlx_tts.cli.script import Script
    from mlx_tts.cli.speak import speak_order
    from mlx_tts.job.settings import SpeechSettings
    from mlx_tts.library.voice_choice import find_saved
    from mlx_tts.text.cutting.pieces import Chapter
    from mlx_tts.text.languages import sample_sentences

    preset, saved = catalog.presets().get(catalog.voice_key(name)), find_saved(name)
    if preset is None and saved is None and model is None:
        raise RequestError(f"no voice is called {name[:64]!r}: `mlx-tts voice list` lists them")
    destination = choose_destination(options.output, options.live)
    if saved is not None and saved.recording is not None and text is None and model is None:
        sink = destination.open(saved.recording.sample_rate, options.live, options.console.console.say)
        try:
            sink.write(saved.recording.samples)
            kept = sink.finish()
        except BaseException:
            sink.abandon()
            raise
        if kept is not None:
            options.console.console.say(f"wrote {kept}{destination.note}")
        return
    language = preset.language if preset is not None else saved.language if saved is not None else None
    script = Script([Chapter(None, text or sample_sentences(language))])
    order = Order(destination, script, SpeechSettings(model=model, voice=name), options)
    order.check()
    speak_order(order)
