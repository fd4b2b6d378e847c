"""A text and a checked request -> the plan of a speech: pieces, pauses, rows, and the store of a resumable run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.narration.narrate import NarrationOptions
from mlx_tts.narration.piece_store import PieceStore, settings_of, store_folder
from mlx_tts.speech import CheckedRequest, ModelInfo
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import Chapter, Packing, Piece, cut_chapters
from mlx_tts.text.source.documents import markdown_chapters

NOTHING_TO_SAY = "there is nothing to say in this text, only signs, pictures or markup: give some words"


@dataclass(frozen=True)
class Plan:
    """What is spoken and how. pieces: None while the text arrives. skipped: paragraphs without words."""

    request: CheckedRequest
    source: Iterable[Piece | None]
    pieces: list[Piece] | None
    options: NarrationOptions
    skipped: list[str] = field(default_factory=list)
    store: PieceStore | None = None

    @property
    def total_seconds(self) -> float:
        """About how long all of it takes at an ordinary pace."""
        return sum(expected_seconds(piece.text) for piece in self.pieces or [])

    def pause_after(self, index: int) -> float:
        """Seconds of quiet between the piece at `index` and the next; 0 behind the last."""
        pieces = self.pieces or []
        return self.options.pauses.after(pieces[index + 1].gap) if index + 1 < len(pieces) else 0.0


def packing_for(info: ModelInfo, language: str) -> Packing:
    """How pieces are cut for a model."""
    return Packing(language, characters=info.longest_text)


def plan_chapters(info: ModelInfo, request: CheckedRequest, chapters: list[Chapter], options: NarrationOptions) -> Plan:
    """Cut a text that is there as a whole; RequestError when nothing in it can be said."""
    skipped: list[str] = []
    pieces = list(cut_chapters(chapters, packing_for(info, request.language), skipped.append))
    if not pieces:
        raise RequestError(NOTHING_TO_SAY)
    return Plan(request, pieces, pieces, options, skipped)


def plan_text(info: ModelInfo, request: CheckedRequest, options: NarrationOptions) -> Plan:
    """The plan of the request's own text, of any length."""
    return plan_chapters(info, request, markdown_chapters(request.text), options)


def with_store(plan: Plan, file: Path, model: str, sample_rate: int, asked_seed: int | None, resume: bool) -> Plan:
    """Keep finished pieces beside `file`, so that a run that was stopped can go on. Where no seed was asked for, that
    of the earlier run is taken; RequestError if it had other settings."""
    store = PieceStore(store_folder(file), sample_rate)
    settings = settings_of(plan.request, (piece.text for piece in plan.pieces or []), model, plan.options.pauses)
    settings["seed"] = asked_seed
    assert plan.request.seed is not None
    seed = store.begin(settings, plan.request.seed, resume)
    return replace(plan, request=replace(plan.request, seed=seed), store=store)


def describe_plan(plan: Plan) -> list[dict[str, Any]]:
    """The pieces as `speak --dry-run --json` prints them, numbered from 1."""
    voice = plan.request.voice
    name = voice if isinstance(voice, str) or voice is None else voice.name
    return [
        {
            "number": piece.number + 1,
            "text": piece.text,
            "spoken": piece.text,
            "language": plan.request.language,
            "voice": name,
            "pause_after_seconds": plan.pause_after(index),
            "estimated_seconds": round(expected_seconds(piece.text), 2),
            "chapter": piece.chapter + 1,
        }
        for index, piece in enumerate(plan.pieces or [])
    ]
