"""A sentence -> a picture (SVG) of its sound, with the time of each word, and what a recogniser says of it.

python scripts/picture_of_words.py docs/words.svg --recogniser FOLDER

It shows the marks that subtitles are made of. FOLDER is a model of faster-whisper; without it the picture has the marks
alone. docs/words.svg is made by this script.
"""

from __future__ import annotations

import argparse
import sys
from html import escape
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the clone's package

TEXT = "The old bridge was closed, so we walked along the river until it was dark."
WIDTH, LEFT, RIGHT, WAVE, ROW = 1100, 90, 10, 120, 46  # pixels
Word = tuple[str, float, float]  # with its start and end in seconds


def picture(samples: np.ndarray, rate: int, rows: dict[str, list[Word]]) -> str:
    """samples [N]; rows: by their names, words below the sound, each from its start to its end."""
    seconds = len(samples) / rate
    height = WAVE + ROW * len(rows) + 30

    def x(second: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * second / seconds, 1)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<path d="{_wave(samples, x(0), x(seconds))}" fill="#357"/>',
    ]
    for number, (name, words) in enumerate(rows.items()):
        y = WAVE + ROW * number
        parts.append(f'<text x="4" y="{y + 20}" fill="#555">{escape(name)}</text>')
        for at, (word, start, end) in enumerate(words):
            left, wide = x(start), max(1.0, round(x(end) - x(start) - 1, 1))
            colour = ("#cde", "#dec")[number % 2]
            low = y + 4 + 17 * (at % 2)  # in two heights, so that short words do not lie on one another
            parts.append(f'<rect x="{left}" y="{low}" width="{wide}" height="16" fill="{colour}"/>')
            parts.append(f'<line x1="{left}" x2="{left}" y1="{0 if not number else y}" y2="{low + 16}" stroke="#999"/>')
            parts.append(f'<text x="{left + 2}" y="{low + 12}">{escape(word)}</text>')
    for second in np.arange(0, seconds, 0.5):
        parts.append(f'<text x="{x(second)}" y="{height - 6}" fill="#555">{second:g} s</text>')
    return "\n".join([*parts, "</svg>", ""])


def _wave(samples: np.ndarray, left: float, right: float) -> str:
    """The outline of the loudest and the lowest sample of each pixel."""
    pixels = np.array_split(samples, int(right - left))
    scale = 0.45 * WAVE / max(1e-6, float(np.abs(samples).max()))
    tops = [f"{left + at:.0f},{WAVE / 2 - scale * float(part.max()):.1f}" for at, part in enumerate(pixels)]
    lows = [f"{left + at:.0f},{WAVE / 2 - scale * float(part.min()):.1f}" for at, part in enumerate(pixels)]
    return "M" + " L".join([*tops, *reversed(lows)]) + " Z"


def recognised(samples: np.ndarray, rate: int, folder: str) -> list[Word]:
    """What a recogniser hears, and when."""
    import soxr
    from faster_whisper import WhisperModel

    model = WhisperModel(folder, device="cpu", compute_type="int8", local_files_only=True)
    segments, _ = model.transcribe(soxr.resample(samples, rate, 16_000), language="en", word_timestamps=True)
    return [(word.word.strip(), word.start, word.end) for segment in segments for word in segment.words]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=Path)
    parser.add_argument("--text", default=TEXT)
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--voice", default="ivy")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--recogniser", metavar="FOLDER")
    asked = parser.parse_args()
    import mlx_tts

    with mlx_tts.load(asked.model) as tts:
        chunk = tts.speak(asked.text, voice=asked.voice, seed=asked.seed)
    rows = {"marks": [(mark.text, mark.start, mark.end) for mark in chunk.marks if mark.level == "word"]}
    if asked.recogniser:
        rows["recogniser"] = recognised(chunk.samples, chunk.sample_rate, asked.recogniser)
    asked.output.write_text(picture(chunk.samples, chunk.sample_rate, rows), encoding="utf-8")
    print(f"wrote {asked.output}")


if __name__ == "__main__":
    main()
