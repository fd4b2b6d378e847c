"""Keys in each header, origins by pattern, ids of voices, and errors that every client reads: without a server."""

import asyncio

import httpx
import pytest

from mlx_tts.server.answers import ApiError
from mlx_tts.server.app import routes
from mlx_tts.server.security import Door
from mlx_tts.server.settings import ServerSettings
from mlx_tts.server.voice_ids import id_of, name_of

KEY = "a-key-of-some-length"


def ask(settings: ServerSettings, method: str = "GET", **headers: str) -> httpx.Response:
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    async def asking():
        transport = httpx.ASGITransport(Door(app, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8880") as client:
            return await client.request(method, "/v1/models", headers=headers)

    return asyncio.run(asking())


@pytest.mark.parametrize("name", ["xi-api-key", "X-API-Key", "Authorization"])
def test_a_key_in_each_header(name):
    settings, prefix = ServerSettings(api_key=KEY), "Bearer " if name == "Authorization" else ""
    assert ask(settings, **{name: prefix + KEY}).status_code == 200
    assert ask(settings, **{name: f"{prefix}{KEY}x"}).status_code == 401
    assert ask(settings, **{name: ""}).status_code == 401
    assert ask(ServerSettings(), **{name: "anything"}).status_code == 200


def test_an_error_is_where_each_client_looks():
    answer = ask(ServerSettings(api_key=KEY)).json()
    assert answer["error"]["code"] == "invalid_api_key"  # OpenAI's
    assert answer["detail"]["status"] == "invalid_api_key"  # ElevenLabs'
    assert answer["detail"]["message"] == answer["error"]["message"]
    assert ApiError(400, "no", kind="x").answer["detail"]["status"] == "x"


EXTENSION = "chrome-extension://hdhinadidafjejdhmfkjgnolgimiaplp"


@pytest.mark.parametrize(
    ("allowed", "origin", "status"),
    [
        ("chrome-extension://*", EXTENSION, 200),
        ("https://*.example.org", "https://a.b.example.org", 200),
        ("https://app.example.org", "https://app.example.org", 200),
        ("*", "https://anybody.example", 200),
        ("https://app.example.org", "https://appxexample.org", 403),
        ("https://*.example.org", "https://evil.example/.example.org", 403),
        ("https://*.example.org", "https://user@evil.com:1.example.org", 403),
        ("https://*.example.org", "https://.example.org", 403),
        ("chrome-extension://*", "moz-extension://abc", 403),
    ],
)
def test_origins_by_pattern(allowed, origin, status):
    settings = ServerSettings(cors_origins=(allowed,))
    answer = ask(settings, "POST", origin=origin)
    assert answer.status_code == status
    assert answer.headers.get("access-control-allow-origin") == (origin if status == 200 else None)


def test_a_preflight_allows_the_headers_of_clients():
    settings = ServerSettings(cors_origins=("chrome-extension://*",))
    answer = ask(settings, "OPTIONS", origin=EXTENSION)
    assert answer.status_code == 204
    allowed = answer.headers["access-control-allow-headers"].split(", ")
    assert {"authorization", "content-type", "xi-api-key"} <= set(allowed)


def test_ids_of_voices():
    assert id_of("Uncle Bob") == id_of("uncle_bob") != id_of("ivy")
    assert len(id_of("ivy")) == 20 and id_of("ivy").isalnum()
    names = ["miles", "Aunt May"]
    assert [name_of(id_of(name), names) for name in names] == names
    assert name_of("miles", names) == "miles"
    assert name_of(id_of("nobody"), names) == id_of("nobody")


def test_the_paths_are_told():
    schema = routes(None).openapi()
    assert {"/v1/audio/speech", "/v1/models", "/openapi.json"} <= set(schema["paths"])
    assert schema["openapi"].startswith("3.")
