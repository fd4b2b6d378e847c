"""`speak --dialogue` and `--cast`: a script or a book and its cast -> the script whose spans say who speaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.cli.script import Script, named_source, read_script
from mlx_tts.errors import RequestError
from mlx_tts.files.reading import user_path
from mlx_tts.job.casting import Casting
from mlx_tts.text.cast.cast_file import Cast, read_cast
from mlx_tts.text.cast.dialogue import FOUNTAIN, NARRATOR, one_chapter_a_speaker, read_dialogue
from mlx_tts.text.markup.directives import is_ssml
from mlx_tts.text.source.documents import MARKDOWN, decode

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
    cast = Cast(()) if cast_file is None else read_cast(user_path(str(cast_file)))
    sexes = {one.name.casefold(): one.sex for one in cast.characters if one.sex}
    where = "this script" if cast_file is None else cast.path
    script = _with_lines(words, options, settings) if is_dialogue else read_script(words, options, settings, live=False)
    chapters, voices, narrator = script.chapters or [], cast.voices, cast.narrator
    if is_dialogue:
        text = "\n\n".join(chapter.text for chapter in chapters)
        dialogue = read_dialogue(text, _ending(words, options), (one.name for one in cast.characters))
        table = {name.casefold(): voice for name, voice in dialogue.voices.items()}
        narrator = narrator or table.pop(NARRATOR, None)
        voices = {**table, **voices}
        chapters = one_chapter_a_speaker(dialogue) if each_speaker else dialogue.chapters
        if dialogue.left_out:
            options.console.console.say(f"stage directions in brackets that are not read: {dialogue.left_out}")
    else:
        if any(is_ssml(chapter.text) for chapter in chapters):
            raise RequestError("--cast is for books, and this is SSML, which has <voice>: leave --cast out")
        if not cast.lines:
            raise RequestError(f"{cast.path} has no lines: make it with `mlx-tts cast`, or add --dialogue for a script")
        chapters = cast.spoken_by(chapters)
    if settings.voice is None and narrator is not None:
        settings = replace(settings, voice=narrator)
    return replace(script, chapters=chapters, casting=Casting(voices, sexes, where)), settings


def _ending(words: list[str] | None, options: SpeakingOptions) -> str:
    file = options.text.file or (named_source(" ".join(words)) if words else None)
    return file.suffix.lower() if isinstance(file, Path) else ""


def _with_lines(words: list[str] | None, options: SpeakingOptions, settings: SpeechSettings) -> Script:
    """A script's text with its lines as they are written."""
    file = options.text.file or (named_source(" ".join(words)) if words and not options.text.is_given else None)
    if isinstance(file, Path) and file.suffix.lower() in WRITTEN and file.is_file():
        from mlx_tts.files import budget
        from mlx_tts.text.cutting.pieces import Chapter

        budget.TEXT_BYTES.check(file.stat().st_size, file)
        return Script([Chapter(None, decode(file.read_bytes(), str(file)))])
    return read_script(words, options, replace(settings, normalise="off"), live=False)
