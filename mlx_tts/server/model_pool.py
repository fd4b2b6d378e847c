"""Names of models -> loaded models: the default one from the start, others when they are asked for, until unused."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlx_tts.errors import MlxTtsError
from mlx_tts.library import hub
from mlx_tts.library.catalog import ModelSpec, voice_key
from mlx_tts.models import families
from mlx_tts.models.families import OpenCheckpoint
from mlx_tts.server.admission import Admission
from mlx_tts.server.answers import SERVER, ApiError, not_ready
from mlx_tts.server.speech_body import MODEL_NAMES_OF_OPENAI
from mlx_tts.speech import ModelInfo, SpeechRequest

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech

KEEP_ALIVE_SECONDS = 300.0
LOAD_WAIT_SECONDS = 10.0  # clients give up after 30 s without a byte; a slower load goes on without them
LOOK_SECONDS = 0.5  # how often unused models are looked for
WARM_UP = "Ready."
log = logging.getLogger("mlx_tts.server")


@dataclass(eq=False)
class ServedModel:
    """A model that clients may name. tts and admission: None while it is not loaded. users: who need it just now.
    warm, broken: whether its first word was spoken, or could not be."""

    id: str
    spec: ModelSpec
    checkpoint: OpenCheckpoint
    created: int
    tts: TextToSpeech | None = None
    admission: Admission | None = None
    users: int = 0
    last_used: float = 0.0
    warm: bool = False
    broken: bool = False
    loading: asyncio.Task[None] | None = None

    @property
    def info(self) -> ModelInfo:
        return self.checkpoint.info

    def preset(self, name: str) -> str | None:
        """The preset of this name, as the checkpoint spells it."""
        return next((voice for voice in self.info.voices if voice_key(voice) == voice_key(name)), None)


class ModelPool:
    """Used by the event loop alone; loading and freeing happen on other threads."""

    def __init__(self, specs: Iterable[ModelSpec], rows: int | None, keep_alive_seconds: float | None):
        self._rows, self._keep_alive = rows, keep_alive_seconds
        self.models: list[ServedModel] = []
        self.broken: dict[str, str] = {}  # name -> why it cannot be served
        for spec in specs:
            try:
                checkpoint = families.open_checkpoint(hub.fetch(spec, offline=True))
            except MlxTtsError as error:
                self.broken[model_id(spec)] = str(error)
                continue
            created = int((checkpoint.folder / "config.json").stat().st_mtime)
            self.models.append(ServedModel(model_id(spec), spec, checkpoint, created))

    @property
    def default(self) -> ServedModel:
        return self.models[0]

    @property
    def admissions(self) -> list[Admission]:
        """The queues of the models that are loaded."""
        return [model.admission for model in self.models if model.admission is not None]

    def find(self, name: str | None) -> ServedModel:
        """The model of this name; None and OpenAI's own names mean the default."""
        if name is None or name in MODEL_NAMES_OF_OPENAI:
            return self.default
        for model in self.models:
            if name.casefold() in (model.id.casefold(), (model.spec.repository or model.id).casefold()):
                return model
        if name in self.broken:
            raise _load_failed(name)
        served = ", ".join(model.id for model in self.models)
        raise ApiError(404, f"no model {name!r} is served here: use {served}", param="model", code="model_not_found")

    @asynccontextmanager
    async def use(self, model: ServedModel) -> AsyncIterator[TextToSpeech]:
        """The loaded model, which stays loaded meanwhile. ApiError 503 where it cannot be loaded, or not soon."""
        model.users += 1
        try:
            if model.tts is None:
                await self._wait_for(model)
            assert model.tts is not None
            yield model.tts
        finally:
            model.users -= 1
            model.last_used = time.monotonic()

    def _loading(self, model: ServedModel) -> asyncio.Task[None]:
        if model.loading is None:
            model.loading = asyncio.create_task(self.load(model))
        return model.loading

    async def _wait_for(self, model: ServedModel) -> None:
        try:
            async with asyncio.timeout(LOAD_WAIT_SECONDS):
                await asyncio.shield(self._loading(model))
        except TimeoutError:
            raise not_ready(f"the model {model.id} is being loaded: try again soon", 5) from None
        except MlxTtsError:
            raise _load_failed(model.id) from None

    async def load(self, model: ServedModel) -> None:
        """Load and warm up a model. What goes wrong is in the log, and raised."""
        begin = time.perf_counter()
        try:
            tts = await asyncio.to_thread(_load, model.checkpoint)
            rows = tts.serve_rows(self._rows)
            model.tts, model.admission = tts, Admission(rows)
            model.last_used = time.monotonic()
        except MlxTtsError as error:
            log.error("the model %s could not be loaded: %s", model.id, error)
            raise
        except Exception as error:
            log.exception("the model %s could not be loaded", model.id)
            raise MlxTtsError(str(error)) from error
        finally:
            model.loading = None
        log.info("loaded %s in %.2f s; %d requests side by side", model.id, time.perf_counter() - begin, rows)

    async def warm_up(self, model: ServedModel) -> None:
        """Load the model, however long it takes, and speak a word, so that nobody waits for what happens only once."""
        if model.tts is None:
            await self._loading(model)
        async with self.use(model) as tts:
            await asyncio.to_thread(_speak_once, tts)
        model.warm, model.broken = True, False

    async def free_unused(self) -> None:
        """Let go of models that nobody has used for a while, for ever."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for model in self.models:
                if model.tts is not None and not model.users and self._idle_too_long(model):
                    await self._free(model)

    def _idle_too_long(self, model: ServedModel) -> bool:
        if self._keep_alive is None:
            return model is not self.default and time.monotonic() - model.last_used > KEEP_ALIVE_SECONDS
        return time.monotonic() - model.last_used > self._keep_alive

    async def _free(self, model: ServedModel) -> None:
        tts, model.tts, model.admission = model.tts, None, None
        assert tts is not None
        gc.unfreeze()  # so that what was frozen when the server was ready can go
        await asyncio.to_thread(tts.close)
        log.info("freed %s, which nobody used", model.id)

    async def close(self) -> None:
        for model in self.models:
            if model.tts is not None:
                await self._free(model)


def model_id(spec: ModelSpec) -> str:
    """What clients call a model: its alias; for a folder its name, not where it is."""
    return spec.folder.resolve().name if spec.folder is not None and spec.kind is None else spec.name


def _load_failed(name: str) -> ApiError:
    message = f"the model {name} could not be loaded: the server's log says why"
    return ApiError(503, message, kind=SERVER, param="model", code="model_load_failed", headers={"Retry-After": "30"})


def _load(checkpoint: OpenCheckpoint) -> TextToSpeech:
    from mlx_tts import api

    return api.load_in_best_form(checkpoint, log.info)


def _speak_once(tts: TextToSpeech) -> None:
    instruct = "A calm voice." if tts.info.can.designs else None
    for _ in tts.narrate(SpeechRequest(WARM_UP).text, instruct=instruct, seed=0, max_frames=4):
        pass
