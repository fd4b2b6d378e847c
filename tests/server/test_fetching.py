"""`serve --allow-fetch`: the page fetches a model from a hub on this machine; and everybody who may not."""

import json
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import Request

from mlx_tts.library import catalog
from mlx_tts.server.fetching import may_fetch
from mlx_tts.server.settings import ServerSettings
from tests.helpers.stand_in_hub import hub_with
from tests.server.conftest import FEW_ROWS, running

pytestmark = pytest.mark.slow

ALIAS = "0.6b-custom-8bit"
KEY = "a-long-secret-key"
WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def files(oracle) -> dict[str, bytes]:
    """A small model with presets, as the hub would have it."""
    folder = oracle("custom_voice_tiny").folder
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def fetching(home: Path, files: dict[str, bytes], *options: str, **settings):
    """A server that may fetch, and the hub that it fetches from."""
    with hub_with(files, commit=catalog.listed(ALIAS).revision, **settings) as (hub, address):
        network = {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": address, "HF_HUB_DISABLE_XET": "1"}
        with running(home, *FEW_ROWS, "--allow-fetch", *options, **network) as server:
            server.wait_until_ready()
            yield server, hub


def asked(server, model: object = ALIAS, **headers: str) -> httpx.Response:
    return httpx.post(f"{server.url}/page/api/fetch", json={"model": model}, headers=headers, timeout=60)


@contextmanager
def begun(server) -> Iterator[Iterator[dict]]:
    """A download that goes on: its events. The client goes at the end of the block."""
    with httpx.stream("POST", f"{server.url}/page/api/fetch", json={"model": ALIAS}, timeout=60) as answer:
        assert answer.status_code == 200
        yield (json.loads(line.removeprefix("data: ")) for line in answer.iter_lines() if line)


def events_of(answer: httpx.Response) -> list[dict]:
    assert answer.status_code == 200, answer.text
    return [json.loads(line.removeprefix("data: ")) for line in answer.text.splitlines() if line]


def children(pid: int) -> list[str]:
    return subprocess.run(
        ["pgrep", "-f", f"fetch_child {ALIAS}$", "-P", str(pid)], capture_output=True, text=True
    ).stdout.split()


def wait_until_gone(pids: list[str]) -> None:
    until = time.monotonic() + 15
    while any(subprocess.run(["kill", "-0", pid], capture_output=True).returncode == 0 for pid in pids):
        assert time.monotonic() < until, pids
        time.sleep(0.05)


def listed(server) -> dict:
    facts = httpx.get(f"{server.url}/page/api/facts").json()
    return next(model for model in facts["catalogue"] if model["id"] == ALIAS)


def test_a_model_on_disk_is_served_at_once(files, tiny_base, tmp_path):
    with fetching(tmp_path, files) as (server, hub):
        served = lambda: {model["id"] for model in httpx.get(f"{server.url}/page/api/facts").json()["models"]}  # noqa: E731
        assert tiny_base not in served()
        for _ in range(2):  # the second time it is served already
            assert events_of(asked(server, tiny_base)) == [{"type": "fetch.done", "model": tiny_base}]
            assert tiny_base in served()
        assert hub.asked == []


@pytest.fixture(scope="module")
def open_server(files, tmp_path_factory):
    """Its hub gives the weights a drop at a time."""
    with fetching(tmp_path_factory.mktemp("open"), files, "--cors-origin", "https://app.example", slow=WEIGHTS) as (
        server,
        hub,
    ):
        yield server, hub


@pytest.mark.parametrize(
    ("model", "headers", "status"),
    [
        (ALIAS, {"Origin": "https://evil.example"}, 403),
        (ALIAS, {"Origin": "https://app.example"}, 403),  # it may speak
        (ALIAS, {"Origin": "null"}, 403),
        (ALIAS, {"Host": "evil.example"}, 421),
        ("hexgrad/Kokoro-82M", {}, 404),
        ("mlx-community/Qwen3-TTS-12Hz-0.6B-Base-8bit", {}, 404),
        ("nothing", {}, 404),
        ("../tiny", {}, 404),
        ("/etc", {}, 404),
        (f"{ALIAS}\n", {}, 404),
        (f" {ALIAS}", {}, 404),
        ("", {}, 404),
        ("--help", {}, 404),
        (7, {}, 400),
        ([ALIAS], {}, 400),
        (None, {}, 400),
    ],
)
def test_what_is_refused(open_server, model, headers, status):
    server, hub = open_server
    answer = asked(server, model, **headers)
    assert answer.status_code == status
    assert "\n" not in answer.json()["error"]["message"]
    assert hub.asked == [] and not children(server.process.pid)


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [(b"{", "application/json", 400), (b"[]", "application/json", 400), (b'{"model": "kokoro"}', "text/plain", 415)],
)
def test_forms_and_damaged_bodies_are_refused(open_server, content, kind, status):
    server, hub = open_server
    answer = httpx.post(f"{server.url}/page/api/fetch", content=content, headers={"Content-Type": kind})
    assert answer.status_code == status and hub.asked == []


def test_who_begins_again_before_the_first_is_seen_to_go_is_not_refused(open_server):
    server, _ = open_server

    def first_event() -> dict:
        with begun(server) as events:
            return next(events)

    with ThreadPoolExecutor(1) as pool:
        with begun(server) as events:
            next(events)
            later = pool.submit(first_event)
            time.sleep(0.7)
            assert not later.done()
        assert later.result(15)["type"] == "fetch.progress"
    wait_until_gone(children(server.process.pid))


def test_one_at_a_time_stopped_and_taken_up_again(open_server):
    """The client leaves midway: nothing goes on, and there is no model. Then it comes back for the rest."""
    server, hub = open_server
    with begun(server) as events:
        while not (event := next(events))["received"]:
            assert event["type"] == "fetch.progress"
        while f"{WEIGHTS}@0" not in hub.asked:
            next(events)
        (child,) = children(server.process.pid)
        refused = asked(server)
        assert refused.status_code == 409 and refused.json()["error"]["code"] == "fetch_in_progress"
        begin, count = time.monotonic(), 0
        while time.monotonic() < begin + 2:
            next(events)
            count += 1
        assert count >= 4  # twice a second
    wait_until_gone([child])
    assert not listed(server)["on_disk"]
    assert ALIAS not in [model["id"] for model in httpx.get(f"{server.url}/v1/models").json()["data"]]
    assert server.post(input="Hi.", voice="ivy", response_format="pcm", max_seconds=0.24).status_code == 200

    hub.slow = None
    hub.asked.clear()
    heard = events_of(asked(server))
    assert heard[-1] == {"type": "fetch.done", "model": ALIAS}
    assert "config.json@0" not in hub.asked and hub.asked  # what came whole is kept
    assert listed(server)["served"]
    spoken = server.post(model=ALIAS, input="Hi.", response_format="pcm", max_seconds=0.24, voice="Ryan")
    assert spoken.status_code == 200 and spoken.content
    hub.asked.clear()
    assert events_of(asked(server))[-1]["type"] == "fetch.done" and hub.asked == []  # it is here


def test_a_hub_that_fails_is_one_line(files, tmp_path):
    with fetching(tmp_path, files, refusal=(500, "")) as (server, hub):
        *_, last = events_of(asked(server))
        assert last["type"] == "fetch.failed" and "\n" not in last["message"]
        assert last["message"].startswith("the model hub answered 500")
        hub.refusal, hub.slow = None, WEIGHTS
        with begun(server) as events:
            next(events)
            while f"{WEIGHTS}@0" not in hub.asked:
                next(events)
            pids = children(server.process.pid)
            assert server.stop() == 0  # it does not wait for a download
            *_, last = events
            assert last["message"] == "the server is being stopped"
        wait_until_gone(pids)


def test_a_server_that_is_killed_leaves_no_download(files, tmp_path):
    with fetching(tmp_path, files, slow=WEIGHTS) as (server, hub):
        with begun(server) as events:
            while f"{WEIGHTS}@0" not in hub.asked:
                next(events)
            pids = children(server.process.pid)
            server.process.kill()
            with pytest.raises(httpx.RemoteProtocolError):
                list(events)
        assert len(pids) == 1
        wait_until_gone(pids)


def test_with_a_key_only_its_owner_fetches(files, tmp_path):
    (tmp_path / "key").write_text(KEY)
    with fetching(tmp_path, files, "--api-key-file", str(tmp_path / "key")) as (server, hub):
        assert asked(server).status_code == asked(server, Authorization="Bearer x").status_code == 401
        assert hub.asked == []
        own = {"Authorization": f"Bearer {KEY}", "Origin": server.url}
        assert events_of(asked(server, **own))[-1]["type"] == "fetch.done"


def test_without_the_option_nothing_is_fetched(server):
    answer = asked(server)
    assert answer.status_code == 403 and answer.json()["error"]["code"] == "fetch_not_allowed"
    assert not httpx.get(f"{server.url}/page/api/facts").json()["fetches"]


@pytest.mark.parametrize(
    ("allowed", "key", "client", "may"),
    [
        (True, None, "127.0.0.1", True),
        (True, None, "::1", True),
        (True, None, "192.168.1.9", False),
        (True, KEY, "192.168.1.9", True),  # whose key was compared before
        (False, KEY, "127.0.0.1", False),
    ],
)
def test_without_a_key_only_this_machine(allowed, key, client, may, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.delenv("TRANSFORMERS_OFFLINE", raising=False)
    request = Request({"type": "http", "headers": [], "client": (client, 1)})
    assert may_fetch(request, ServerSettings(allow_fetch=allowed, api_key=key)) is may
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert not may_fetch(request, ServerSettings(allow_fetch=allowed, api_key=key))
