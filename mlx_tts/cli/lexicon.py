"""`mlx-tts lexicon`: a book -> its names with ways to say them; a lexicon -> what is wrong with it."""

from __future__ import annotations

import json as json_text
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mlx_tts.cli.commands import new_app
from mlx_tts.cli.console import Console
from mlx_tts.errors import RequestError
from mlx_tts.files.reading import user_path

if TYPE_CHECKING:
    from mlx_tts.text.normalise.lexicon import Lexicon
    from mlx_tts.text.phonemes.suggest import BookWord

app = new_app(invoke_without_command=True)
SAMPLE_TEXT = "{0}. Ask {0}."

BookArgument = Annotated[str, typer.Argument(metavar="FILE", help="A text, a web page or a book.", show_default=False)]
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write a lexicon with the proposals as comments.")
]
SamplesOption = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Speak each proposal into a WAV file of this folder.")
]
LexiconOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Leave out the words of this lexicon; by default of your own.")
]


@app.callback()
def lexicon(ctx: typer.Context) -> None:
    """Find the names of a book, and check how a lexicon says them."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


@app.command("suggest")
def suggest(
    file: BookArgument,
    out: OutOption = None,
    samples: SamplesOption = None,
    voice: Annotated[str | None, typer.Option(metavar="NAME", help="Who speaks the samples.")] = None,
    most: Annotated[
        int,
        typer.Option(metavar="COUNT", min=1, max=10_000, help="List at most this many words, the most frequent first."),
    ] = 200,
    british: Annotated[bool, typer.Option("--british", help="Propose British pronunciations.")] = False,
    lexicon: LexiconOption = None,
    json: Annotated[bool, typer.Option("--json", help="Print all details as JSON, for programs.")] = False,
) -> None:
    """List names and rare words of a book, with ways to say each.

    There are up to three ways for each word.
    """
    from mlx_tts.job.settings import user_lexicon
    from mlx_tts.text.normalise.lexicon import read_lexicon
    from mlx_tts.text.phonemes.suggest import as_lexicon, proposals, words_of
    from mlx_tts.text.source.documents import read_document

    path, target = user_path(file), out and user_path(str(out))
    if target is not None and target.exists():
        raise RequestError(f"{target} is there already: give another name to -o, your work in it would be lost")
    known = user_lexicon() if lexicon is None else read_lexicon(user_path(str(lexicon)))
    words = words_of([chapter.text for chapter in read_document(path).chapters], known)[:most]
    if samples is not None:
        _speak_samples(words, user_path(str(samples)), voice, british)
    if target is not None:
        target.write_text(as_lexicon(words, path.name, british), encoding="utf-8")
        Console().say(
            f"{target}: {len(words)} words; take away the # before what you like, then lexicon check {target}"
        )
    if json:
        rows = [
            {**_facts(word), "proposals": [asdict(one) for one in proposals(word.written, is_british=british)]}
            for word in words
        ]
        typer.echo(json_text.dumps({"words": rows}, ensure_ascii=False, indent=1))
    elif target is None:
        for word in words:
            ways = ", ".join(one.respelling for one in proposals(word.written, is_british=british))
            typer.echo(f"{word.count:>5}  {word.written:<20} {ways}")
        if not words:
            Console().say("no names or rare words are in it that a lexicon does not say already")


def _facts(word: BookWord) -> dict[str, object]:
    return {
        "word": word.written,
        "count": word.count,
        "chapter": word.chapter,
        "sentence": word.sentence,
        "why": word.why,
        "beside": sorted(word.beside, key=lambda name: -word.beside[name])[:3],
    }


def _speak_samples(words: list[BookWord], folder: Path, voice: str | None, british: bool) -> None:
    """WORD-1.wav to WORD-3.wav: what each proposal sounds like."""
    from mlx_tts import load
    from mlx_tts.library.voice_choice import choose
    from mlx_tts.narration.plan import reading_for
    from mlx_tts.text.markup.directives import with_pronunciations
    from mlx_tts.text.phonemes.suggest import proposals

    folder.mkdir(parents=True, exist_ok=True)
    chosen = choose(None, voice)
    with load(chosen.choice.spec.name, offline=True) as model:
        speaker = voice or (model.voices[0] if model.voices else None)
        reading = reading_for(model.info, region="gb" if british else "", voice=speaker)
        for word in words:
            for number, proposal in enumerate(proposals(word.written, is_british=british), 1):
                text = SAMPLE_TEXT.format(f"[{word.written}]{{{proposal.ipa}}}")
                said = reading.spoken(with_pronunciations(text), "english")
                model.speak(said, voice=speaker, seed=0).save(folder / f"{word.written}-{number}.wav")
    Console().say(f"{folder}: a file a proposal, numbered as in the lexicon")


@app.command("check")
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A lexicon.", show_default=False)],
    json: Annotated[bool, typer.Option("--json", help="Print all details as JSON, for programs.")] = False,
) -> None:
    """Read a lexicon and say how each entry sounds. The exit code is 2 if an entry cannot be read."""
    from mlx_tts.text.normalise.lexicon import read_lexicon

    path = user_path(str(file))
    read = read_lexicon(path)
    rows = _checked(read)
    if json:
        typer.echo(json_text.dumps({"entries": rows}, ensure_ascii=False, indent=1))
        return
    for row in rows:
        typer.echo(f"{row['match']:<20} {row['spoken']}" + (f"  ({row['note']})" if row["note"] else ""))
    Console().say(f"{path}: {len(rows)} entries, all can be read")


def _checked(read: Lexicon) -> list[dict[str, object]]:
    """Of each entry what is said, and what is worth knowing: sounds that English lacks, entries that never act."""
    from mlx_tts.text.phonemes.notations import to_ipa
    from mlx_tts.text.phonemes.respelling import respelled

    rows: list[dict[str, object]] = []
    before: set[tuple[object, ...]] = set()
    for number, entry in enumerate(read.entries, 1):
        sounds, notes = entry.said(), []
        key = (entry.match if entry.case or entry.regex else entry.match.casefold(), entry.language, entry.voice)
        if key in before:
            notes.append("an earlier entry has the same match, so this one is never used")
        before.add(key)
        if sounds is not None:
            notes += [f"{foreign} is said as {own}" for foreign, own in sounds.replaced]
        spoken = entry.say if sounds is None else f"{to_ipa(sounds.phones)}  {respelled(sounds.phones)}"
        rows.append({"number": number, "match": entry.match, "spoken": spoken, "note": "; ".join(notes)})
    return rows
