"""Recordings -> how alike the voices in them are: a table, and a picture if one is asked for.

python scripts/similarity.py me.wav --results a.wav b.wav --distractors other.wav --picture similarity.svg

A result should be much closer to the reference than any distractor is. The measure is the cosine of Resemblyzer's
vectors; about 0.87 is the same person on average, 0.54 another one. Exit code 1: a distractor is closer than a result.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts" / "train_tiny")]  # the clone's package, and what listens to speech

RATE = 16_000
BAR, ROW, LEFT = 400, 24, 220  # pixels of the picture
COLOURS = {"result": "#2a7", "distractor": "#a52"}


@dataclass(frozen=True)
class Compared:
    """One recording and its cosine with the reference. kind: result or distractor."""

    name: str
    kind: str
    similarity: float


def compare(reference: np.ndarray, others: list[tuple[str, str, np.ndarray]]) -> list[Compared]:
    """Vectors [D] of the reference and of (name, kind) -> the most similar first."""

    def cosine(vector: np.ndarray) -> float:
        return float(reference @ vector / (np.linalg.norm(reference) * np.linalg.norm(vector)))

    rows = [Compared(name, kind, cosine(vector)) for name, kind, vector in others]
    return sorted(rows, key=lambda row: -row.similarity)


def mixed_up(rows: list[Compared]) -> bool:
    """Whether a distractor is at least as close to the reference as a result is."""
    results = [row.similarity for row in rows if row.kind == "result"]
    distractors = [row.similarity for row in rows if row.kind == "distractor"]
    return bool(results and distractors and max(distractors) >= min(results))


def table(rows: list[Compared]) -> str:
    """Markdown."""
    return "\n".join(
        ["| recording | | similarity |", "|---|---|---|"]
        + [f"| {row.name} | {row.kind} | {row.similarity:.3f} |" for row in rows]
    )


def picture(reference: str, rows: list[Compared]) -> str:
    """SVG: a bar for each recording, from 0 to 1."""
    height = ROW * (len(rows) + 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + BAR + 70}" height="{height}" font-family="sans-serif" '
        f'font-size="13"><rect width="100%" height="100%" fill="white"/>',
        f'<text x="8" y="18">Similarity to {escape(reference)}</text>',
    ]
    for number, row in enumerate(rows):
        top = ROW * (number + 1.5)
        width = max(0.0, row.similarity) * BAR
        parts.append(f'<text x="{LEFT - 8}" y="{top + 13}" text-anchor="end">{escape(row.name)}</text>')
        parts.append(f'<rect x="{LEFT}" y="{top}" width="{width:.1f}" height="16" fill="{COLOURS[row.kind]}"/>')
        parts.append(f'<text x="{LEFT + width + 6:.1f}" y="{top + 13}">{row.similarity:.3f}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference", type=Path, help="the recording that was cloned")
    parser.add_argument("--results", type=Path, nargs="+", required=True, help="what the clone said")
    parser.add_argument("--distractors", type=Path, nargs="*", default=[], help="recordings of other voices")
    parser.add_argument("--picture", type=Path, help="an .svg file to write")
    asked = parser.parse_args()
    from judges import MissingJudge, load_judge

    from mlx_tts.audio.files import read_audio
    from mlx_tts.errors import MlxTtsError

    try:
        judge = load_judge("voice")
        reference = judge(read_audio(asked.reference, RATE))
        files = [(path, "result") for path in asked.results] + [(path, "distractor") for path in asked.distractors]
        rows = compare(reference, [(path.name, kind, judge(read_audio(path, RATE))) for path, kind in files])
    except (MissingJudge, MlxTtsError) as error:
        print(f"similarity: {error}", file=sys.stderr)
        return 2
    print(table(rows))
    if asked.picture is not None:
        asked.picture.write_text(picture(asked.reference.name, rows), encoding="utf-8")
    return 1 if mixed_up(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
