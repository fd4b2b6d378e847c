"""Names of models -> loaded models: the default one from the start, others when they are asked for, until unused."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mlx_tts.errors import MlxTtsError
from mlx_tts.library import hub
from mlx_tts.library.catalog import ModelSpec, is_among, voice_key
from mlx_tts.models import families
from mlx_tts.models.families import OpenCheckpoint
from mlx_tts.server import borrowed_names
from mlx_tts.server.admission import Admission
from mlx_tts.server.answers import SERVER, ApiError, not_ready
from mlx_tts.shortened import shown
from mlx_tts.speech import ModelInfo, SpeechRequest

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech

KEEP_ALIVE_SECONDS = 300.0
LOAD_WAIT_SECONDS = 10.0  # clients give up after 30 s without a byte; a slower load goes on without them
LOOK_SECONDS = 0.5  # how often unused models are looked for
WARM_UP = "Ready."
MEASURED_TEXT, MEASURE_SECONDS = "The rain had stopped, and the street was quiet again.", 3.0
log = logging.getLogger("mlx_tts.server")


@dataclass(eq=False)
class ServedModel:
    """A model that clients may name. tts and admission: None while it is not loaded. users: who need it just now.
    warm, broken: whether its first word was spoken, or could not be.
    tells_speed: whether the log says how many listeners it can serve."""

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
    tells_speed: bool = False
    loading: asyncio.Task[None] | None = None

    @property
    def info(self) -> ModelInfo:
        return self.checkpoint.info

    def preset(self, name: str) -> str | None:
        """The preset of this name, as the checkpoint spells it."""
        own = {voice_key(voice): voice for voice in self.info.voices}
        if voice_key(name) in own:
            return own[voice_key(name)]
        return name.strip() if is_among(name, own, self.info.can.mixes) else None


class ModelPool:
    """Used by the event loop alone; loading and freeing happen on other threads."""

    def __init__(
        self, specs: Iterable[ModelSpec], rows: int | None, keep_alive_seconds: float | None, strict: bool = False
    ):
        self._rows, self._keep_alive, self._strict = rows, keep_alive_seconds, strict
        self.models: list[ServedModel] = []
        self.broken: dict[str, str] = {}  # name -> why it cannot be served
        for spec in specs:
            try:
                self.models.append(_opened(spec))
            except MlxTtsError as error:
                self.broken[model_id(spec)] = str(error)

    async def add(self, spec: ModelSpec) -> None:
        """Serve one more model, which is on disk; it is loaded when it is asked for. MlxTtsError where it cannot be."""
        model = await asyncio.to_thread(_opened, spec)
        if all(other.id != model.id for other in self.models):
            self.models.append(model)
            self.broken.pop(model.id, None)

    @property
    def default(self) -> ServedModel:
        return self.models[0]

    @property
    def admissions(self) -> list[Admission]:
        """The queues of the models that are loaded."""
        return [model.admission for model in self.models if model.admission is not None]

    def find(self, name: str | None) -> ServedModel:
        """The model of this name; None means the default, and so do the names of OpenAI's and Kokoro's models, unless
        names are strict."""
        if name is None:
            return self.default
        for model in self.models:
            if name.casefold() in (model.id.casefold(), (model.spec.repository or model.id).casefold()):
                return model
        if name in self.broken:
            raise _load_failed(name)
        if borrowed_names.is_model(name) and not self._strict:
            return self.default
        served = ", ".join(model.id for model in self.models)
        raise ApiError(
            404, f"no model {shown(name)} is served here: use {served}", param="model", code="model_not_found"
        )

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
            model.tts, model.admission = tts, self._admission(tts, rows)
            tts.serve_rows(rows + model.admission.spare_rows)
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

    def _admission(self, tts: TextToSpeech, rows: int) -> Admission:
        """Rows for those who listen are as many as stay in real time, unless the number was asked for."""
        times = tts.step_times
        return Admission(rows, None if self._rows else partial(times.live_rows, rows), times.sound_rate)

    def _tell_speed(self, model: ServedModel) -> None:
        """Say once how many listeners this machine can speak for."""
        if model.tells_speed or model.tts is None or model.admission is None or not model.tts.step_times.is_known:
            return
        model.tells_speed = True
        live, rate = model.admission.live_rows, model.tts.step_times.sound_rate(model.admission.live_rows)
        log.info("%s makes %.1f s of sound a second: streams that stay in real time: %d", model.id, rate or 0, live)

    async def warm_up(self, model: ServedModel) -> None:
        """Load the model, however long it takes, and speak a word, so that nobody waits for what happens only once."""
        if model.tts is None:
            await self._loading(model)
        async with self.use(model) as tts:
            await asyncio.to_thread(_speak_once, tts)
        model.warm, model.broken = True, False

    async def measure(self, model: ServedModel) -> None:
        """Find out for how many listeners this machine is fast enough, before they come."""
        if self._rows is None:
            async with self.use(model) as tts:
                await asyncio.to_thread(_measure, tts)

    async def free_unused(self) -> None:
        """Let go of models that nobody has used for a while, for ever."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for model in self.models:
                self._tell_speed(model)
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


def _opened(spec: ModelSpec) -> ServedModel:
    checkpoint = families.open_checkpoint(hub.fetch(spec, offline=True))
    created = int((checkpoint.folder / "config.json").stat().st_mtime)
    return ServedModel(model_id(spec), spec, checkpoint, created)


def model_id(spec: ModelSpec) -> str:
    """What clients call a model: its alias; for a folder its name, not where it is."""
    return spec.folder.resolve().name if spec.folder is not None and spec.kind is None else spec.name


def _load_failed(name: str) -> ApiError:
    message = f"the model {name} could not be loaded: the server's log says why"
    return ApiError(503, message, kind=SERVER, param="model", code="model_load_failed", headers={"Retry-After": "30"})


def _load(checkpoint: OpenCheckpoint) -> TextToSpeech:
    from mlx_tts import api

    return api.load_in_best_form(checkpoint, log.info)


def _measure(tts: TextToSpeech) -> None:
    """Speak until it is known how long a step of one row takes, giving way to whoever comes meanwhile. On a GPU more
    rows hardly take longer, so there is no need."""
    from mlx_tts.runtime.device import policy

    if not policy().hurries_first_sounds:
        return
    until = time.monotonic() + MEASURE_SECONDS
    instruct = "A calm voice." if tts.info.can.designs else None
    with closing(tts.stream(MEASURED_TEXT, instruct=instruct, seed=0)) as chunks:
        for _ in chunks:
            if tts.step_times.is_known or time.monotonic() > until:
                break


def _speak_once(tts: TextToSpeech) -> None:
    instruct = "A calm voice." if tts.info.can.designs else None
    for _ in tts.narrate(SpeechRequest(WARM_UP).text, instruct=instruct, seed=0, max_frames=4):
        pass
