"""What all doors of the server share: settings, models, voices, figures, health; a text -> a job that can be spoken."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.job import prepare
from mlx_tts.job.casting import Casting, cast_text, narrated
from mlx_tts.models import families
from mlx_tts.narration.plan import Check, NothingToSayError
from mlx_tts.server.answers import ApiError, bad_request, internal_error
from mlx_tts.server.borrowed_names import language_of
from mlx_tts.server.kept_speech import KeptSpeeches, KeptText, NotedText, SpeechParts
from mlx_tts.server.metrics import Metrics
from mlx_tts.server.model_pool import ModelPool, ServedModel
from mlx_tts.server.settings import ServerSettings
from mlx_tts.server.speech_body import SpeechOrder
from mlx_tts.server.spoken_text import SpokenText
from mlx_tts.server.voices import UploadedVoices, choose
from mlx_tts.speech import CheckedRequest, SpeechRequest
from mlx_tts.text.cast.cast_file import parse_cast
from mlx_tts.text.cutting.pieces import Chapter, Piece
from mlx_tts.text.normalise.lexicon import Lexicon

SHORT_TEXT = 300  # characters: reading so few takes less time than another thread
SECONDS_A_CHARACTER = 1 / 14  # of speech, about
LONG_TEXT = 5000  # reading more takes more than 50 ms, and does not hold up shorter texts
MOST_WITHOUT_COLLECTIONS = 1_000_000  # of larger documents too much memory could be left meanwhile
T = TypeVar("T")
log = logging.getLogger("mlx_tts.server")


def _without_collections(read: Callable[..., T], *arguments: Any) -> T:
    """`read(*arguments)`, while Python does not look for objects that hold each other. A text of 30,000 headings has a
    hundred thousand objects while it is read, and each look through them keeps the event loop waiting for 30 to 80 ms.
    They go without that, as soon as the text is read. One thread at a time may do this."""
    gc.disable()
    try:
        return read(*arguments)
    finally:
        gc.enable()


@dataclass(frozen=True)
class Job:
    """A checked order: the model, the request that each piece is made from, and the pieces; none where the text has
    nothing that can be said. told: where it has a cast, who speaks as whom."""

    order: SpeechOrder
    model: ServedModel
    request: CheckedRequest
    pieces: list[Piece]
    told: str | None = None


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
    kept: KeptSpeeches = field(init=False)
    _told: set[str] = field(default_factory=set)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    # One thread for long texts and one for the others: more of them would keep Python from the event loop.
    _readers: tuple[ThreadPoolExecutor, ThreadPoolExecutor] = field(
        default_factory=lambda: (ThreadPoolExecutor(1, "mlx-tts text"), ThreadPoolExecutor(1, "mlx-tts long text"))
    )

    def __post_init__(self) -> None:
        self.kept = KeptSpeeches(self.settings.cache_mb << 20)

    def is_speaking(self) -> bool:
        """Whether any model has a row in use."""
        return any(admission.active for admission in self.pool.admissions)

    async def read_text(self, characters: int, read: Callable[..., T], *arguments: Any) -> T:
        """`read(*arguments)`, away from the event loop. characters: how long the text is."""
        reader = self._readers[characters > LONG_TEXT]
        if LONG_TEXT < characters <= MOST_WITHOUT_COLLECTIONS:
            read = partial(_without_collections, read)
        return await asyncio.get_running_loop().run_in_executor(reader, read, *arguments)

    async def prepare(self, order: SpeechOrder) -> Job:
        """Everything that can be wrong with an order is found here; ApiError names the field."""
        order = self.with_lexicon(order)
        if order.cast is not None:
            return await self._prepare_cast(order, order.cast)
        async with self._turn:
            await asyncio.sleep(0)  # one in a turn of the event loop: forty that come at once would hold it for 50 ms
            model, request = self.request(order)
            if len(order.input) <= SHORT_TEXT:
                return Job(order, model, request, self._pieces(model, request, order))
        pieces = await self.read_text(len(order.input), self._pieces, model, request, order)
        return Job(order, model, request, pieces)

    async def _prepare_cast(self, order: SpeechOrder, cast: str) -> Job:
        """The same for a text in several voices."""
        chapters, casting = await self.read_text(len(order.input) + len(cast), _cast, order, cast)
        named = narrated(order, casting.narrator)
        try:
            model, request = self.request(named)
        except ApiError as error:
            if order.voice is not None or error.param != "voice":
                raise
            said = f"{casting.where}: the voice of the narrator: {error.message}"
            raise bad_request(said, "cast", error.code) from None

        def read() -> tuple[list[Piece], str]:
            try:
                voiced, told = casting.voiced(chapters, model.info.voices, request.voice, self.part_check(model))
            except RequestError as error:
                raise bad_request(str(error), "cast", "invalid_value") from None
            return self._pieces(model, request, named, voiced), told

        pieces, told = await self.read_text(len(order.input), read)
        return Job(named, model, request, pieces, told)

    def with_lexicon(self, order: SpeechOrder) -> SpeechOrder:
        """The order, read with the server's own lexicon behind that of the client."""
        if order.normalise == "off" or not self.lexicon:
            return order
        return replace(order, lexicon=self.lexicon if order.lexicon is None else order.lexicon + self.lexicon)

    def request(self, order: SpeechOrder) -> tuple[ServedModel, CheckedRequest]:
        """The model that an order means, and the request that its pieces are made from."""
        names = self.settings.aliases, self.settings.strict_names
        model, voice = choose(self.pool, self.shelf, order.model, order.voice, *names)
        if order.language == "auto" and order.voice and (language := language_of(order.voice, model.info.languages)):
            order = replace(order, language=language)
        try:
            asked = prepare.request_of(
                replace(order, instruct=self._instruct(model, order.instruct)), model.info, voice
            )
        except RequestError as error:
            raise bad_request(str(error), "options") from None
        try:
            return model, families.check_request(model.checkpoint, asked)
        except RequestError as error:
            raise bad_request(str(error), self._wrong_field(model, asked)) from None

    def _pieces(
        self, model: ServedModel, request: CheckedRequest, order: SpeechOrder, chapters: list[Chapter] | None = None
    ) -> list[Piece]:
        """chapters: of the input, where it was read already."""
        check = self.part_check(model)
        options = prepare.narration_options(order, live=True)
        try:
            chapters = chapters or prepare.chapters_of(order, order.input, order.plain)
            plan = prepare.plan(order, model.info, request, chapters, options, check)
        except NothingToSayError:
            return []  # an agent sends each emoji of an answer as a sentence of its own
        except RequestError as error:
            raise bad_request(str(error), "input") from None
        return plan.pieces or []

    def part_check(self, model: ServedModel) -> Check:
        """What checks a part of a text, whose markup may name a preset of the model or a voice of the shelf."""
        return prepare.part_check(partial(families.check_request, model.checkpoint), model.info, self.shelf.find)

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
        plain = replace(asked, voice=None, language="auto", sampling=None, seed=None, options=None)
        fields: dict[str, dict[str, Any]] = {
            "instructions": {},
            "voice": {"voice": asked.voice},
            "language": {"language": asked.language},
            "temperature": {"sampling": asked.sampling},
            "seed": {"seed": asked.seed},
            "options": {"options": asked.options},
        }
        for name, values in fields.items():
            plain = replace(plain, **values)
            try:
                families.check_request(model.checkpoint, plain)
            except RequestError:
                return name
        return None

    @asynccontextmanager
    async def speaking_job(self, job: Job, client: str) -> AsyncIterator[SpeechParts]:
        """A whole text: from memory where it was spoken before, else as `speaking` does it."""
        key = self.kept.key_of(job.order, job.model.id, job.request, job.pieces)
        if key is not None and (found := self.kept.find(key)) is not None:
            async with self.pool.use(job.model) as tts:
                self.metrics.repeated.inc()
                yield KeptText(tts, *found)
            return
        async with self.speaking(job.model, job.request, iter(job.pieces), client, job.order) as spoken:
            yield spoken if key is None else NotedText(spoken, self.kept, key)

    @asynccontextmanager
    async def speaking(
        self,
        model: ServedModel,
        request: CheckedRequest,
        pieces: Iterator[Piece | None],
        client: str,
        order: SpeechOrder,
        seconds: float | None = None,
    ) -> AsyncIterator[SpokenText]:
        """Hold the model and a place in it while a text is spoken. ApiError 429 or 503 where there is no room.
        seconds: of speech, 0 for text that still arrives; None: as many as the order's input takes, about."""
        seconds = len(order.input) * SECONDS_A_CHARACTER if seconds is None else seconds
        async with self.pool.use(model) as tts:
            assert model.admission is not None
            async with model.admission.place(client, seconds) as place:
                self.metrics.active.inc()
                spoken = SpokenText(tts, request, pieces, prepare.narration_options(order, live=True), place)
                try:
                    yield spoken
                finally:
                    spoken.close()
                    self.metrics.active.dec()
        self.fault = None

    def failed(self, error: BaseException) -> ApiError:
        """The answer to an error while speaking; one that is not the client's fault also fails the health check."""
        if isinstance(error, ApiError):
            return error
        if isinstance(error, RequestError):
            return bad_request(str(error))
        log.error("speaking failed: %s", error, exc_info=None if isinstance(error, MlxTtsError) else error)
        if not isinstance(error, MlxTtsError):
            self.fault = f"{type(error).__name__} in the engine"
        return internal_error()


def _cast(order: SpeechOrder, cast: str) -> tuple[list[Chapter], Casting]:
    """Who speaks what; ApiError says where a cast is wrong, or that it is of another text."""
    try:
        return cast_text(order.input, parse_cast(cast, "cast"), prepare.asides_of(order), order.plain)
    except RequestError as error:
        raise bad_request(str(error), "cast", "invalid_value") from None
