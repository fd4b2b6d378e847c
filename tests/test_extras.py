"""The command that a hint names adds the extra: found out for each kind of install, and tried in real ones."""

import json
import os
import subprocess
import sys

import pytest

from mlx_tts import extras
from tests.helpers.installing import built_wheel  # noqa: F401 (a fixture)
from tests.helpers.paths import ROOT

WHEEL = "mlx_tts-0.0.0-py3-none-any.whl"


class Installed:
    """Stands for the metadata of an installed package."""

    def __init__(self, direct_url):
        self.direct_url = direct_url

    def read_text(self, name):
        return json.dumps(self.direct_url) if self.direct_url and name == "direct_url.json" else None


@pytest.fixture
def install(monkeypatch, tmp_path):
    """Pretend to be an install: its folder, where it came from, whether it has pip and uv."""

    def pretend(source=None, *, pip=False, uv=True, **files):
        prefix = tmp_path / "env"
        prefix.mkdir(exist_ok=True)
        for name, text in files.items():
            (prefix / name.replace("__", "-").replace("_json", ".json").replace("_toml", ".toml")).write_text(text)
        monkeypatch.setattr(sys, "prefix", str(prefix))
        monkeypatch.setattr(sys, "executable", str(prefix / "bin" / "python"))
        monkeypatch.setattr(extras.metadata, "distribution", lambda _name: Installed(source))
        monkeypatch.setattr(extras.importlib.util, "find_spec", lambda name: object() if pip else None)
        monkeypatch.setattr(extras.shutil, "which", lambda name: name if uv else None)
        return prefix

    return pretend


def test_from_an_index(install):
    prefix = install(pip=True)
    assert extras.install_command("pdf") == f"{prefix}/bin/python -m pip install 'mlx-tts[pdf]'"
    install(pip=False)
    assert extras.install_command("pdf") == f"uv pip install --python {prefix}/bin/python 'mlx-tts[pdf]'"
    install(pip=False, uv=False)
    assert f"{prefix}/bin/python -m ensurepip && " in extras.install_command("pdf")


@pytest.mark.parametrize(
    ("asked", "again"),
    [(["my page.pdf"], " 'my page.pdf'"), ([], ""), (["word " * 100], ""), (["a`b"], ""), (["a\nb"], "")],
)
def test_uvx_repeats_what_was_asked_where_it_is_short(install, monkeypatch, tmp_path, asked, again):
    install()
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "archive-v0" / "abc"))
    monkeypatch.setattr(sys, "argv", ["mlx-tts", *asked])
    assert extras.install_command("pdf") == f"uvx --from 'mlx-tts[pdf]' mlx-tts{again}"


def test_uv_tool_keeps_the_extras_that_are_there(install):
    install(uv__receipt_toml='[tool]\nrequirements = [{ name = "mlx-tts", extras = ["server"] }]')
    assert extras.install_command("pdf") == "uv tool install --force 'mlx-tts[pdf,server]'"


def test_pipx_keeps_the_extras_that_are_there(install):
    install(pipx_metadata_json=json.dumps({"main_package": {"package_or_url": "mlx-tts[server, ray]"}}))
    assert extras.install_command("pdf") == "pipx install --force 'mlx-tts[pdf,ray,server]'"


def test_a_wheel_a_clone_and_a_repository(install, tmp_path, monkeypatch):
    wheel = tmp_path / WHEEL
    wheel.touch()
    prefix = install({"url": wheel.as_uri(), "archive_info": {}}, pip=True)
    assert extras.install_command("pdf") == f"{prefix}/bin/python -m pip install '{wheel}[pdf]'"
    install({"url": tmp_path.as_uri(), "dir_info": {"editable": True}}, pip=True)
    assert extras.install_command("pdf") == f"{prefix}/bin/python -m pip install -e '{tmp_path}[pdf]'"
    monkeypatch.chdir(tmp_path)
    assert extras.install_command("pdf") == "env/bin/python -m pip install -e '.[pdf]'"
    install({"url": "https://example.org/x.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}, pip=True)
    assert extras.install_command("pdf").endswith("'mlx-tts[pdf] @ git+https://example.org/x.git@abc'")


def test_a_wheel_that_was_removed(install, tmp_path, monkeypatch):
    gone = {"url": (tmp_path / WHEEL).as_uri(), "archive_info": {}}
    monkeypatch.setattr(
        extras.metadata,
        "requires",
        lambda _name: ["numpy>=1", "pypdf>=6; extra == 'pdf'", "a>=1; sys_platform == 'linux' and extra == 'pdf'"],
    )
    prefix = install(gone, pip=False)
    added = "'pypdf>=6' 'a>=1; sys_platform == '\"'\"'linux'\"'\"''"
    assert extras.install_command("pdf") == f"uv pip install --python {prefix}/bin/python {added}"
    install(gone, pipx_metadata_json="{}")
    assert extras.install_command("pdf") == f"pipx inject mlx-tts {added}"


def shell(line: str, **environment: str) -> str:
    done = subprocess.run(line, shell=True, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def refusal(line: str, **environment: str) -> str:
    done = subprocess.run(line, shell=True, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 2, f"{line}\n{done.stdout}{done.stderr}"
    return done.stderr


@pytest.mark.long
@pytest.mark.parametrize("how", ["uv tool", "uvx", "pipx", "venv with pip", "venv without pip", "editable"])
def test_the_hint_works_in_a_real_install(how, built_wheel, tmp_path):  # noqa: F811
    """A PDF is refused with a command; that is run as it stands, and the PDF is read. `uvx` keeps no install: its
    command is the refused one with the extra."""
    home = {"UV_TOOL_DIR": f"{tmp_path}/tools", "UV_TOOL_BIN_DIR": f"{tmp_path}/bin", "PIPX_HOME": f"{tmp_path}/pipx"}
    home |= {"PIPX_BIN_DIR": f"{tmp_path}/bin", "MLX_TTS_HOME": f"{tmp_path}/own"}
    program, python = f"{tmp_path}/bin/mlx-tts", tmp_path / "env" / "bin" / "python"
    if how == "uv tool":
        shell(f"uv tool install {built_wheel}", **home)
    elif how == "uvx":
        program = f"uvx --from {built_wheel} mlx-tts"
    elif how == "pipx":
        shell(f"uv venv -q {tmp_path}/installer && uv pip install -q --python {tmp_path}/installer/bin/python pipx")
        home["PATH"] = f"{tmp_path}/installer/bin:{os.environ['PATH']}"
        shell(f"pipx install {built_wheel}", **home)
    else:
        shell(f"uv venv -q {'--seed' if how == 'venv with pip' else ''} {tmp_path}/env")
        shell(f"uv pip install -q --python {python} {f'-e {ROOT}' if how == 'editable' else built_wheel}")
        program = str(python.with_name("mlx-tts"))
    home |= {"HF_HUB_OFFLINE": "1"}
    shell(f"{program} Hello. -o {tmp_path}/hello.mp3", **home)
    assert (tmp_path / "hello.mp3").stat().st_size > 3000
    (tmp_path / "page.pdf").write_bytes(b"%PDF-1.4\n")
    refused = refusal(f"{program} speak {tmp_path}/page.pdf --dry-run", **home)
    command = refused.split("`")[1]
    if how != "uvx":
        shell(command, **home)
    again = refusal(command if how == "uvx" else f"{program} speak {tmp_path}/page.pdf --dry-run", **home)
    assert "damaged PDF" in again, f"{command}\n{again}"
