"""Wheel and sdist in; what stands next to them on a release page, out: SHA256SUMS, a Homebrew formula, the notes.

python scripts/release_papers.py dist --repository owner/name --out papers
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
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
    return 0


def notes(version: str) -> str:
    """What CHANGELOG.md says of a version."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {re.escape(version)}\b.*?\n(.*?)(?=^## |\Z)", changes, re.M | re.S)
    if found is None:
        sys.exit(f"CHANGELOG.md has no section {version}")
    return found[1].strip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
