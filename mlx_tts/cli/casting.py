"""`speak --dialogue` and `--cast`: a script or a book and its cast -> the script whose spans say who speaks; or both as
a server gets them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.cli.script import Script, named_source, read_script
from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.files.reading import read_text, user_path
from mlx_tts.job.casting import cast_book, cast_script, cast_text, narrated
from mlx_tts.job.prepare import asides_of
from mlx_tts.text.cast.cast_file import parse_cast, read_cast
from mlx_tts.text.cast.dialogue import FOUNTAIN
from mlx_tts.text.source.documents import MARKDOWN, PACKED, decode

if TYPE_CHECKING:
    from mlx_tts.cli.options import SpeakingOptions
    from mlx_tts.job.settings import SpeechSettings

WRITTEN = (*MARKDOWN, *FOUNTAIN, ".txt", ".text")  # read line by line: Markdown would join the lines of speakers


def read_cast_script(
    words: list[str] | None,
    options: SpeakingOptions,
    settings: SpeechSettings,
    is_dialogue: bool,
    cast_file: Path | None,
    each_speaker: bool = False,
) -> tuple[Script, SpeechSettings]:
    """The text with who speaks what, and the settings with the narrator's voice where only the cast names one."""
    cast = None if cast_file is None else read_cast(user_path(str(cast_file)))
    script = _with_lines(words, options, settings) if is_dialogue else read_script(words, options, settings, live=False)
    chapters = script.chapters or []
    if cast is not None and not is_dialogue:
        chapters, casting = cast_book(chapters, cast)
    else:
        chapters, casting = cast_script(chapters, _ending(words, options), cast, each_speaker)
    if casting.left_out:
        options.console.console.say(f"stage directions in brackets that are not read: {casting.left_out}")
    return replace(script, chapters=chapters, casting=casting), narrated(settings, casting.narrator)


def sent_with_cast(script: Script, settings: SpeechSettings, cast_file: Path) -> tuple[str, str]:
    """The text and its cast for a server, which reads them as they were read here. RequestError: it cannot."""
    source = script.source
    if source is None and script.given is None:
        raise RequestError(
            "--cast does not work with --url and --server: save the page as a file, or leave --server out"
        )
    if source is not None and source.suffix.lower() in (*PACKED, ".pdf"):
        raise RequestError(
            f"--cast with --server is for plain text, Markdown and HTML, not for {source.name}: leave --server out"
        )
    text = script.given if source is None else decode(source.read_bytes(), str(source))
    path = user_path(str(cast_file))
    cast = read_text(path, budget.TEXT_BYTES.allowed)
    try:
        chapters, _ = cast_text(text or "", parse_cast(cast, str(path)), script.asides or asides_of(settings))
    except RequestError:
        chapters = []
    if chapters != script.chapters:
        raise RequestError(
            f"{path} was made for a file of another kind, so the server would read this text otherwise: "
            "give it the name that the file had, or leave --server out"
        )
    return text or "", cast


def _ending(words: list[str] | None, options: SpeakingOptions) -> str:
    file = options.text.file or (named_source(" ".join(words)) if words else None)
    return file.suffix.lower() if isinstance(file, Path) else ""


def _with_lines(words: list[str] | None, options: SpeakingOptions, settings: SpeechSettings) -> Script:
    """A script's text with its lines as they are written."""
    file = options.text.file or (named_source(" ".join(words)) if words and not options.text.is_given else None)
    if isinstance(file, Path) and file.suffix.lower() in WRITTEN and file.is_file():
        from mlx_tts.text.cutting.pieces import Chapter

        budget.TEXT_BYTES.check(file.stat().st_size, file)
        return Script([Chapter(None, decode(file.read_bytes(), str(file)))])
    return read_script(words, options, replace(settings, normalise="off"), live=False)
