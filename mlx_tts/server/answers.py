"""What went wrong -> the JSON that OpenAI's clients read, with its status."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

INVALID = "invalid_request_error"
SERVER = "server_error"


class ApiError(Exception):
    """An answer that is not speech. message is for people; code and param are for programs."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = INVALID,
        param: str | None = None,
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ):
        super().__init__(message)
        self.status, self.message, self.kind, self.param, self.code = status, message, kind, param, code
        self.headers = dict(headers or {})

    @property
    def body(self) -> dict[str, Any]:
        error = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return {"error": error}

    @property
    def answer(self) -> dict[str, Any]:
        """The body of an HTTP answer. detail: where clients of ElevenLabs and Kokoro-FastAPI look for the same."""
        code = self.code or self.kind
        return {**self.body, "detail": {"status": code, "error": code, "message": self.message, "type": self.kind}}

    def as_bytes(self) -> bytes:
        return json.dumps(self.answer, ensure_ascii=False).encode()


def bad_request(message: str, param: str | None = None, code: str | None = None) -> ApiError:
    return ApiError(400, message, param=param, code=code)


def busy(message: str, retry_after_seconds: int) -> ApiError:
    """429: there is no room now."""
    headers = {"Retry-After": str(retry_after_seconds)}
    return ApiError(429, message, kind="rate_limit_error", code="rate_limit_exceeded", headers=headers)


def not_ready(message: str, retry_after_seconds: int = 1) -> ApiError:
    """503: not now, but soon."""
    return ApiError(503, message, kind=SERVER, code="loading", headers={"Retry-After": str(retry_after_seconds)})


def internal_error() -> ApiError:
    """500: says nothing of the inside; the server's own log does."""
    return ApiError(500, "something broke in the server; its log says what", kind=SERVER, code="internal_error")
