"""Folders that tests read: the repository and the built-in voices."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT_IN = ROOT / "mlx_tts" / "builtin"
TINY = BUILT_IN / "tiny"
