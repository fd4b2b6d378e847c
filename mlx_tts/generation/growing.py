"""A text that still arrives -> whether it is complete, without anybody waiting for it in the MLX thread.

And the base of families' Synthesizers, which begin when enough of a text is there.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from mlx_tts.generation.synthesizer import ANY_FRAMES
from mlx_tts.runtime.device import policy
from mlx_tts.speech import CheckedRequest, GrowingText


def has_arrived(growing: GrowingText) -> bool:
    """Take in what is there without waiting; whether the text is complete."""
    advance = getattr(growing, "advance", None)
    while advance is not None and not growing.complete and advance():
        pass
    return growing.complete


def keep_waiting(growing: GrowingText) -> None:
    """Have a thread wait for a text that can only be waited for, so that nobody else does."""
    if hasattr(growing, "advance"):
        return

    def wait() -> None:
        while not growing.complete:
            growing.wait()

    threading.Thread(target=wait, name="mlx-tts growing text", daemon=True).start()


@dataclass
class PreparedRequest:
    """A request that was read. utterance: None until all of a text that must be waited for is there."""

    request: CheckedRequest
    utterance: Any = None


class FrameSynthesizer:
    """What Synthesizers share that make speech frame by frame. A subclass has the loop that makes its frames, and says
    what of a request the loop reads. Without more it lays out a text in one go: one that still arrives is waited for.

    gpu_pieces: pieces of equal length that a GPU decodes in one step.
    """

    gpu_pieces = 32
    decoded_frames = ANY_FRAMES
    _loop: Any

    def _utterance(self, request: CheckedRequest) -> Any:
        raise NotImplementedError

    @property
    def decoded_at_once(self) -> int:
        # On the CPU each row's bits would depend on the size of the products it shares.
        return self.gpu_pieces if policy().shares_pieces else 1

    def open_batch(self) -> Any:
        return self._loop.open_batch()

    def prepare(self, request: CheckedRequest) -> PreparedRequest:
        if request.growing is None:
            return PreparedRequest(request, self._utterance(request))
        keep_waiting(request.growing)
        return PreparedRequest(request)

    def begin(self, prepared: PreparedRequest, take: int) -> Generator[int, None, Any]:
        if prepared.utterance is not None:  # it waits for its reading from now on, together with other newcomers
            return self._loop.begin(prepared.utterance, take)  # type: ignore[no-any-return]
        return self._begin_when_it_may(prepared, take)

    def _begin_when_it_may(self, prepared: PreparedRequest, take: int) -> Generator[int, None, Any]:
        while not self._may_begin(prepared.request):
            yield 0
        prepared.utterance = self._growing_utterance(prepared.request)
        return (yield from self._loop.begin(prepared.utterance, take))

    def _may_begin(self, request: CheckedRequest) -> bool:
        assert request.growing is not None
        return has_arrived(request.growing)

    def _growing_utterance(self, request: CheckedRequest) -> Any:
        assert request.growing is not None
        return self._utterance(replace(request, text=request.growing.text))
