"""Folders that tests read: the repository and the built-in voice."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "mlx_tts" / "builtin" / "tiny"
