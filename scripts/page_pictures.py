"""The walk through the page -> the pictures in docs/pictures: `python scripts/page_pictures.py` (needs Chromium).

The walk is a test, so the pictures show what the test has checked.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "pictures"
MOST_BYTES = 1_000_000  # of all pictures together: everybody who clones the repository gets them


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "pytest", "tests/server/page/test_walk.py", "-q", "-rs"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "MLX_TTS_PICTURES": str(FOLDER)}, check=False)
    size = sum(path.stat().st_size for path in FOLDER.iterdir())
    print(f"{FOLDER}: {size / 1000:.0f} kB")
    return done.returncode or int(size > MOST_BYTES)


if __name__ == "__main__":
    sys.exit(main())
