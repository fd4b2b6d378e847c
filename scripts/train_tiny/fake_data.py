"""Small fake shards (harmonic tones with a label a tone) to try the training programs without a teacher.

python fake_data.py --data DATA --items 60
"""

import argparse
from pathlib import Path

import numpy as np
from shards import FRAME_SAMPLES, LABEL_SAMPLES, SAMPLE_RATE, ShardWriter
from sizes import UNKNOWN_PHONE
from speakers import HUMAN_PREFIX, SPEAKERS
from synthetic_speakers import numbered

WORDS = [
    "the",
    "captain",
    "told",
    "12",
    "passengers",
    "to",
    "fasten",
    "their",
    "seat",
    "belts",
    "before",
    "lunch",
    "at",
    "9:30,",
    "please",
    "wait",
    "for",
    "Dr",
    "Grey",
]


def item(random, pitch):
    words = random.choice(WORDS, random.integers(1, 9))
    frames = max(8, 4 * len(words))
    seconds = np.arange(frames * FRAME_SAMPLES) / SAMPLE_RATE
    labels = np.zeros(frames * FRAME_SAMPLES // LABEL_SAMPLES, np.uint8)
    audio = np.zeros(len(seconds))
    for number, word in enumerate(words):
        part = slice(number * 4 * FRAME_SAMPLES + 960, (number + 1) * 4 * FRAME_SAMPLES - 960)
        colour = 1 + WORDS.index(word)
        audio[part] = sum(
            np.sin(2 * np.pi * pitch * k * seconds[part]) / k for k in range(1, 12) if (colour >> (k % 4)) & 1 or k == 1
        )
        labels[part.start // LABEL_SAMPLES : part.stop // LABEL_SAMPLES] = colour
    audio = 0.1 * audio + 0.002 * random.standard_normal(len(audio))
    return " ".join(words), np.round(np.clip(audio, -1, 1) * 32767).astype("<i2"), labels


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--items", type=int, default=60, help="items a shard, one shard a speaker")
    options = parser.parse_args()
    for number, name in enumerate([*SPEAKERS, *numbered(0, 4), *numbered(49, 1), f"{HUMAN_PREFIX}one"]):
        random = np.random.default_rng(number)
        writer = ShardWriter(Path(options.data), f"fake-{name}")
        for _ in range(options.items):
            text, audio, labels = item(random, 110 * 1.15**number)
            if name.startswith(HUMAN_PREFIX):
                labels[:] = UNKNOWN_PHONE
            writer.add(text, name, audio, labels)
        writer.close()
