"""A model and a recogniser -> a model whose pieces were listened to, and spoken again where their words differ."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from mlx_tts.generation.seeds import verified_seed
from mlx_tts.narration.narrate import SpeakingModel
from mlx_tts.speech import AudioChunk, ModelInfo, Samples, SpeechRequest
from mlx_tts.text.phonemes.phones import written
from mlx_tts.text.transcripts import count, differences


class Listener(Protocol):
    def __call__(self, samples: Samples, sample_rate: int, text: str, language: str) -> str:
        """The words that are heard."""
        ...


@dataclass(frozen=True)
class Finding:
    """What was heard of a take. places: where words differ. again: it is spoken once more; else it, or an earlier take
    that is better, is kept."""

    text: str
    places: list[tuple[str, str]]
    take: int
    again: bool


class Verified:
    """Speaks as the model does, whole pieces only. Each is listened to; where words differ it is spoken again, up to
    `retries` times, and the take with the fewest wrong words is given. found: told of each take that was not right."""

    def __init__(self, model: SpeakingModel, listen: Listener, retries: int, found: Callable[[Finding], None]) -> None:
        self._model, self._listen, self._retries, self._found = model, listen, retries, found

    @property
    def info(self) -> ModelInfo:
        return self._model.info

    @property
    def frames_made(self) -> int:
        return self._model.frames_made

    def serve_rows(self, rows: int | None) -> int:
        return self._model.serve_rows(rows)

    def submit(
        self,
        request: SpeechRequest,
        *,
        live: bool = False,  # noqa: ARG002 (a piece is given when it was heard as a whole)
        low_latency: bool = False,
        condition: threading.Condition | None = None,
        number: int = 0,
    ) -> VerifiedStream:
        submit = partial(self._model.submit, low_latency=low_latency, condition=condition, number=number)
        return VerifiedStream(request, submit, self._is_right)

    def _is_right(self, request: SpeechRequest, samples: Samples, take: int) -> tuple[int, bool]:
        """Listen to a take: how many words are wrong, and whether it is spoken again."""
        text = written(request.text)
        heard = self._listen(samples, self.info.sample_rate, text, request.language)
        places = differences(text, heard, request.language)
        wrong = count(places)
        again = bool(wrong) and take <= self._retries
        if wrong:
            self._found(Finding(text, places, take, again))
        return wrong, again


class VerifiedStream:
    """The take of a request that is kept, as a SpeechStream gives it. The thread that reads it listens, and submits
    the next take; for a model that carries state, the state is that of the take that is kept."""

    def __init__(
        self,
        request: SpeechRequest,
        submit: Callable[[SpeechRequest], Any],
        hear: Callable[[SpeechRequest, Samples, int], tuple[int, bool]],
    ) -> None:
        self.request, self._submit, self._hear = request, submit, hear
        self.continuation: Any = None
        self._cancelled = False
        self._stream = submit(request)
        self._take = 1
        self._earlier_frames = 0  # of takes that were heard and are not the last
        self._least_wrong: int | None = None
        self._best: deque[AudioChunk] = deque()
        self._is_kept = False

    @property
    def frames(self) -> int:
        return int(self._stream.frames)

    @property
    def decoded_frames(self) -> int:
        return int(self._stream.decoded_frames)

    @property
    def vain_frames(self) -> int:
        return self._earlier_frames + int(self._stream.vain_frames)

    @property
    def condition(self) -> threading.Condition:
        return self._stream.condition  # type: ignore[no-any-return]

    @property
    def ended(self) -> bool:
        return self._is_kept or (self._cancelled and self._stream.ended)

    @property
    def has_something(self) -> bool:
        return self._is_kept or (self._stream.ended and not self._cancelled)

    def __next__(self) -> AudioChunk:
        """The next chunk of the take that is kept. One without samples where another take was submitted just now."""
        if not self._is_kept:
            self._judge()
            if not self._is_kept:
                return AudioChunk(np.zeros(0, np.float32), self._best[0].sample_rate)
        if not self._best:
            raise StopIteration
        return self._best.popleft()

    def _judge(self) -> None:
        chunks = deque(self._stream)
        samples = np.concatenate([chunk.samples for chunk in chunks])
        wrong, again = self._hear(self.request, samples, self._take)
        if self._least_wrong is None or wrong < self._least_wrong:
            self._least_wrong, self._best, self.continuation = wrong, chunks, self._stream.continuation
        if again:
            self._take += 1
            self._earlier_frames += self.frames + int(self._stream.vain_frames)
            seed = verified_seed(self.request.seed or 0, self._take)
            self._stream = self._submit(replace(self.request, seed=seed))
        self._is_kept = not again

    def cancel(self, flush: bool = False) -> None:
        self._cancelled = True
        self._stream.cancel(flush)

    def close(self) -> None:
        self._cancelled = True
        self._stream.close()
