"""What a browser asks for: the page's own files, and the small services that the page needs beside speech."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse

from mlx_tts.narration.marks import Heard, piece_marks
from mlx_tts.narration.narrate import NarrationOptions
from mlx_tts.narration.plan import Plan, describe_plan
from mlx_tts.server.answers import ApiError
from mlx_tts.server.page.book import AT_ONCE, sound_file
from mlx_tts.server.page.dropped import read_dropped
from mlx_tts.server.page.facts import facts
from mlx_tts.server.page.reference import checked_sample
from mlx_tts.server.serving import Job, Serving
from mlx_tts.server.speech_body import read_order

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
        return page_file(name)

    @app.get("/page/api/facts")
    async def about() -> dict[str, Any]:
        return await asyncio.to_thread(facts, serving)

    @app.post("/page/api/plan")
    async def plan(request: Request) -> dict[str, Any]:
        order = read_order(await request.body(), serving.settings.max_input)
        job = await serving.prepare(order)
        return {"model": job.model.id, "pieces": await asyncio.to_thread(_planned, job)}

    @app.post("/page/api/document")
    async def document(request: Request) -> dict[str, Any]:
        return await read_dropped(request)

    @app.post("/page/api/sample")
    async def sample(request: Request) -> dict[str, Any]:
        return await checked_sample(request)

    turns = asyncio.Semaphore(AT_ONCE)

    @app.post("/page/api/file")
    async def whole_file(request: Request) -> Response:
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
