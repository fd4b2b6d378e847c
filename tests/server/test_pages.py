"""What the README and docs/server.md show to paste, pasted."""

import re
import shutil
import subprocess
import sys

import httpx
import pytest

from tests.helpers.paths import ROOT
from tests.server.test_voices import cloning, recording  # noqa: F401 (a fixture)

pytestmark = pytest.mark.slow

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "server.md").read_text(encoding="utf-8")
CURL = re.compile(r"^curl (?:.*\\\n)*.*$", re.M)


def pasted(command: str, server, folder) -> None:
    command = command.replace("http://127.0.0.1:8880", server.url)
    subprocess.run(["bash", "-euc", command.replace("curl ", "curl -sSf ", 1)], cwd=folder, check=True, timeout=60)


@pytest.mark.skipif(shutil.which("curl") is None, reason="NOT CHECKED with curl: it is not installed")
@pytest.mark.parametrize("text", [README, PAGE], ids=["README", "server"])
def test_the_first_command(server, tmp_path, text):
    pasted(CURL.findall(text)[0], server, tmp_path)
    data = (tmp_path / "hello.wav").read_bytes()
    assert data[:4] == b"RIFF" and len(data) > 20_000


@pytest.mark.skipif(shutil.which("curl") is None, reason="NOT CHECKED with curl: it is not installed")
def test_uploading_and_deleting(cloning, tmp_path):  # noqa: F811
    for voice in httpx.get(f"{cloning.url}/v1/audio/voices").json()["voices"]:
        if voice["type"] == "audio_sample":
            httpx.delete(f"{cloning.url}/v1/audio/voices/{voice['id']}")
    (tmp_path / "may.wav").write_bytes(recording())
    _, upload, delete = CURL.findall(PAGE)
    pasted(upload, cloning, tmp_path)
    (kept,) = (cloning.home / "uploaded-voices").glob("*.safetensors")
    pasted(delete.replace("voice_0123456789abcdef", kept.stem), cloning, tmp_path)
    assert not kept.exists()


def test_the_openai_client_of_the_page(server):
    (code,) = re.findall(r"```text\n(from openai.*?)```", PAGE, re.S)
    code = code.replace("http://127.0.0.1:8880", server.url)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert sum(map(int, done.stdout.split())) > 20_000


def test_the_page_says_what_the_command_says():
    from mlx_tts.audio.formats import STREAMED
    from mlx_tts.server.borrowed_names import MODELS

    for name in (*STREAMED, *MODELS):
        assert f"`{name}`" in PAGE, name
