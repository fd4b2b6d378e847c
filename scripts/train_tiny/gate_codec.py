"""The codec's gate: speakers it never met, and people, through the codec alone; judged by words, naturalness, voice.

    python gate_codec.py prepare --shards SHARDS --human HUMAN/held_out --read READ --out GATE
    python reconstruct.py --checkpoints CHECKPOINTS --source GATE --out RECONSTRUCTED
    python gate_codec.py judge --source GATE --reconstructed RECONSTRUCTED

GATE holds GROUP/SPEAKER/III.wav and texts.json. SHARDS come from teacher.py (--first-synthetic 90000, held_out.txt),
HUMAN from human.py, READ is a folder of PERSON/NAME.wav with PERSON/transcription ("text (NAME)" a line).
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import soundfile
from clip_files import read_clip
from judges import load_judge, resample
from pool import read_items
from reconstruct import write
from shards import FRAME_SAMPLES, SAMPLE_RATE
from speakers import group_of
from spoken import word_errors, words

HUMAN_SECONDS, HUMAN_CLIPS = 5.0, 6
JUDGED = ("words", "naturalness", "voice")
# (group, figure, limit, whether it is the least or the most); the words of "human" are not known.
# "more word errors" counts from what the recogniser misses in the original clips: for people reading that is a lot.
LIMITS = (
    ("synthetic", "word errors %", 3.0, "most"),
    ("synthetic", "DistillMOS", 3.9, "least"),
    ("synthetic", "voice, same words", 0.90, "least"),
    ("preset", "DistillMOS", 4.0, "least"),
    ("read", "more word errors %", 5.0, "most"),
    ("read", "voice, same words", 0.82, "least"),
    ("human", "voice, same words", 0.80, "least"),
)


def to_24k(audio: np.ndarray, rate: int) -> np.ndarray:
    import librosa

    return librosa.resample(audio, orig_sr=rate, target_sr=SAMPLE_RATE)


def prepare(options) -> None:
    texts, numbers = {}, defaultdict(int)

    def add(group: str, speaker: str, samples: np.ndarray, text: str | None) -> None:
        key = f"{group}/{speaker}/{numbers[group, speaker]:03d}"
        numbers[group, speaker] += 1
        write(options.out / f"{key}.wav", samples)
        if text:
            texts[key] = text

    for index in sorted(options.shards.glob("*.jsonl")):
        audio = np.fromfile(index.with_suffix(".pcm"), "<i2")
        for item in read_items(index)[0]:
            start = item["start_frame"] * FRAME_SAMPLES
            samples = audio[start : start + item["frames"] * FRAME_SAMPLES]
            add(group_of(item["speaker"]), item["speaker"], samples, item["text"])
    for path in sorted(options.human.glob("*.ogg")):
        audio, _ = soundfile.read(path, dtype="float32")
        length = int(HUMAN_SECONDS * SAMPLE_RATE)
        for start in range(0, min(len(audio) - length, HUMAN_CLIPS * length), length):
            add("human", path.stem, np.round(audio[start : start + length] * 32767), None)
    for path in sorted(options.read.glob("*/transcription")):
        for text, name in re.findall(r"^(?:<s>)?(.*?)(?:</s>)?\s*\((\S+)\)$", path.read_text(), re.MULTILINE):
            audio, rate = read_clip(next(path.parent.glob(f"*{name}.wav")))
            add("read", path.parent.name, np.round(to_24k(audio, rate) * 32767), text.strip())
    (options.out / "texts.json").write_text(json.dumps(texts, indent=1))
    print({group: sum(n for (g, _), n in numbers.items() if g == group) for group, _ in numbers})


def measure(path: Path, judges: dict, text: str | None) -> dict:
    audio = resample(*read_clip(path))
    result = {"voice": judges["voice"](audio), "mos": judges["naturalness"](audio), "errors": None, "words": 0}
    if text:
        expected = words(text)
        result |= {"words": len(expected), "errors": word_errors(expected, words(judges["words"](audio)))}
    return result


def others(clips: dict, key: str) -> np.ndarray | None:
    """The mean voice of the same speaker's other clips."""
    speaker = key.rsplit("/", 1)[0]
    found = [clip["voice"] for name, clip in clips.items() if name != key and name.rsplit("/", 1)[0] == speaker]
    return np.mean(found, 0) / np.linalg.norm(np.mean(found, 0)) if found else None


def figures(clips: dict, source: dict, keys: list[str]) -> dict[str, float]:
    chosen = [clips[key] for key in keys]
    total = sum(clip["words"] for clip in chosen)
    errors = sum(clip["errors"] or 0 for clip in chosen)
    spoken = [(clips[key], others(source, key)) for key in keys]
    alike = [clip["voice"] @ mean for clip, mean in spoken if mean is not None]
    result = {
        "clips": len(keys),
        "word errors %": 100 * errors / total if total else float("nan"),
        "DistillMOS": np.mean([clip["mos"] for clip in chosen]),
        "voice, other words": np.mean(alike) if alike else float("nan"),
        "voice, same words": np.mean([clips[key]["voice"] @ source[key]["voice"] for key in keys]),
    }
    return {name: round(float(value), 3) for name, value in result.items()}


def judge(options) -> bool:
    texts = json.loads((options.source / "texts.json").read_text())
    judges = {kind: load_judge(kind, options.threads) for kind in JUDGED}
    keys = [path.relative_to(options.source).with_suffix("").as_posix() for path in options.source.rglob("*.wav")]
    source, made = (
        {key: measure(folder / f"{key}.wav", judges, texts.get(key)) for key in sorted(keys)}
        for folder in (options.source, options.reconstructed)
    )
    passed = True
    print("| group | " + " | ".join(figures(source, source, sorted(keys))) + " |")
    for group in sorted({key.split("/")[0] for key in keys}):
        own = [key for key in sorted(keys) if key.startswith(group + "/")]
        original, reached = figures(source, source, own), figures(made, source, own)
        for name, row in ((f"{group}, original", original), (f"{group}, codec", reached)):
            print(f"| {name} | " + " | ".join(map(str, row.values())) + " |")
        reached["more word errors %"] = round(reached["word errors %"] - original["word errors %"], 3)
        for _, figure, limit, kind in (entry for entry in LIMITS if entry[0] == group):
            good = reached[figure] >= limit if kind == "least" else reached[figure] <= limit
            passed &= good
            print(f"  {'ok' if good else 'GATE FAILED'}: {group}, {figure} {reached[figure]}, at {kind} {limit}")
    print("gate passed" if passed else "GATE FAILED")
    return passed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["prepare", "judge"])
    parser.add_argument("--shards", type=Path)
    parser.add_argument("--human", type=Path)
    parser.add_argument("--read", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--reconstructed", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if options.command == "prepare":
        prepare(options)
    elif not judge(options):
        raise SystemExit(1)
