"""Cut the items of shards that speak the given sentences into DIR/SPEAKER/III.wav, for evaluate.py --teacher-dir.

python teacher.py --texts held_out.txt --speakers hazel --out SHARDS/hazel --engine kokoro-gpu ...  (each speaker)
python clips.py --shards SHARDS/* --out TEACHER
"""

from __future__ import annotations

import argparse
import json
import wave
from pathlib import Path

from shards import FRAME_SAMPLES, SAMPLE_RATE


def write_wav(path: Path, samples: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(samples)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=Path, nargs="+", required=True, help="folders of shards")
    parser.add_argument("--sentences", type=Path, default=Path(__file__).with_name("held_out.txt"))
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    lines = {text: number for number, text in enumerate(arguments.sentences.read_text(encoding="utf-8").splitlines())}
    for index in sorted(path for folder in arguments.shards for path in folder.glob("*.jsonl")):
        with index.with_suffix(".pcm").open("rb") as audio:
            for item in map(json.loads, index.read_text(encoding="utf-8").splitlines()):
                if item["text"] in lines:
                    audio.seek(item["start_frame"] * FRAME_SAMPLES * 2)
                    samples = audio.read(item["frames"] * FRAME_SAMPLES * 2)
                    write_wav(arguments.out / item["speaker"] / f"{lines[item['text']]:03d}.wav", samples)


if __name__ == "__main__":
    main()
