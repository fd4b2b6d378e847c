"""Options and where the speech goes -> nothing, or RequestError for what does not go together."""

from __future__ import annotations

from mlx_tts.audio.formats import format_of
from mlx_tts.cli.options import SpeakingOptions
from mlx_tts.cli.output import Destination, check_file
from mlx_tts.cli.sound_options import SoundOptions
from mlx_tts.errors import RequestError
from mlx_tts.files.paths import user_path
from mlx_tts.files.writing import is_stream


def check_options(destination: Destination, options: SpeakingOptions, arriving: bool) -> None:
    """To be called before any model is opened. arriving: the text comes through a pipe while it is spoken."""
    long_text, live = options.long_text, options.live
    for_file = destination.file is not None and not destination.live and not is_stream(destination.file)
    if live.latency not in ("normal", "low"):
        raise RequestError(f"--latency is {live.latency!r}: use normal or low")
    needs_file = {
        "--chapters": long_text.chapters,
        "--resume": long_text.resume,
        "--keep-pieces": long_text.keep_pieces,
        "--redo": long_text.redo is not None,
        "--verify": options.guard.verify,
    }
    for name, wanted in needs_file.items():
        if wanted and not for_file:
            raise RequestError(f"{name} is for files: give -o and leave out --play")
    if long_text.batch is not None and long_text.batch > 1 and destination.live:
        raise RequestError("--batch is for files: what is played or piped on is made in its order")
    if live.device is not None and not destination.play:
        raise RequestError("--device is for playing: add --play")
    if options.guard.verify_model is not None and not options.guard.verify:
        raise RequestError("--verify-model goes with --verify")
    if options.guard.verify:
        from mlx_tts.audio.recogniser import CHECKS, check_recogniser

        check_recogniser(CHECKS, options.guard.verify_model)
    _check_sound(options.sound, long_text.chapters)
    if long_text.chapters and destination.file is not None and format_of(destination.file).chapters:
        raise RequestError("--chapters writes a file for each chapter, and an audiobook has them inside: leave it out")
    if long_text.chapters and arriving:
        raise RequestError("--chapters needs the whole text: give --file")


def _check_sound(sound: SoundOptions, chapters: bool) -> None:
    if sound.speed != 1.0:
        from mlx_tts.audio.effects.speed import check_speed

        check_speed(sound.speed, "--speed")
    if sound.subtitles is not None:
        from mlx_tts.narration.subtitles import check_subtitles

        subtitles = user_path(sound.subtitles)
        check_subtitles(subtitles, sound.subtitle_level)
        check_file(subtitles, audio=False)
        if chapters:
            raise RequestError("--subtitles is for one sound file: leave out --chapters")
    elif sound.subtitle_level != "sentence":
        raise RequestError("--subtitle-level goes with --subtitles")
    sound.target  # noqa: B018 (it raises what is wrong with it)
