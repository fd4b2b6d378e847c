"""A text that nobody wants any more -> its stream ends within a frame, whichever thread says so."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from mlx_tts.text.cutting.pieces import Piece


class CanBeCancelled(Protocol):
    """What is made of a piece, as far as it matters here."""

    def cancel(self) -> None: ...


class Cancellation:
    """Ends what is made for a text from any thread, within a frame: the next text must not wait for a dead one."""

    def __init__(self) -> None:
        self.is_cancelled = False
        self._lock = threading.Lock()
        self._stream: CanBeCancelled | None = None

    def watch(self, _piece: Piece, stream: CanBeCancelled) -> None:
        """A piece of the text was begun; there is one at a time."""
        with self._lock:
            self._stream = stream
            if self.is_cancelled:
                stream.cancel()

    def cancel(self) -> None:
        with self._lock:
            self.is_cancelled = True
            if self._stream is not None:
                self._stream.cancel()
