"""Wheel and sdist in; what stands next to them on a release page out: SHA256SUMS, Homebrew formula, notes and SBOM.

python scripts/release_papers.py dist --repository owner/name --out papers

Run it where the development lock is installed.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import re
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
FORMULA = """class MlxTts < Formula
  desc "Turn any text into speech on your own computer"
  homepage "https://github.com/{repository}"
  url "https://github.com/{repository}/releases/download/v{version}/{wheel}"
  version "{version}"
  sha256 "{sha256}"
  license "Apache-2.0"

  depends_on "uv" => :build
  depends_on arch: :arm64
  depends_on :macos
  depends_on "portaudio"
  depends_on "python@3.13"

  def install
    python = Formula["python@3.13"].opt_bin/"python3.13"
    system "uv", "venv", "--python", python, libexec
    system "uv", "pip", "install", "--python", libexec/"bin/python", "mlx-tts[server] @ file://#{{buildpath}}/{wheel}"
    bin.install_symlink libexec/"bin/mlx-tts"
  end

  test do
    system bin/"mlx-tts", "Hello.", "-o", "hello.wav"
    assert_path_exists testpath/"hello.wav"
  end
end
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=Path)
    parser.add_argument("--repository", required=True, metavar="OWNER/NAME")
    parser.add_argument("--out", type=Path, required=True)
    asked = parser.parse_args()
    files = sorted(path for path in asked.dist.iterdir() if path.suffix in (".whl", ".gz"))
    (wheel,) = [path for path in files if path.suffix == ".whl"]
    version = wheel.name.split("-")[1]
    asked.out.mkdir(parents=True, exist_ok=True)
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    (asked.out / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    formula = FORMULA.format(
        repository=asked.repository, version=version, wheel=wheel.name, sha256=sums[wheel.name]
    )  # fmt: skip
    (asked.out / "mlx-tts.rb").write_text(formula)
    (asked.out / "NOTES.md").write_text(notes(version))
    (asked.out / "sbom.cdx.json").write_text(json.dumps(sbom(version, sums[wheel.name]), indent=1) + "\n")
    return 0


def sbom(version: str, sha256: str) -> dict[str, object]:
    """CycloneDX 1.5: the wheel, and each package that comes with it, in the version that was tested, with its licence.

    The lock says which packages there are, and the installed ones say what they need. A package of another system that
    is not installed here stands there without what it needs itself.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    tested = {
        _key(name): version for name, version in re.findall(r"^([\w.-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", lock, re.M)
    }
    own = {
        "type": "application",
        "name": "mlx-tts",
        "version": version,
        "bom-ref": "mlx-tts",
        "purl": f"pkg:pypi/mlx-tts@{version}",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "hashes": [{"alg": "SHA-256", "content": sha256}],
    }
    needs = {"mlx-tts": sorted({_key(Requirement(line).name) for line in project["dependencies"]})}
    asked = [Requirement(line) for line in project["dependencies"]]
    while asked:
        requirement = asked.pop()
        name = _key(requirement.name)
        more = [need for need in _needed(requirement) if _key(need.name) in tested]
        known = needs.get(name)
        needs[name] = sorted({*(known or ()), *(_key(need.name) for need in more)})
        if needs[name] != known:
            asked += more
    components = [
        {
            "type": "library",
            "name": name,
            "version": tested[name],
            "bom-ref": _reference(name),
            "purl": f"pkg:pypi/{name}@{tested[name]}",
            **_licences(name),
        }
        for name in sorted(set(needs) - {"mlx-tts"})
    ]
    depends = [{"ref": _reference(name), "dependsOn": list(map(_reference, found))} for name, found in needs.items()]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": own},
            "components": components, "dependencies": depends}  # fmt: skip


def _licences(name: str) -> dict[str, object]:
    """As an installed package says it; nothing where it says nothing, or is of another system."""
    try:
        said = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return {}
    if expression := said.get("License-Expression"):
        return {"licenses": [{"expression": expression}]}
    named = [line.rpartition(" :: ")[2] for line in said.get_all("Classifier") or () if line.startswith("License ::")]
    if (own := said.get("License", "")) and "\n" not in own:
        named = [own]
    return {"licenses": [{"license": {"name": name}} for name in named]} if named else {}


def _needed(requirement: Requirement) -> list[Requirement]:
    """What an installed package needs, on any system, with the extras that are asked for."""
    try:
        lines = importlib.metadata.requires(requirement.name) or []
    except importlib.metadata.PackageNotFoundError:
        return []
    found = []
    for line in map(Requirement, lines):
        extra = re.search(r"extra\s*==\s*[\"']([^\"']+)", str(line.marker or ""))
        if extra is None or _key(extra[1]) in {_key(name) for name in requirement.extras}:
            found.append(line)
    return found


def _key(name: str) -> str:
    """A package's name as all spellings of it are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _reference(name: str) -> str:
    return name if name == "mlx-tts" else f"pkg:pypi/{name}"


def notes(version: str) -> str:
    """What CHANGELOG.md says of a version."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(version)}\b.*?\n(.*?)(?=^## |\Z)", changes, re.M | re.S)
    if found is None:
        sys.exit(f"CHANGELOG.md has no section {version}")
    return found[1].strip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
