"""What goes out with a release: sums and formula of a wheel, the steps of the image, and installs that speak."""

import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest

import mlx_tts
from tests.helpers.installing import built_wheel  # noqa: F401 (a fixture)
from tests.helpers.paths import ROOT

DOCKERFILE = (ROOT / "packaging" / "Dockerfile").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_papers_of_a_release(tmp_path):
    wheel = tmp_path / "dist" / f"mlx_tts-{mlx_tts.__version__}-py3-none-any.whl"
    wheel.parent.mkdir()
    wheel.write_bytes(b"a wheel")
    (wheel.parent / f"mlx_tts-{mlx_tts.__version__}.tar.gz").write_bytes(b"a source")
    line = [sys.executable, ROOT / "scripts" / "release_papers.py", wheel.parent, "--repository", "owner/name"]
    subprocess.run([*line, "--out", tmp_path / "papers"], check=True)
    sums = (tmp_path / "papers" / "SHA256SUMS").read_text()
    assert subprocess.run(["sha256sum", "-c", "-"], input=sums, text=True, cwd=wheel.parent).returncode == 0
    formula = (tmp_path / "papers" / "mlx-tts.rb").read_text()
    assert f'sha256 "{hashlib.sha256(b"a wheel").hexdigest()}"' in formula
    assert f"owner/name/releases/download/v{mlx_tts.__version__}/{wheel.name}" in formula
    assert formula.count("{") == formula.count("}") and "#{buildpath}" in formula
    notes = (tmp_path / "papers" / "NOTES.md").read_text()
    assert notes.startswith("### ")
    bill = json.loads((tmp_path / "papers" / "sbom.cdx.json").read_text())
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    check_bill(bill)
    assert "papers/sbom.cdx.json" in (ROOT / ".github" / "workflows" / "release.yml").read_text()


def check_bill(bill: dict) -> None:
    """The whole closure: what this package asks for and what each of these does, in the versions that were tested."""
    names = {component["name"] for component in bill["components"]}
    needs = {entry["ref"]: set(entry["dependsOn"]) for entry in bill["dependencies"]}
    assert {ref.rpartition("/")[2] for ref in needs["mlx-tts"]} == plain_dependencies()
    assert {"pkg:pypi/pydantic-core", "pkg:pypi/idna"} <= set(needs), "what others need is there, too"
    assert set(needs) - {"mlx-tts"} == {component["bom-ref"] for component in bill["components"]}
    assert set.union(*needs.values()) <= set(needs)
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements-dev.lock").read_text(encoding="utf-8"), re.M))
    assert names <= {name.lower().replace("_", "-") for name in locked}
    assert not names & {"pytest", "ruff", "mypy", "playwright"}, "tools of developers do not ship"
    assert all(component["purl"].endswith(f"@{component['version']}") for component in bill["components"])
    licences = {component["name"]: component.get("licenses") for component in bill["components"]}
    assert licences["soxr"] == [{"expression": "LGPL-2.1-or-later"}] and licences["mlx"] == [
        {"license": {"name": "MIT"}}
    ]
    installed = {re.sub(r"[-_.]+", "-", found.name).lower() for found in importlib.metadata.distributions()}
    assert not {name for name, said in licences.items() if not said} & installed


def plain_dependencies() -> set[str]:
    lines = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    return {re.split(r"[\[<>=; ]", line)[0].lower().replace("_", "-") for line in lines}


def test_the_licence_of_every_plain_dependency_is_noted():
    noted = (ROOT / "NOTICE").read_text(encoding="utf-8").lower()
    missing = [name for name in plain_dependencies() if not re.search(rf"^\* {re.escape(name)}: \S", noted, re.M)]
    assert not missing, f"NOTICE does not name {missing}"
    for inside in ("x264", "x265", "portaudio", "libsndfile", "libsoxr", "lexbor", "ffmpeg", "lgpl", "gpl"):
        assert inside in noted


def test_the_image_names_what_is_there():
    for sources in re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.M):
        for name in sources.split():
            assert (ROOT / name).exists(), name
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in re.search(r"^ARG EXTRAS=(\S+)", DOCKERFILE, re.M)[1].split(","):
        assert extra in project["optional-dependencies"]
    entry = re.search(r"^ENTRYPOINT \[(.*)\]", DOCKERFILE, re.M)[1]
    assert entry == '"mlx-tts", "serve", "--host", "0.0.0.0"'
    assert "USER speaker" in DOCKERFILE and "--insecure" not in entry


def test_the_package_does_not_grow_unseen():
    """Everybody downloads all of it. What makes it larger has to be worth that: then the sizes in docs/install.md and
    this limit are changed together."""
    files = (path for path in (ROOT / "mlx_tts").rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert sum(path.stat().st_size for path in files) < 54_000_000


def test_every_action_of_the_workflows_is_pinned():
    for workflow in (ROOT / ".github" / "workflows").glob("*.yml"):
        for action in re.findall(r"uses: (\S+)", workflow.read_text(encoding="utf-8")):
            assert action.startswith("./") or re.search(r"@[0-9a-f]{40}$", action), f"{workflow.name}: {action}"


@pytest.mark.long
@pytest.mark.parametrize("how", ["uvx", "pip", "the steps of the image"])
def test_a_wheel_speaks_at_once(how, built_wheel, tmp_path):  # noqa: F811
    """uv tool and pipx: see test_extras.py. Without a network beyond the package index, and with an empty home."""
    environment = {**os.environ, "MLX_TTS_HOME": str(tmp_path / "own"), "HF_HUB_OFFLINE": "1"}
    python = tmp_path / "env" / "bin" / "python"
    speak = [python.with_name("mlx-tts")]
    if how == "uvx":
        speak = ["uvx", "--from", built_wheel, "mlx-tts"]
    else:
        subprocess.run(["uv", "venv", "-q", "--seed", tmp_path / "env"], check=True)
        wanted = built_wheel
        if how != "pip":  # the folder that the image copies, and its extras
            source = tmp_path / "source"
            source.mkdir()
            for name in re.search(r"^COPY (pyproject.+) \./$", DOCKERFILE, re.M)[1].split():
                shutil.copy(ROOT / name, source)
            shutil.copytree(ROOT / "mlx_tts", source / "mlx_tts", ignore=shutil.ignore_patterns("__pycache__"))
            wanted = f"{source}[server]"
        subprocess.run([python, "-m", "pip", "install", "-q", wanted], check=True)
    subprocess.run([*speak, "Hello.", "-o", tmp_path / "hello.m4a", "--speed", "1.2"], env=environment, check=True)
    assert (tmp_path / "hello.m4a").stat().st_size > 3000
    done = subprocess.run([*speak, "--version"], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == f"mlx-tts {mlx_tts.__version__}\n"
