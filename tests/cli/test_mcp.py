"""`mlx-tts mcp`: what is wrong is said before anything is loaded; what each agent's settings need."""

import builtins
import json
import shlex
import sys
import tomllib

import pytest

from mlx_tts.cli import run
from mlx_tts.cli.mcp import McpOptions


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("shutil.which", lambda name: f"/opt/bin/{name}")
    return tmp_path


def config(capsys, client, *options):
    assert run(["mcp", *options, "--print-config", client]) == 0
    return capsys.readouterr().out


def test_claude_code_takes_a_command(capsys, place):
    line = config(capsys, "claude", "--voice", "ivy", "--folder", ".", "--speed", "1.2")
    words = shlex.split(line)
    assert words[:6] == ["claude", "mcp", "add", "mlx-tts", "--", "/opt/bin/mlx-tts"]
    assert words[6:] == ["mcp", "--voice", "ivy", "--speed", "1.2", "--folder", str(place.resolve())]


def test_a_lexicon_is_its_file(capsys, place):
    (place / "names.toml").write_text('[[entry]]\nmatch = "Aoife"\nsay = "eefa"\n')
    words = shlex.split(config(capsys, "claude", "--lexicon", "names.toml"))
    assert words[6:] == ["mcp", "--lexicon", str((place / "names.toml").resolve())]


@pytest.mark.parametrize("client", ["claude-desktop", "cursor", "json"])
def test_most_take_json(capsys, client):
    comment, _, entry = config(capsys, client, "--client-voice", "cursor=ivy").partition("\n")
    assert comment.startswith("// ")
    server = json.loads(entry)["mcpServers"]["mlx-tts"]
    assert server == {"command": "/opt/bin/mlx-tts", "args": ["mcp", "--client-voice", "cursor=ivy"]}


def test_codex_takes_toml(capsys):
    server = tomllib.loads(config(capsys, "codex", "--voice", 'uncle\'s "own"'))["mcp_servers"]["mlx-tts"]
    assert server == {"command": "/opt/bin/mlx-tts", "args": ["mcp", "--voice", 'uncle\'s "own"']}


def test_where_the_command_is_not_in_the_path_python_runs_it(capsys, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert shlex.split(config(capsys, "claude"))[5:] == [sys.executable, "-m", "mlx_tts", "mcp"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--folder", "nowhere"], "is not a folder"),
        (["--client-voice", "claude-code"], "give CLIENT=VOICE"),
        (["--client-voice", "=ivy"], "give CLIENT=VOICE"),
        (["--speed", "9"], "--speed"),
        (["--print-config", "emacs"], "emacs"),
    ],
)
def test_wrong_options_are_one_line(capfd, options, said):
    assert run(["mcp", *options]) == 2
    out, err = capfd.readouterr()
    assert said in err and len(err.splitlines()) == 1 and not out


def test_without_the_package_it_names_the_extra(capfd, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] == "mcp":
            raise ModuleNotFoundError("No module named 'mcp'", name="mcp")
        return real(name, *rest)

    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp" or name == "mlx_tts.mcp.tools"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    assert run(["mcp"]) == 1
    out, err = capfd.readouterr()
    assert err.startswith("mlx-tts: mcp is not installed, which agents need: `") and "[mcp]" in err
    assert len(err.splitlines()) == 1 and not out


def test_neither_home_nor_what_holds_it_is_allowed_unasked(place, monkeypatch):
    (place / "real" / "work").mkdir(parents=True)
    (place / "home").symlink_to(place / "real")
    for folder, allowed in ((place / "real", None), (place, None), (place / "real" / "work", place / "real" / "work")):
        monkeypatch.chdir(folder)
        found = McpOptions().allowed_folder
        assert found == (allowed and allowed.resolve())
