"""What all doors of the server share: settings, models, voices, figures, health; a text -> a job that can be spoken."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.library.voice_choice import check_with_names
from mlx_tts.models import families
from mlx_tts.narration.job import plan_chapters, reading_for
from mlx_tts.narration.narrate import NarrationOptions
from mlx_tts.server.answers import ApiError, bad_request, internal_error
from mlx_tts.server.metrics import Metrics
from mlx_tts.server.model_pool import ModelPool, ServedModel
from mlx_tts.server.settings import ServerSettings
from mlx_tts.server.speech_body import SpeechOrder
from mlx_tts.server.spoken_text import SpokenText
from mlx_tts.server.voices import UploadedVoices, choose
from mlx_tts.speech import CheckedRequest, Sampling, SpeechRequest
from mlx_tts.text.cutting.pieces import Chapter, Piece
from mlx_tts.text.normalise.lexicon import Lexicon
from mlx_tts.text.reading import Reading
from mlx_tts.text.source.documents import text_document

SHORT_TEXT = 300  # characters: reading so few takes less time than another thread
SAMPLE = "..."  # stands for a text that is not there yet
log = logging.getLogger("mlx_tts.server")


@dataclass(frozen=True)
class Job:
    """A checked order: the model, the request that each piece is made from, and the pieces."""

    order: SpeechOrder
    model: ServedModel
    request: CheckedRequest
    pieces: list[Piece]


@dataclass(eq=False)
class Serving:
    """One for the whole server. fault: what broke in the engine, until a speech ends well again."""

    settings: ServerSettings
    pool: ModelPool
    shelf: UploadedVoices
    metrics: Metrics
    lexicon: Lexicon | None = None
    fault: str | None = None
    draining: bool = False
    _told: set[str] = field(default_factory=set)

    def reading(self, model: ServedModel) -> Reading:
        """How texts are read for a model: as on the command line."""
        return reading_for(model.info, lexicon=self.lexicon)

    async def prepare(self, order: SpeechOrder) -> Job:
        """Everything that can be wrong with an order is found here; ApiError names the field."""
        model, request = self.request(order)
        if len(order.input) > SHORT_TEXT:
            pieces = await asyncio.to_thread(self._pieces, model, request, order)
        else:
            pieces = self._pieces(model, request, order)
        return Job(order, model, request, pieces)

    def request(self, order: SpeechOrder) -> tuple[ServedModel, CheckedRequest]:
        """The model that an order means, and the request that its pieces are made from."""
        model, voice = choose(self.pool, self.shelf, order.model, order.voice)
        asked = SpeechRequest(
            SAMPLE,
            voice,
            order.language or "auto",
            self._instruct(model, order.instructions),
            Sampling(temperature=order.temperature),
            order.seed,
        )
        try:
            return model, families.check_request(model.checkpoint, asked)
        except RequestError as error:
            raise bad_request(str(error), self._wrong_field(model, asked)) from None

    def _pieces(self, model: ServedModel, request: CheckedRequest, order: SpeechOrder) -> list[Piece]:
        def check(asked: SpeechRequest) -> CheckedRequest:
            return self.check_part(model, asked)

        options = NarrationOptions(live=True)
        try:
            chapters = [Chapter(None, order.input, plain=True)] if order.plain else text_document(order.input).chapters
            plan = plan_chapters(model.info, request, chapters, options, self.reading(model), check)
        except RequestError as error:
            raise bad_request(str(error), "input") from None
        return plan.pieces or []

    def check_part(self, model: ServedModel, asked: SpeechRequest) -> CheckedRequest:
        """The request of a part of a text, whose markup may name a preset of the model or a voice of the shelf."""
        usual = partial(families.check_request, model.checkpoint)
        return check_with_names(usual, model.info.voices, self.shelf.find, asked)

    def _instruct(self, model: ServedModel, instructions: str | None) -> str | None:
        """What the model has no use for is left out, with a line in the log, once for each model."""
        if instructions is None or model.info.can.instructs or model.info.can.designs:
            return instructions
        if model.id not in self._told:
            self._told.add(model.id)
            log.info("instructions are ignored: the model %s was not trained to follow them", model.id)
        return None

    def _wrong_field(self, model: ServedModel, asked: SpeechRequest) -> str | None:
        """Which field of the body a refused request has wrong: each is tried without the ones behind it."""
        plain = replace(asked, voice=None, language="auto", sampling=None, seed=None)
        fields: dict[str, dict[str, Any]] = {
            "instructions": {},
            "voice": {"voice": asked.voice},
            "language": {"language": asked.language},
            "temperature": {"sampling": asked.sampling},
            "seed": {"seed": asked.seed},
        }
        for name, values in fields.items():
            plain = replace(plain, **values)
            try:
                families.check_request(model.checkpoint, plain)
            except RequestError:
                return name
        return None

    @asynccontextmanager
    async def speaking(
        self, model: ServedModel, request: CheckedRequest, pieces: Iterator[Piece | None], client: str
    ) -> AsyncIterator[SpokenText]:
        """Hold the model and a row of it while a text is spoken. ApiError 429 or 503 where there is no room."""
        async with self.pool.use(model) as tts:
            assert model.admission is not None
            async with model.admission.row(client):
                self.metrics.active.inc()
                spoken = SpokenText(tts, request, pieces)
                try:
                    yield spoken
                finally:
                    spoken.close()
                    self.metrics.active.dec()
        self.fault = None

    def failed(self, error: BaseException) -> ApiError:
        """The answer to an error while speaking; one that is no client's fault also fails the health check."""
        if isinstance(error, ApiError):
            return error
        if isinstance(error, RequestError):
            return bad_request(str(error))
        log.error("speaking failed: %s", error, exc_info=None if isinstance(error, MlxTtsError) else error)
        if not isinstance(error, MlxTtsError):
            self.fault = f"{type(error).__name__} in the engine"
        return internal_error()
