"""A text and a checked request -> the plan of a speech: pieces, pauses, rows, and the store of a resumable run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.narration.narrate import NarrationOptions
from mlx_tts.narration.piece_store import PieceStore, settings_of, store_folder, voice_key
from mlx_tts.speech import CheckedRequest, ModelInfo, SpeechRequest, Voice
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import Chapter, Packing, Piece
from mlx_tts.text.phonemes.notations import to_ipa
from mlx_tts.text.phonemes.phones import marked_words, written
from mlx_tts.text.reading import Reading, base_language, pause_after_seconds
from mlx_tts.text.source.documents import text_document

Check = Callable[[SpeechRequest], CheckedRequest]
# Of live speech by a model that makes a piece in one go: the first sound waits for the whole first piece, and each
# further piece is made while the one before is played.
GROWING_SECONDS = (3.5, 5.0, 9.0)
NOTHING_TO_SAY = "there is nothing to say in this text, only signs, pictures or markup: give some words"


class NothingToSayError(RequestError):
    """A text of signs, pictures or markup alone."""


@dataclass(frozen=True)
class Plan:
    """What is spoken and how. pieces: None while the text arrives. skipped: paragraphs without words."""

    request: CheckedRequest
    source: Iterable[Piece | None]
    pieces: list[Piece] | None
    options: NarrationOptions
    skipped: list[str] = field(default_factory=list)
    store: PieceStore | None = None
    reading: Reading | None = None

    @property
    def total_seconds(self) -> float:
        """About how long all of it takes at an ordinary pace."""
        return sum(expected_seconds(piece.spoken) for piece in self.pieces or [])

    def pause_after(self, index: int) -> float:
        """Seconds of quiet between the piece at `index` and the next; 0 behind the last."""
        pieces = self.pieces or []
        following = pieces[index + 1] if index + 1 < len(pieces) else None
        return pause_after_seconds(pieces[index], following, self.options.pauses.after)


def packing_for(info: ModelInfo, language: str, every_sentence: bool = False, live: bool = False) -> Packing:
    """How pieces are cut for a model."""
    growing = GROWING_SECONDS if live and info.whole_pieces and not every_sentence else ()
    return Packing(language, characters=info.longest_text, every_sentence=every_sentence, growing=growing)


def reading_for(info: ModelInfo, **options: Any) -> Reading:
    """How a text is read for a model: numbers in words where it was not trained to read them itself, and hard words as
    phones or as a respelling, where it needs them so."""
    return Reading(
        model_needs_words=not info.can.reads_numbers,
        phones=info.can.reads_phones,
        respells_names=info.can.needs_respelling,
        british_voices=frozenset(info.british_voices),
        **options,
    )


def plan_chapters(
    info: ModelInfo,
    request: CheckedRequest,
    chapters: list[Chapter],
    options: NarrationOptions,
    reading: Reading,
    check: Check,
) -> Plan:
    """Read and cut a text that is there as a whole; RequestError when nothing in it can be said, or when markup asks
    for a voice or a language that the model does not have."""
    skipped: list[str] = []
    packing = packing_for(info, request.language, options.every_sentence, options.live)
    pieces = list(reading.pieces(chapters, packing, skipped.append))
    if not pieces:
        raise NothingToSayError(NOTHING_TO_SAY)
    pieces = list(checked_names(pieces, request, check, info))
    if reading.noted is not None and (names := _felt_otherwise(pieces)):
        reading.noted(f"this model follows no instructions: pace and loudness alone say {names}")
    return Plan(request, pieces, pieces, options, skipped, reading=reading)


def plan_text(info: ModelInfo, request: CheckedRequest, options: NarrationOptions, check: Check) -> Plan:
    """The plan of the request's own text, of any length."""
    chapters = text_document(request.text).chapters
    return plan_chapters(info, request, chapters, options, reading_for(info), check)


def checked_names(
    pieces: Iterable[Piece | None], request: CheckedRequest, check: Check, info: ModelInfo
) -> Iterator[Any]:
    """The pieces with voices and languages of markup as the checkpoint spells them, and with what this model makes of
    their feelings; None: no text just now."""
    names: dict[tuple[str | None, str | None], CheckedRequest] = {}
    for piece in pieces:
        if piece is None:
            yield None
            continue
        asked = piece.voice, piece.language
        if asked != (None, None):
            if asked not in names:
                language = piece.language or "auto"
                wanted = SpeechRequest("...", piece.voice or request.voice, language, request.instruct)
                names[asked] = check(wanted)
            voice = names[asked].voice
            spelled = voice if isinstance(voice, str) else piece.voice
            piece = replace(
                piece,
                voice=spelled if piece.voice else None,
                own_voice=voice if piece.voice and isinstance(voice, Voice) else None,
                language=names[asked].language if piece.language else None,
            )
        yield piece if piece.feeling is None else felt(piece, request, info, check)


def _felt_otherwise(pieces: Iterable[Piece]) -> str:
    """The tags that are no instructions for this model."""
    found = {
        name: None
        for piece in pieces
        if piece.feeling and not piece.instruct and (piece.rate or piece.decibels)
        for name in piece.feeling.names
    }
    return ", ".join(f"[{name}]" for name in found)


def felt(piece: Piece, request: SpeechRequest, info: ModelInfo, check: Check) -> Piece:
    """The piece with its feeling as an instruction, where the model follows one; else in the voice's own style of that
    name, where there is one; else as pace and loudness."""
    feeling, voice = piece.feeling, piece.own_voice or request.voice
    if feeling is None:
        return piece
    goes_on = isinstance(voice, Voice) and voice.prompt_latents is not None  # such a voice takes no description
    if (info.can.instructs or info.can.designs) and not goes_on:
        return replace(piece, instruct=f"{request.instruct or ''} {feeling.instruct}".strip())
    styles = voice.styles if isinstance(voice, Voice) and (piece.own_voice or not piece.voice) else {}
    if (style := next((styles[name] for name in reversed(feeling.names) if name in styles), None)) is not None:
        checked = check(SpeechRequest("...", style, piece.language or "auto")).voice
        return replace(piece, own_voice=checked if isinstance(checked, Voice) else style)
    return replace(piece, rate=(piece.rate or 1.0) * feeling.rate, decibels=(piece.decibels or 0.0) + feeling.decibels)


def stored_texts(pieces: list[Piece]) -> list[str]:
    """What a run that goes on compares of its pieces: their words, and which of them is said how, by whom."""
    texts = [piece.spoken for piece in pieces]
    texts += [f"{piece.number} {piece.voice} {piece.language}" for piece in pieces if piece.voice or piece.language]
    texts += [f"{piece.number} {piece.instruct}" for piece in pieces if piece.instruct]
    texts += [f"{piece.number} {voice_key(piece.own_voice)}" for piece in pieces if piece.own_voice is not None]
    return texts


def with_store(
    plan: Plan,
    file: Path,
    model: str,
    sample_rate: int,
    asked_seed: int | None,
    resume: bool,
    kernel_form: str = "plain",
    verified: bool = False,
) -> Plan:
    """Keep finished pieces next to `file`, so that a run that was stopped can go on. Where no seed was asked for, that
    of the earlier run is taken; RequestError if it had other settings. The store says in which form of the kernels
    the rest is to be computed: that of the earlier run."""
    store = PieceStore(store_folder(file), sample_rate)
    settings = settings_of(plan.request, stored_texts(plan.pieces or []), model, plan.options.pauses)
    settings["seed"] = asked_seed
    if verified:  # their takes differ from those of a run that nobody listened to
        settings["verified"] = True
    assert plan.request.seed is not None
    seed = store.begin(settings, plan.request.seed, resume, kernel_form)
    return replace(plan, request=replace(plan.request, seed=seed), store=store)


def check_redo(file: Path, number: int, pieces: int) -> None:
    """RequestError where there is no such piece of an earlier run to speak again. number: from 1."""
    if number > pieces:
        raise RequestError(f"--redo is {number}: this text has {pieces} pieces (--dry-run --json lists them)")
    if not store_folder(file).is_dir():
        raise RequestError(f"there are no pieces of {file} to go on from: make it with --keep-pieces first")


def describe_plan(plan: Plan) -> list[dict[str, Any]]:
    """The pieces as `speak --dry-run --json` prints them, numbered from 1."""
    voice = plan.request.voice
    name = voice if isinstance(voice, str) or voice is None else voice.name
    base = base_language("\n".join(piece.text for piece in plan.pieces or []), plan.request.language)
    return [
        {
            "number": piece.number + 1,
            "text": piece.text,
            "spoken": written(piece.spoken),
            "phonemes": _phonemes(piece.spoken),
            "language": piece.language or plan.request.language,
            "voice": piece.voice or name,
            "feeling": list(piece.feeling.names) if piece.feeling else [],
            "instruct": piece.instruct or plan.request.instruct,
            "pause_after_seconds": plan.pause_after(index),
            "estimated_seconds": round(expected_seconds(piece.spoken), 2),
            "chapter": piece.chapter + 1,
            "spans": _spans(plan.reading, piece, plan.request.language, base),
        }
        for index, piece in enumerate(plan.pieces or [])
    ]


def _phonemes(spoken: str) -> list[dict[str, Any]]:
    """The words that the model is given as phones: where in `spoken` they begin, and their sounds in IPA."""
    return [{"start": start, "word": word, "ipa": to_ipa(phones)} for start, word, phones in marked_words(spoken)]


def _spans(reading: Reading | None, piece: Piece, language: str, base: str) -> list[dict[str, Any]]:
    """Places in a piece's text, from 0, with the rule that changed them and the words that are said."""
    changes = reading.changes(piece.text, piece.language or language, base) if reading else []
    return [
        {"start": span.start, "end": span.end, "rule": span.rule, "spoken": span.words}
        for span in changes
        if span.words is not None
    ]
