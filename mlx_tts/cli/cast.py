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
from mlx_tts.errors import RequestError
from mlx_tts.files.reading import user_path

if TYPE_CHECKING:
    from mlx_tts.text.cast.cast_file import Cast

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
    json: Annotated[bool, typer.Option("--json", help="Print characters and lines as JSON, for programs.")] = False,
) -> None:
    """Find who speaks in a book, and write the cast for `speak --cast`.

    It works by rules and changes no words. A line whose speaker is not sure stays with the narrator.
    """
    from mlx_tts.files.writing import check_writable, write_output
    from mlx_tts.job.casting import propose
    from mlx_tts.library.voice_choice import choose
    from mlx_tts.text.cast.attribution import attribute
    from mlx_tts.text.cast.cast_file import Cast, as_toml, read_cast, text_hash
    from mlx_tts.text.cast.series import continued
    from mlx_tts.text.markup.directives import is_ssml
    from mlx_tts.text.source.documents import read_document

    path, target = user_path(file), out and user_path(str(out))
    if target is not None:
        if target.exists():
            raise RequestError(f"{target} is there already: give another name to -o, your work in it would be lost")
        check_writable(target)
    earlier = None if series is None else read_cast(user_path(str(series)))
    chapters = read_document(path).chapters
    if any(is_ssml(chapter.text) for chapter in chapters):
        raise RequestError(f"{path} is SSML, which names its voices itself: give a text or a book")
    found = attribute(chapters, language)
    presets = choose(model, voice).choice.spec.voices
    narrator = voice or (earlier and earlier.narrator) or next(iter(presets), None)
    people = continued(found.characters, found.lines, earlier.characters if earlier else ())
    taken: Counter[str] = Counter()
    for one in people.characters:
        if one.voice:
            taken[one.voice] += max(1, one.lines)
    without = [(one.name, one.sex, one.lines) for one in people.characters if not one.voice]
    voices = propose(without, presets, narrator, taken)
    characters = tuple(replace(one, voice=one.voice or voices.get(one.name)) for one in people.characters)
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
    Console().say(_summary(made) + of_series + (f"; wrote {target}" if target else ""))


def _summary(made: Cast) -> str:
    sure = sum(line.speaker is not None for line in made.lines)
    if not made.lines:
        return "no quotations were found: the narrator reads all"
    rest = len(made.lines) - sure
    return f"{len(made.lines)} quotations: {sure} have a speaker, {rest} stay with the narrator"
