"""The compose files name what the image and the server have."""

import re
import tomllib
from urllib.parse import urlsplit

import yaml

from mlx_tts.server import borrowed_names
from mlx_tts.server.settings import DEFAULT_PORT, KEY_VARIABLE, ServerSettings
from mlx_tts.setting import settings_in
from tests.helpers.paths import ROOT

PACKAGING = ROOT / "packaging"
DOCKERFILE = (PACKAGING / "Dockerfile").read_text(encoding="utf-8")


def services(name: str) -> dict:
    return yaml.safe_load((PACKAGING / name).read_text(encoding="utf-8"))["services"]


def test_open_webui_reaches_the_server():
    found = services("compose.yaml")
    server, client = found["mlx-tts"], found["open-webui"]["environment"]
    address = urlsplit(client["AUDIO_TTS_OPENAI_API_BASE_URL"])
    assert (address.hostname, address.port, address.path) == ("mlx-tts", DEFAULT_PORT, "/v1")
    assert f"EXPOSE {DEFAULT_PORT}\n" in DOCKERFILE
    assert server["command"] == ["--allowed-host", address.hostname, "--open-lists"]
    assert {"allowed_hosts", "open_lists"} <= set(settings_in(ServerSettings))
    assert server["environment"][KEY_VARIABLE] == client["AUDIO_TTS_OPENAI_API_KEY"]
    assert client["AUDIO_TTS_MODEL"] in borrowed_names.MODELS and client["AUDIO_TTS_VOICE"] in borrowed_names.VOICES
    volumes = {entry.partition(":")[2] for entry in server["volumes"]}
    assert volumes == set(re.findall(r'"(/\w+)"', re.search(r"^VOLUME (.*)", DOCKERFILE, re.M)[1]))
    assert found["open-webui"]["depends_on"]["mlx-tts"]["condition"] == "service_healthy"
    assert f"http://127.0.0.1:{DEFAULT_PORT}/health'" in DOCKERFILE
    assert (PACKAGING / server["build"]["context"] / server["build"]["dockerfile"]).exists()


def test_the_gpu_variant_builds_with_extras_that_exist():
    server = services("compose.cuda.yaml")["mlx-tts"]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert set(server["build"]["args"]["EXTRAS"].split(",")) <= set(extras)
    assert server["deploy"]["resources"]["reservations"]["devices"][0]["capabilities"] == ["gpu"]
