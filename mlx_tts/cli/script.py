"""Argument, standard input, file or clipboard -> the script: all chapters of a text, or one that is still arriving."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.audio.formats import ENDINGS, format_of
from mlx_tts.cli.output import is_book
from mlx_tts.errors import RequestError
from mlx_tts.files.reading import near_file, user_path
from mlx_tts.shortened import shown

if TYPE_CHECKING:
    from mlx_tts.audio.encoder import BookInfo
    from mlx_tts.cli.options import SpeakingOptions
    from mlx_tts.job.casting import Casting
    from mlx_tts.job.settings import ReadingSettings
    from mlx_tts.speech import ModelInfo
    from mlx_tts.text.cutting.pieces import Chapter, Piece
    from mlx_tts.text.reading import Reading
    from mlx_tts.text.source.blocks import Asides, Document

READ_BYTES = 4096
LONGEST_NAME = 1000  # characters: a longer argument is a text
DOCUMENTS = (".txt", ".md", ".markdown", ".html", ".htm", ".xhtml", ".epub", ".docx", ".pdf", ".ssml", ".fountain")
UNREAD = (".doc", ".rtf", ".odt", ".mobi", ".azw3")  # documents all the same: their names are not meant to be spoken
PROGRAMS = (
    ("pbpaste",),  # macOS
    ("wl-paste", "--no-newline"),  # Wayland
    ("xclip", "-out", "-selection", "clipboard"),
    ("xsel", "--clipboard", "--output"),
)
MOST_SECONDS = 10.0  # a program that asks another one for the text, which may hang


@dataclass(frozen=True)
class Script:
    """chapters: the whole text, or None while it is still arriving at standard input. document: of a file, what it says
    of itself. casting: which voices speak the spans of the chapters; None where only one does. source: the file that it
    is from. asides: what was read of it besides the text. given: the text itself, where it
    is neither a file's nor a page's."""

    chapters: list[Chapter] | None
    document: Document | None = None
    casting: Casting | None = None
    source: Path | None = None
    asides: Asides | None = None
    given: str | None = None

    @property
    def arriving(self) -> bool:
        return self.chapters is None

    @property
    def titles(self) -> list[str | None]:
        return [chapter.title for chapter in self.chapters or []]

    @property
    def sample(self) -> str:
        """Some text, for the check of a request whose own text is each piece."""
        return self.chapters[0].text if self.chapters else "..."

    def book(self, file: Path | None) -> BookInfo | None:
        """What an audiobook says of itself: as its document does, or by its file's name."""
        if file is None or is_book(file) or not format_of(file).chapters:
            return None
        from mlx_tts.audio.encoder import BookInfo

        document = self.document
        title = (document and document.title) or file.stem
        author, cover = (document.author, document.cover) if document else (None, None)
        return BookInfo(title, author, cover, self.titles)

    def arriving_pieces(
        self,
        language: str,
        info: ModelInfo,
        reading: Reading,
        skipped: Callable[[str], None],
        every_sentence: bool = False,
    ) -> Iterator[Piece | None]:
        """Each piece as soon as its text is there, or its first words where the model takes them; None: nothing now."""
        from mlx_tts.narration.plan import packing_for
        from mlx_tts.text.source.arriving import read_growing, read_pieces

        descriptor = sys.stdin.fileno()
        packing = packing_for(info, language, every_sentence)

        def read() -> bytes:
            return os.read(descriptor, READ_BYTES)

        if info.can.streams_text and not reading.rewrites and not reading.exact:
            return read_growing(read, packing, skipped)
        return read_pieces(read, packing, skipped, reading)


def read_script(words: list[str] | None, options: SpeakingOptions, reading: ReadingSettings, live: bool) -> Script:
    """The text from exactly one place. live: the sound is wanted at once, so a pipe's text is not waited for.

    A single argument that names a file or an address means what is in it; an address is asked about first."""
    from mlx_tts.job.prepare import asides_of, chapters_of

    asked, asides = options.text, asides_of(reading)
    argument = " ".join(words) if words else None
    given = {"a text": argument, "--text": asked.literal, "--file": asked.file, "--url": asked.url}
    places = [name for name, value in given.items() if value is not None]
    if len(places) > 1:
        raise RequestError(f"both {places[0]} and {places[1]} were given: give one of them")
    source: Path | str | None = asked.file or asked.url
    if argument is not None:
        _check_output_among(words or [])
        _check_files_among(words or [])
        source = named_source(argument)
        if isinstance(source, str) and not options.fetch.yes:
            options.console.console.must_agree(f"Read {source} aloud?", f"--url {source}")
    if isinstance(source, Path):
        from mlx_tts.text.source.documents import read_document

        document = read_document(source, asides)
        return Script(document.chapters, document, source=source, asides=asides)
    if source is not None:
        from mlx_tts.text.source.web import fetch_document

        document = fetch_document(source, asides)
        return Script(document.chapters, document)
    text = argument if asked.literal is None else asked.literal
    if live and text in (None, "-") and _is_pipe():
        return Script(None)
    whole = read_text(text)
    return Script(chapters_of(reading, whole), given=whole)


def named_source(argument: str) -> Path | str | None:
    """The file or the address that a text is the name of; None for a text. RequestError for what cannot be read aloud,
    and for the name of a document that is not there."""
    if argument.startswith(("http://", "https://")) and not any(map(str.isspace, argument)):
        return argument
    if "\n" in argument or len(argument) > LONGEST_NAME:
        return None
    path = user_path(argument)
    ending = path.suffix.lower()
    with contextlib.suppress(OSError, ValueError):  # a text that no file can be called
        if path.is_dir():
            if "/" in argument:
                raise RequestError(f"{path} is a folder: give one of its files, or --text to speak the words")
            return None
        if path.is_file() and ending in ENDINGS:
            command = f"mlx-tts clone --voice-sample {shlex.quote(argument)}"
            raise RequestError(f"{path} is an audio file, not text: `{command}` speaks in its voice")
        if path.is_file() and (ending or "/" in argument):
            return path
    if any(map(str.isspace, argument)):
        return None
    near = near_file(path, DOCUMENTS) if len(ending) > 1 else None
    if ending in (*DOCUMENTS, *UNREAD, *ENDINGS) or (near is not None and _differ_by_ending(path, near)):
        hint = "check its name," if near is None else f"did you mean {shlex.quote(str(near))}?"
        raise RequestError(f"no file {path}: {hint} or give --text {shlex.quote(argument)} to speak the words")
    return None


def _differ_by_ending(path: Path, near: Path) -> bool:
    """Whether the ending of a file is nearly what was typed, and all else just that: "notes.tx" for notes.txt."""
    return path.stem == near.stem and bool(get_close_matches(path.suffix.lower(), [near.suffix.lower()]))


def _check_output_among(words: list[str]) -> None:
    """RequestError for the name of a sound file behind a text: what was forgotten is the -o."""
    *text, last = words
    if text and not any(map(str.isspace, last)) and Path(last).suffix.lower() in ENDINGS:
        raise RequestError(f"{last} stands among the words: to write that file, put -o before it")


def _check_files_among(words: list[str]) -> None:
    """RequestError for several documents: their names would be spoken."""
    if len(words) > 1 and all(_names_document(word) for word in words):
        raise RequestError(
            f"{words[0]} and {words[1]} are files: give one at a time, or use quotes and --text to speak the words"
        )


def _names_document(word: str) -> bool:
    """Whether a word without white space has the ending of a document."""
    return not any(map(str.isspace, word)) and Path(word).suffix.lower() in DOCUMENTS and Path(word).stem != ""


def read_text(argument: str | None) -> str:
    """The text from the argument or standard input; RequestError when there is none, or no text in it."""
    if argument is not None and argument != "-":
        text, source = argument, "the text"
    else:
        if argument is None and sys.stdin.isatty():
            raise RequestError('no text: give it in quotes, as in mlx-tts "Hello.", or give a file, or use a pipe')
        text, source = _decode(sys.stdin.buffer.read()), "standard input"
    if not text.strip():
        wanted = (
            "some words to speak"
            if source == "the text"
            else 'some words in quotes, such as "Hello.", or the name of a file'
        )
        raise RequestError(f"{source} is empty: give {wanted}")
    return text


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RequestError(
            f"standard input is not UTF-8 text (byte {error.start}): give the name of the file instead, "
            "or convert the text first"
        ) from None


def _is_pipe() -> bool:
    """Whether standard input is another program's output, which may take its time; a file is read whole."""
    try:
        return stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode)
    except (OSError, ValueError, AttributeError):
        return False


def chapter_range(text: str, chapters: int) -> tuple[int, int]:
    """ "2-5", "3", "2-" -> the first and the last chapter, counted from 1."""
    first, dash, last = text.partition("-")
    try:
        begin = int(first)
        end = begin if not dash else int(last) if last else chapters
    except ValueError:
        raise RequestError(f"--only-chapters is {shown(text)}: give a number or a range such as 2-5") from None
    if not 1 <= begin <= end <= chapters:
        raise RequestError(f"--only-chapters is {shown(text)}: this text has {chapters} chapters")
    return begin, end


def clipboard_text() -> str:
    """RequestError where there is no such program, or no text."""
    program = next((line for line in PROGRAMS if shutil.which(line[0])), None)
    if program is None:
        raise RequestError("--clipboard needs wl-paste, xclip or xsel here: install one, or pipe the text in")
    try:
        found = subprocess.run(program, capture_output=True, timeout=MOST_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RequestError(f"{program[0]} did not give the clipboard's text ({type(error).__name__})") from None
    text = found.stdout.decode("utf-8", "replace")
    if found.returncode or not text.strip():
        raise RequestError("there is no text in the clipboard: copy some first")
    return text
