"""The pieces of one text -> their requests in the engine, one after the other where the model carries state."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from mlx_tts.generation.side_by_side import SideBySide
from mlx_tts.generation.stream import SpeechStream
from mlx_tts.speech import CheckedRequest, ModelInfo
from mlx_tts.text.cutting.pieces import Piece


class PieceStreams(SideBySide[Piece]):
    """The pieces of one text in the engine. submit: `TextToSpeech.submit` with the delivery that the caller wants; it
    is given `condition` and `number`, since a piece's number goes into its seed. Where this model carries state from
    piece to piece of such a request (`continues`), a piece begins when the one before is made, and is told whether
    another follows."""

    def __init__(
        self,
        submit: Callable[..., Any],
        template: CheckedRequest,
        pieces: Iterator[Piece | None],
        info: ModelInfo,
        condition: threading.Condition | None = None,
    ):
        super().__init__(pieces, self._submit_piece, condition)
        self.continues, self.template = info.can.continues and template.continues, template
        self.after: Any = None  # what the piece before left behind
        self._submit_request = submit

    def begin_next(self) -> bool:
        return not (self.continues and not self.is_made) and super().begin_next()

    def request_of(self, piece: Piece) -> CheckedRequest | None:
        """The request for a piece whose turn it is; None where it need not be made."""
        return piece_request(self.template, piece)

    def _submit_piece(self, piece: Piece, condition: threading.Condition) -> SpeechStream | None:
        if self.last is not None:
            self.after = self.last.continuation
        request, number = self.request_of(piece), piece.number
        if request is not None and self.continues:
            request, number = replace(request, after=self.after, more=self.more_follow), 0
        return None if request is None else self._submit_request(request, condition=condition, number=number)


def piece_request(template: CheckedRequest, piece: Piece) -> CheckedRequest:
    """The request for one piece of a speech, without its number and what the piece before left behind."""
    return replace(
        template,
        text=piece.spoken,
        voice=piece.own_voice or piece.voice or template.voice,
        language=piece.language or template.language,
        growing=piece.growing,
    )
