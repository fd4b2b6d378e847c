"""Wheel and sdist in; what stands next to them on a release page out: SHA256SUMS, Homebrew formula, notes and SBOM.

python scripts/release_papers.py dist --repository owner/name --out papers
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tomllib
from pathlib import Path

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
    """CycloneDX 1.5: the wheel, and each package that it asks for by name, in the version that was tested."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    tested = dict(re.findall(r"^([a-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;\\]+)", lock, re.M))
    names = sorted({re.split(r"[\[<>=; ]", line)[0].lower().replace("_", "-") for line in project["dependencies"]})
    components = [
        {"type": "library", "name": name, "bom-ref": f"pkg:pypi/{name}", "purl": f"pkg:pypi/{name}"}
        | ({"version": tested[name], "purl": f"pkg:pypi/{name}@{tested[name]}"} if name in tested else {})
        for name in names
    ]
    own = {
        "type": "application",
        "name": "mlx-tts",
        "version": version,
        "bom-ref": "mlx-tts",
        "purl": f"pkg:pypi/mlx-tts@{version}",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "hashes": [{"alg": "SHA-256", "content": sha256}],
    }
    needs = [{"ref": "mlx-tts", "dependsOn": [component["bom-ref"] for component in components]}]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": own},
            "components": components, "dependencies": needs}  # fmt: skip


def notes(version: str) -> str:
    """What CHANGELOG.md says of a version."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(version)}\b.*?\n(.*?)(?=^## |\Z)", changes, re.M | re.S)
    if found is None:
        sys.exit(f"CHANGELOG.md has no section {version}")
    return found[1].strip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
