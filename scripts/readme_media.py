"""Make what the README shows: the pictures of a terminal, light and dark, and the sounds, all by the command itself.

python scripts/readme_media.py
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
SOUNDS, PICTURES = ROOT / "docs" / "sounds", ROOT / "docs" / "pictures"
THEMES = {"terminal-dark.svg": DIMMED_MONOKAI, "terminal-light.svg": DEFAULT_TERMINAL_THEME}
WHITE_EDGE = 'stroke="rgba(255,255,255,0.35)"'
COLUMNS = 78
SAID = "Did you hear the rain last night? By morning the whole garden was shining."
BOOK = """# The Lighthouse

The storm came at four in the afternoon. By five, the whole harbour was dark, and only the lamp on the hill burned.

"Nobody will sail tonight," said the old man. He was wrong.
"""
SESSION = (
    'mlx-tts "Good morning. This is a small voice in a box." -o hello.mp3',
    f'mlx-tts "{SAID}" --voice ivy --seed 1 -o me.mp3',
    'mlx-tts clone "This is a copy of my voice." --voice-sample me.mp3 --seed 1 -o clone.mp3',
    "mlx-tts book.md --voice rowan --seed 1 -o book.mp3",
)
KEPT = {"hello.mp3": "box.mp3", "me.mp3": "ivy.mp3", "clone.mp3": "clone.mp3", "book.mp3": "book.mp3"}


def main() -> int:
    SOUNDS.mkdir(exist_ok=True)
    shown = Console(record=True, width=COLUMNS, file=io.StringIO())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "book.md").write_text(BOOK)
        environment = {**os.environ, "MLX_TTS_HOME": f"{folder}/own", "HF_HUB_OFFLINE": "1", "COLUMNS": str(COLUMNS)}
        for line in SESSION:
            words = [sys.executable, "-m", "mlx_tts", *shlex.split(line)[1:], "--progress", "none"]
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=True)
            shown.print(Text.assemble(("$ ", "bold green"), (line, "bold")))
            shown.print(Text(done.stdout + done.stderr, "cyan"))
        for made, kept in KEPT.items():
            (SOUNDS / kept).write_bytes((Path(folder) / made).read_bytes())
    for name, theme in THEMES.items():
        picture = shown.export_svg(title="mlx-tts", theme=theme, unique_id="terminal", clear=False)
        picture = re.sub(r"@font-face {.*?}\s*", "", picture, flags=re.S)  # a picture loads no fonts from elsewhere
        picture = picture.replace(WHITE_EDGE, 'stroke="rgba(128,128,128,0.5)"')  # seen on a white page, too
        (PICTURES / name).write_text(picture, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
