"""The routes: what OpenAI's clients and their relatives ask for -> answers. `create_app` makes the ASGI application."""

from __future__ import annotations

import logging
import os
from typing import Any

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from mlx_tts import __version__
from mlx_tts.runtime import mlx_thread
from mlx_tts.server import borrowed_names
from mlx_tts.server.answers import SERVER, ApiError, internal_error, not_ready
from mlx_tts.server.captions import add_captions
from mlx_tts.server.elevenlabs.routes import add_elevenlabs, models_of_elevenlabs
from mlx_tts.server.page.routes import add_page, page_file
from mlx_tts.server.realtime import speak_over_realtime
from mlx_tts.server.requests import client_of, counted_refusals, must_be_json
from mlx_tts.server.security import Door
from mlx_tts.server.serving import Serving
from mlx_tts.server.settings import NONCE, SERVICE, is_loopback, proof_of_key
from mlx_tts.server.speech_body import body_schema, read_order
from mlx_tts.server.streaming import SpeechAnswer
from mlx_tts.server.uploads import upload_voice
from mlx_tts.server.voice_ids import id_of
from mlx_tts.server.websocket import speak_over_websocket

log = logging.getLogger("mlx_tts.server")


def create_app(serving: Serving) -> Any:
    """The whole application, behind its door."""
    return Door(routes(serving), serving.settings)


def routes(serving: Serving) -> FastAPI:
    """The application itself. The docstring of each route is its text in docs/http.md, which scripts/docs.py writes."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)  # its pages load scripts from other hosts
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Exception, _unexpected_error)
    _add_speech(app, serving)
    _add_lists(app, serving)
    _add_voices(app, serving)
    _add_watching(app, serving)
    _add_schema(app)
    add_elevenlabs(app, serving)
    add_captions(app, serving)
    add_page(app, serving)
    return app


def _add_speech(app: FastAPI, serving: Serving) -> None:
    body = {"required": True, "content": {"application/json": {"schema": body_schema()}}}

    @app.post("/v1/audio/speech", openapi_extra={"requestBody": body})
    async def speech(request: Request) -> Response:
        """Speak a text: the answer is the sound, which leaves as it is made."""
        with counted_refusals(serving):
            must_be_json(request)
            order = read_order(await request.body(), serving.settings.max_input)
            job = await serving.prepare(order)
        return SpeechAnswer(serving, job, client_of(request))

    @app.websocket("/v1/audio/speech/stream")
    async def stream(websocket: WebSocket) -> None:
        """A WebSocket that speaks while the text is still being written."""
        await speak_over_websocket(websocket, serving)

    @app.websocket("/v1/realtime")
    async def realtime(websocket: WebSocket) -> None:
        """OpenAI's Realtime WebSocket, as far as it turns a text into speech."""
        await speak_over_realtime(websocket, serving)


def _add_schema(app: FastAPI) -> None:
    @app.get("/openapi.json")
    async def schema() -> dict[str, Any]:
        """All of these paths with their fields, as programs read them (OpenAPI)."""
        return app.openapi()


def _add_lists(app: FastAPI, serving: Serving) -> None:
    def told(model: Any) -> dict[str, Any]:
        return {"id": model.id, "object": "model", "created": model.created, "owned_by": SERVICE}

    @app.get("/v1/models")
    async def models(request: Request) -> Any:
        """The models that are served, as OpenAI lists them; the first is the default. Names of other
        services' models mean it too. With a header `xi-api-key`: as ElevenLabs lists them."""
        if "xi-api-key" in request.headers:
            return models_of_elevenlabs(serving)
        found = [told(model) for model in serving.pool.models]
        if not serving.settings.strict_names:
            found += [{**found[0], "id": name} for name in borrowed_names.MODELS]
        return {"object": "list", "data": found}

    @app.get("/v1/models/{name:path}")
    async def model(name: str) -> dict[str, Any]:
        """One of the models; 404 for a name that is not served."""
        return {**told(serving.pool.find(name)), "id": name}

    @app.get("/v1/audio/models")
    async def audio_models() -> dict[str, Any]:
        """The names of the models, as Open WebUI asks for them."""
        return {"models": [{"id": model.id} for model in serving.pool.models]}

    @app.get("/v1/audio/voices")
    async def voices(request: Request) -> dict[str, Any]:
        """The voices: those of the models, cloned ones, and OpenAI's names, which stand for voices of the models.
        `?legacy=true` gives their names alone, as older programs of Kokoro-FastAPI read them."""
        listed: list[dict[str, Any]] = [
            {"id": name, "name": name, "type": "preset", "model": model.id, "voice_id": id_of(name)}
            for model in serving.pool.models
            for name in model.info.voices
        ]
        listed += [
            {
                "id": kept.id,
                "name": kept.name,
                "type": "audio_sample",
                "model": kept.saved.model,
                "voice_id": id_of(kept.name),
                "created_at": kept.created_at,
            }
            for kept in serving.shelf.voices()
        ]
        aliases = [*serving.settings.aliases]
        if serving.pool.default.info.voices and not serving.settings.strict_names:
            aliases += borrowed_names.VOICES
        listed += [{"id": name, "name": name, "type": "alias"} for name in aliases]
        if request.query_params.get("legacy", "").casefold() == "true":
            return {"voices": [voice["name"] for voice in listed]}
        return {"voices": listed}


def _add_voices(app: FastAPI, serving: Serving) -> None:
    @app.post("/v1/audio/voices")
    async def create(request: Request) -> dict[str, Any]:
        """Make a voice of a recording. A form: `name`, `consent` (that the speaker agrees), the file `audio_sample`,
        and, if you like, `transcript` (the words of the recording) and `model`."""
        return await upload_voice(request, serving)

    @app.delete("/v1/audio/voices/{voice_id}")
    async def delete(voice_id: str) -> dict[str, Any]:
        """Delete a cloned voice."""
        serving.shelf.delete(voice_id)
        return {"id": voice_id, "object": "audio.voice.deleted", "deleted": True}


def _add_watching(app: FastAPI, serving: Serving) -> None:
    @app.get("/v1")
    @app.get("/v1/")
    async def root() -> dict[str, Any]:
        """The name and the version of the server."""
        return {"service": SERVICE, "version": __version__, "docs": "POST /v1/audio/speech"}

    @app.get("/")
    async def page(request: Request) -> Any:
        """The page for browsers; for programs the same as `/v1`."""
        if "text/html" in request.headers.get("accept", ""):
            return page_file("index.html")
        return await root()

    @app.get("/health")
    async def health(request: Request) -> dict[str, Any]:
        """Whether the engine works; 503 where it is broken."""
        fault = serving.fault if mlx_thread.is_alive() else "the engine has stopped"
        if fault is not None:
            raise ApiError(503, f"broken: {fault}; restart the server", kind=SERVER, code="unhealthy")
        state = {"status": "ok", "service": SERVICE, "version": __version__, "process": os.getpid()}
        return state | _proof(request, serving.settings.api_key)

    @app.get("/ready")
    async def ready() -> dict[str, Any]:
        """Whether the default model has spoken its first word; 503 before that, and while the server stops."""
        if serving.draining:
            raise not_ready("the server is being stopped", 5)
        default = serving.pool.default
        if not default.warm:
            state = "could not be loaded: the server's log says why" if default.broken else "is being loaded"
            raise not_ready(f"the model {default.id} {state}")
        return {"status": "ready", "model": serving.pool.default.id}

    @app.get("/metrics")
    async def metrics() -> Response:
        """Figures for Prometheus."""
        return Response(serving.metrics.page(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _proof(request: Request, key: str | None) -> dict[str, str]:
    """The answer to ?nonce=, for programs of this machine alone: others could try keys with it at their leisure."""
    nonce, server = request.query_params.get("nonce", ""), request.scope.get("server")
    if key is None or server is None or not NONCE.fullmatch(nonce) or not is_loopback(client_of(request)):
        return {}
    return {"proof": proof_of_key(key, nonce, *server)}


async def _api_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, ApiError)
    return JSONResponse(error.answer, error.status, headers=error.headers)


async def _unexpected_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, ClientDisconnect):
        log.error("%s %s failed: %s", request.method, request.url.path, error, exc_info=error)
    answer = internal_error()
    return JSONResponse(answer.answer, answer.status)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = {404: "there is no such path", 405: "this path does not take that method"}.get(
        error.status_code, error.detail
    )
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code)
    own = ApiError(error.status_code, f"{what}: {request.method} {request.url.path}", code=code)
    return JSONResponse(own.answer, own.status, headers=error.headers)
