"""A text that still arrives -> whether it is complete, without anybody waiting for it in the MLX thread."""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

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
class Prepared:
    """A request that was read. utterance: None until all of a text that must be waited for is there."""

    request: CheckedRequest
    utterance: Any = None


class BeginsWithWholeText:
    """What a Synthesizer does that lays out its text in one go. A subclass has the loop that makes its frames, and says
    what of a request the loop reads."""

    _loop: Any

    def _utterance(self, request: CheckedRequest) -> Any:
        raise NotImplementedError

    def prepare(self, request: CheckedRequest) -> Prepared:
        if request.growing is None:
            return Prepared(request, self._utterance(request))
        keep_waiting(request.growing)
        return Prepared(request)

    def begin(self, prepared: Prepared, take: int) -> Generator[int, None, Any]:
        growing = prepared.request.growing
        while prepared.utterance is None:
            assert growing is not None
            if has_arrived(growing):
                prepared.utterance = self._utterance(replace(prepared.request, text=growing.text))
            else:
                yield 0
        return (yield from self._loop.begin(prepared.utterance, take))
