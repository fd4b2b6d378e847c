"""A question that is answered with no, on a pseudo-terminal: nothing is done, one line says so, the exit code is 1."""

import pytest

from tests.cli.test_keys import Terminal

COMMAND = "import sys; from mlx_tts.cli import run; sys.exit(run(sys.argv[1:]))"
MODEL = "models--mlx-community--Qwen3-TTS-12Hz-0.6B-CustomVoice-8bit"


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Starts the command where a voice and a model are kept, and answers its question."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    voices = tmp_path / "home" / "voices"
    voices.mkdir(parents=True)
    (voices / "Ann.safetensors").write_bytes(b"damaged")
    (tmp_path / "cache" / MODEL).mkdir(parents=True)
    begun = []

    def ask(question: str, answer: bytes, *arguments: str) -> tuple[int, str]:
        terminal = Terminal(*arguments, folder=tmp_path, code=COMMAND)
        begun.append(terminal)
        terminal.wait_for(rf"{question}.*\? \[Y/n\] ")
        terminal.press(answer)
        return terminal.ended(), terminal.shown.replace("\r", "")

    yield ask
    for terminal in begun:
        terminal.close()


@pytest.mark.slow
@pytest.mark.smoke("address-n", "download-control-d", "voice-n", "model-control-d")
@pytest.mark.parametrize("answer", [b"n\n", b"\x04"], ids=["n", "control-d"])
@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("Read https://127.0.0.1:9/page aloud", ("https://127.0.0.1:9/page", "--model", "tiny", "-o", "a.wav")),
        ("1.7b-custom-8bit is not on disk", ("speak", "Hello.", "--model", "1.7b-custom-8bit", "-o", "a.wav")),
        ("Remove .*Ann.safetensors", ("voice", "rm", "Ann")),
        ("Remove .*models--", ("models", "rm", "0.6b-custom-8bit")),
    ],
    ids=["address", "download", "voice", "model"],
)
def test_a_no_ends_with_one_code_and_one_line(ask, tmp_path, question, arguments, answer):
    before = sorted(path for path in tmp_path.rglob("*") if path.is_file() or "cache" in path.parts)
    code, shown = ask(question, answer, *arguments)
    told = [line for line in shown.splitlines() if line.startswith("mlx-tts: ")]
    assert code == 1, shown
    assert len(told) == 1 and told[0].startswith("mlx-tts: nothing was done: "), shown
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file() or "cache" in path.parts) == before
