"""What a browser asks for: the page's own files, and the small services that the page needs next to speech."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse

from mlx_tts import __version__
from mlx_tts.audio.formats import FORMATS
from mlx_tts.library import catalog, hub
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.narration.marks import Heard, piece_marks
from mlx_tts.narration.narrate import NarrationOptions
from mlx_tts.narration.plan import NOTHING_TO_SAY, Plan, describe_plan
from mlx_tts.server.answers import ApiError, bad_request
from mlx_tts.server.fetching import FetchAnswer, Fetching, may_fetch, model_to_fetch
from mlx_tts.server.model_pool import ServedModel
from mlx_tts.server.page.book import AT_ONCE, sound_file
from mlx_tts.server.page.received import checked_sample, read_dropped
from mlx_tts.server.serving import Job, Serving
from mlx_tts.server.speech_body import read_order
from mlx_tts.server.uploads import LEAST_SECONDS, MOST_SECONDS, SAMPLE_BYTES

WEB = Path(__file__).parents[1] / "web"
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# Everything comes from this server: no script within the page, nothing from other hosts. data: is for covers of books,
# blob: for recordings that the browser itself holds.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "media-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


def add_page(app: FastAPI, serving: Serving) -> None:
    """The routes under /page. The page itself is at `/`, which app.py answers by `page_file`."""

    @app.get("/page/{name}")
    async def file(name: str) -> Response:
        """One of the page's own files."""
        return page_file(name)

    @app.get("/page/api/facts")
    async def about(request: Request) -> dict[str, Any]:
        """What the page shows before anybody speaks: models, voices, languages."""
        return await asyncio.to_thread(facts, serving, may_fetch(request, serving.settings))

    @app.post("/page/api/plan")
    async def plan(request: Request) -> dict[str, Any]:
        """How a text is cut and read aloud. The body is that of `POST /v1/audio/speech`; nothing is spoken."""
        order = read_order(await request.body(), serving.settings.max_input)
        job = await serving.prepare(order)
        if not job.pieces:
            raise bad_request(NOTHING_TO_SAY, "input")  # a person sees it, and can write something else
        planned = {"model": job.model.id, "pieces": await serving.read_text(len(order.input), _planned, job)}
        return planned if job.told is None else {**planned, "cast": job.told}

    @app.post("/page/api/document")
    async def document(request: Request) -> Response:
        """The text of a document that was dropped on the page."""
        return await read_dropped(request, serving)

    @app.post("/page/api/sample")
    async def sample(request: Request) -> dict[str, Any]:
        """Whether a recording is good enough to clone."""
        return await checked_sample(request)

    fetching = Fetching(serving)

    @app.post("/page/api/fetch")
    async def fetch(request: Request) -> Response:
        """Download a model of the list, unless it is on disk, and serve it, where the server was started with
        `--allow-fetch`. The body is `{"model": ALIAS}`; the answer is events about how far it is. It stops when the
        client goes."""
        return FetchAnswer(fetching, await model_to_fetch(request, serving.settings))

    turns = asyncio.Semaphore(AT_ONCE)

    @app.post("/page/api/file")
    async def whole_file(request: Request) -> Response:
        """Sound that the page has heard already, as a file to download."""
        return await sound_file(request, turns)


def _planned(job: Job) -> list[dict[str, Any]]:
    """The pieces as `speak --dry-run --json` has them, each with its sentences, as the marks will name them."""
    described = describe_plan(Plan(job.request, job.pieces, job.pieces, NarrationOptions(live=True)))
    for piece, said in zip(job.pieces, described, strict=True):
        marks = piece_marks(piece.text, Heard(0, 0, 1), language=piece.language or job.request.language)
        said["sentences"] = [mark.text for mark in marks if mark.level == "sentence"]
    return described


def page_file(name: str) -> Response:
    """One of the page's own files. A name is looked for among them; it is never a path."""
    path = next((path for path in WEB.iterdir() if path.name == name and path.suffix in KINDS), None)
    if path is None:
        raise ApiError(404, "the page has no such file", code="not_found")
    headers = {
        "content-security-policy": POLICY,
        "cache-control": "no-cache",  # a newer version of the package brings newer files under the same names
        "permissions-policy": "microphone=(self), camera=(), geolocation=()",
        "cross-origin-opener-policy": "same-origin",
    }
    return FileResponse(path, media_type=KINDS[path.suffix], headers=headers)


def facts(serving: Serving, fetches: bool) -> dict[str, Any]:
    """What the page shows before anybody speaks. Reads small files only. fetches: whether it may fetch models."""
    pool = serving.pool
    return {
        "version": __version__,
        "max_input": serving.settings.max_input,
        "fetches": fetches,
        "key_needed": serving.settings.api_key is not None,
        "sample": {"bytes": SAMPLE_BYTES, "least_seconds": LEAST_SECONDS, "most_seconds": MOST_SECONDS},
        "models": [_served(model, model is pool.default) for model in pool.models],
        "voices": [
            {
                "id": kept.id,
                "name": kept.name,
                "model": _name_of_maker(serving, kept.saved.model),
                "created_at": kept.created_at,
                "deletable": kept.uploaded,
            }
            for kept in serving.shelf.voices()
        ],
        "formats": [
            {"name": entry.name, "title": entry.title, "note": entry.note, "streams": entry.streams}
            for entry in FORMATS.values()
            if entry.container
        ],
        "catalogue": _catalogue(frozenset(model.id for model in pool.models), int(time.monotonic())),
    }


def _served(model: ServedModel, is_default: bool) -> dict[str, Any]:
    info, spec = model.info, model.spec
    return {
        "id": model.id,
        "default": is_default,
        "loaded": model.tts is not None,
        "rows": model.admission.rows if model.admission is not None else None,
        "family": info.family,
        "kind": info.kind,
        "size": info.size,
        "quantisation": info.quantisation,
        "licence": spec.licence,
        "experimental": spec.experimental,
        "size_bytes": spec.size_bytes,
        "languages": list(info.languages),
        "can": asdict(info.can),
        "voices": [_preset(name) for name in info.voices],
    }


def _preset(name: str) -> dict[str, Any]:
    known = catalog.presets().get(catalog.voice_key(name))
    if known is None:
        return {"name": name}
    return {**asdict(known), "name": name}


def _name_of_maker(serving: Serving, made_with: str | None) -> str | None:
    """The served model that a voice was made with; None where none of them made it."""
    models = serving.pool.models
    return next((model.id for model in models if made_with in (model.id, model.spec.lasting_name)), None)


@lru_cache(maxsize=1)
def _catalogue(served: frozenset[str], _second: int) -> list[dict[str, Any]]:
    """Looked up once a second: to see which of them are on disk takes 8 ms of Python, which others would wait for."""
    return [_listed(spec, served) for spec in catalog.models()]


def _listed(spec: ModelSpec, served: frozenset[str]) -> dict[str, Any]:
    return {
        "id": spec.name,
        "repository": spec.repository,
        "family": spec.family,
        "size": spec.size,
        "quantisation": spec.quantisation,
        "licence": spec.licence,
        "size_bytes": spec.size_bytes,
        "on_disk": hub.is_on_disk(spec),
        "served": spec.name in served,
        "recommended": spec.recommended,
        "experimental": spec.experimental,
        "languages": list(spec.languages),
        "can": None if spec.can is None else asdict(spec.can),
    }
