"""Every example of the README runs as written, against random weights where it names a released model."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile

from mlx_tts.library.catalog import models
from tests.helpers.paths import ROOT
from tests.helpers.readability import prose
from tests.helpers.short_model import short_model

pytestmark = pytest.mark.slow

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"```sh\n(.*?)```", README, re.S)
    for line in (re.sub(r"\s{2,}#.*", "", raw).strip() for raw in block.splitlines())
    if "mlx-tts" in line and ".venv" not in line
]
STAND_INS = {"base": "base_tiny", "custom_voice": "custom_voice_tiny", "voice_design": "voice_design_wide"}
EPUB = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><manifest>'
    '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
    '<spine><itemref idref="a"/></spine></package>',
    "a.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>One</h1><p>Go.</p></body></html>',
}


@pytest.fixture(scope="module")
def desk(oracle, tmp_path_factory) -> Path:
    """A folder with what the examples name, a cache with stand-ins of the released models, and the command on PATH."""
    desk = tmp_path_factory.mktemp("desk")
    cache = desk / ".home" / "hub"
    folders = {kind: short_model(oracle(case).folder, desk / ".models" / kind) for kind, case in STAND_INS.items()}
    for spec in models():
        if spec.repository is None or spec.kind not in STAND_INS:
            continue
        store = cache / f"models--{spec.repository.replace('/', '--')}"
        commit = spec.revision if len(spec.revision) == 40 else "0" * 40
        (store / "refs").mkdir(parents=True)
        (store / "refs" / spec.revision).write_text(commit)
        (store / "snapshots").mkdir()
        (store / "snapshots" / commit).symlink_to(folders[spec.kind])
    time = np.arange(72_000) / 24_000
    voice = 0.2 * np.sin(2 * np.pi * 150 * time) * (1 + np.sin(2 * np.pi * 3 * time))
    soundfile.write(desk / "me.wav", voice.astype(np.float32), 24_000)
    (desk / "book.md").write_text("# One\n\nGo.\n\n# Two\n\nNo.\n")
    (desk / "lines.csv").write_text("id,text,voice\na,Go.,ivy\nb,No.,\n")
    with zipfile.ZipFile(desk / "book.epub", "w") as book:
        for name, content in EPUB.items():
            book.writestr(name, content)
    programs = desk / ".bin"
    programs.mkdir()
    program(programs / "mlx-tts", f'exec "{sys.executable}" -c "from mlx_tts.cli import main; main()" "$@"')
    program(programs / "some-llm", 'echo "The cat slept. Yes."')
    return desk


def program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def run(command: str, desk: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PATH": f"{desk / '.bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HF_HUB_CACHE": str(desk / ".home" / "hub"),
        "HF_HUB_OFFLINE": "1",
        "HOME": str(desk / ".home"),
        "XDG_CONFIG_HOME": str(desk / ".home"),
    }
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=desk,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_the_readme_has_examples():
    assert len(COMMANDS) > 13
    assert len(README.splitlines()) <= 140


def test_the_readme_is_short():
    """Words that are read: without commands, tables and addresses."""
    assert 300 <= len(prose(README).split()) <= 700


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command, desk):
    if "--voice me " in command and not (desk / ".made").exists():  # tests run in any order and in several processes
        run(next(line for line in COMMANDS if "voice make me" in line), desk)
        (desk / ".made").touch()
    done = run(command, desk)
    if "--play" in command and done.returncode:  # most machines that run tests have nothing to play on
        assert done.returncode in (1, 2) and re.search(r"sound device|PortAudio", done.stderr), done.stderr
        return
    assert done.returncode == 0, done.stderr
    named = re.search(r"-o (\S+\.\w+)", command)
    if named and named[1].endswith(".epub"):
        with zipfile.ZipFile(desk / named[1]) as book:
            assert any(name.endswith(".smil") for name in book.namelist())
    elif named and "--chapters" not in command:
        with av.open(desk / named[1]) as sound:
            assert sound.streams.audio[0].sample_rate in (24_000, 48_000)
            assert 0.2 < float(sound.duration) / av.time_base < 60
    if "wc -c" in command:
        assert int(done.stdout) > 10_000


def test_the_python_example(desk):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    (desk / "example.py").write_text(code)
    done = run(f'"{sys.executable}" example.py', desk)
    assert done.returncode == 0, done.stderr
    assert re.match(r"\(\d+,\) 24000\n", done.stdout)


def test_the_first_command_is_what_a_fresh_machine_needs():
    """The clone, its virtual environment and the package index are the CI's business; here, that the names exist."""
    first = next(line for line in README.splitlines() if ".venv/bin/mlx-tts" in line)
    assert "pip install" in first
    assert (ROOT / "scripts" / "check.py").is_file()
    assert shutil.which("python3")
