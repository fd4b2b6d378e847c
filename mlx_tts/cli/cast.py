"""`mlx-tts cast`: a book -> its characters and who says which line, in a file to be mended and spoken by."""

from __future__ import annotations

import json as json_text
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.console import Console
from mlx_tts.cli.options import ModelOption
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files.reading import user_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mlx_tts.text.cast.cast_file import Cast, Character
    from mlx_tts.text.cast.label_server import LabelServer
    from mlx_tts.text.cast.labels import Labelled
    from mlx_tts.text.cast.series import Continued
    from mlx_tts.text.cutting.pieces import Chapter

app = new_app()


@app.command()
def cast(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A text or a book.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the cast (TOML) into this new file.")
    ] = None,
    model: ModelOption = None,
    voice: Annotated[str | None, typer.Option(metavar="NAME", help="The narrator's voice.")] = None,
    language: Annotated[
        str, typer.Option("--language", "-l", metavar="LANGUAGE", help="The language of the book, or auto.")
    ] = "auto",
    series: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The cast of an earlier book: its characters keep their names and voices."),
    ] = None,
    labels_from: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Ask a language model about quotations that the rules leave open: the address of Ollama, LM Studio or "
            "another server of OpenAI's protocol. It gets the passages around them.",
        ),
    ] = None,
    labels_model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="With --labels-from: the name of the model, where there are several."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --labels-from: send passages to any machine.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print characters and lines as JSON, for programs.")] = False,
) -> None:
    """Find who speaks in a book, and write the cast for `speak --cast`.

    It works by rules and changes no words. A line whose speaker is not sure stays with the narrator, unless
    --labels-from names a language model to ask.
    """
    from mlx_tts.files.writing import check_writable, write_output
    from mlx_tts.library.voice_choice import choose
    from mlx_tts.text.cast.attribution import attribute
    from mlx_tts.text.cast.cast_file import Cast, as_toml, read_cast, text_hash
    from mlx_tts.text.cast.labels import recounted
    from mlx_tts.text.cast.series import continued
    from mlx_tts.text.markup.directives import is_ssml
    from mlx_tts.text.source.documents import read_document

    path, target = user_path(file), out and user_path(str(out))
    if target is not None:
        if target.exists():
            raise RequestError(f"{target} is there already: give another name to -o, your work in it would be lost")
        check_writable(target)
    earlier = None if series is None else read_cast(user_path(str(series)))
    console = Console()
    server = _label_server(labels_from, labels_model, yes, path.name, console)
    chapters = read_document(path).chapters
    if any(is_ssml(chapter.text) for chapter in chapters):
        raise RequestError(f"{path} is SSML, which names its voices itself: give a text or a book")
    found = attribute(chapters, language)
    presets = choose(model, voice).choice.spec.voices
    narrator = voice or (earlier and earlier.narrator) or next(iter(presets), None)
    people = continued(found.characters, found.lines, earlier.characters if earlier else ())
    labelled = None if server is None else _labelled(people, chapters, server, console)
    if labelled is not None:
        people = replace(people, lines=labelled.lines, characters=recounted(people.characters, labelled.lines))
    characters = _with_voices(people.characters, presets, narrator)
    made = Cast(characters, narrator, people.lines, text_hash(chapters))
    if target is not None:
        origin = dict.fromkeys(people.kept, series.name) if series is not None else {}
        write_output(target, as_toml(made, chapters, path.name, target.name, origin).encode("utf-8"))
    if json:
        told = {
            "narrator": narrator,
            "characters": list(map(asdict, characters)),
            "lines": list(map(asdict, made.lines)),
        }
        typer.echo(json_text.dumps(told, ensure_ascii=False, indent=1))
    elif target is None:
        for one in characters:
            also = f"  also {', '.join(one.aliases)}" if one.aliases else ""
            typer.echo(f"{one.lines:>5}  {one.name:<24} {one.sex or '':<6} {one.voice or '':<12}{also}".rstrip())
    kept = sum(one.name in people.kept and one.lines > 0 for one in characters)
    of_series = f"; {kept} of its characters are in {series}" if series else ""
    console.say(_summary(made) + of_series + (f"; wrote {target}" if target else ""))
    if labelled is not None and server is not None:
        _tell_labels(labelled, server, console)


def _with_voices(
    characters: tuple[Character, ...], presets: Sequence[str], narrator: str | None
) -> tuple[Character, ...]:
    """A voice for each who has none yet."""
    from mlx_tts.job.casting import propose

    taken: Counter[str] = Counter()
    for one in characters:
        if one.voice:
            taken[one.voice] += max(1, one.lines)
    without = [(one.name, one.sex, one.lines) for one in characters if not one.voice]
    voices = propose(without, presets, narrator, taken)
    return tuple(replace(one, voice=one.voice or voices.get(one.name)) for one in characters)


def _label_server(
    url: str | None, model: str | None, is_agreed: bool, book: str, console: Console
) -> LabelServer | None:
    """The server to ask, where one was named; passages leave the own network only if the user agrees."""
    from mlx_tts.text.cast.label_server import find_label_server

    if url is None:
        if model is not None:
            raise RequestError("--labels-model works only with --labels-from: add the address of its server")
        return None
    server = find_label_server(url)
    if server.is_far and not is_agreed:
        console.must_agree(f"Send passages of {book} to {server.where}, which is outside of your network?")
    return server.named(model)


def _labelled(people: Continued, chapters: Sequence[Chapter], server: LabelServer, console: Console) -> Labelled:
    from mlx_tts.text.cast.labels import label

    def tell(done: int, of: int) -> None:
        console.progress(f"passage {done + 1} of {of} to {server.name}", done / of)

    try:
        return label(people.lines, chapters, people.characters, server.name, server.answer, tell)
    except MlxTtsError as error:
        raise type(error)(f"{error}: nothing was written; without --labels-from the rules alone are used") from None
    finally:
        console.progress("")


def _tell_labels(labelled: Labelled, server: LabelServer, console: Console) -> None:
    """What the model did. MlxTtsError: it stopped before the end."""
    ignored = f"; {labelled.ignored} parts of its answers were no labels and were left out" if labelled.ignored else ""
    asked = "1 passage" if labelled.passages == 1 else f"{labelled.passages} passages"
    console.say(f"{server.name} labelled {labelled.given} of the quotations, in {asked}{ignored}")
    if labelled.trouble is not None:
        raise MlxTtsError(
            f"{labelled.trouble}: {server.name} was asked about {labelled.answered} of {asked}, the rest is by rules"
        )


def _summary(made: Cast) -> str:
    sure = sum(line.speaker is not None for line in made.lines)
    if not made.lines:
        return "no quotations were found: the narrator reads all"
    rest = len(made.lines) - sure
    return f"{len(made.lines)} quotations: {sure} have a speaker, {rest} stay with the narrator"
