"""Codes that a model says texts with, each voice in turn, for `warm.py`.

    python speak_codes.py --model ../../mlx_tts/builtin/tiny --texts TEXTS --out CODES --minutes 30 --part 0/2
    python speak_codes.py --join CODES --out CODES.npz

Needs the package and mlx, not torch. CODES/part0.npz is written anew every minute of speech; `--join` puts the parts together.
"""

import argparse
import random
from itertools import cycle
from pathlib import Path

import numpy as np

SAVE_FRAMES = 750
SHORTEST_FRAMES = 40


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--texts", type=Path, help="a text a line")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--join", type=Path)
    return parser.parse_args()


def write(path, clips):
    partial = path.with_suffix(".partial.npz")
    ends = np.cumsum([len(clip) for clip in clips])
    np.savez_compressed(partial, codes=np.concatenate(clips).astype(np.int16), ends=ends)
    partial.rename(path)


def speak(options):
    from mlx_tts import load
    from mlx_tts.speech import SpeechRequest

    part, parts = map(int, options.part.split("/"))
    options.out.mkdir(parents=True, exist_ok=True)
    texts = options.texts.read_text().splitlines()
    random.Random(part).shuffle(texts)
    clips, frames, saved = [], 0, 0
    with load(options.model, offline=True) as model:
        voices = cycle(model.voices)
        for number, text in enumerate(text for text in texts if 60 <= len(text) <= 250):
            request = SpeechRequest(text, voice=next(voices), seed=number * parts + part)
            codes = np.array(model.generate_codes(request))
            if len(codes) < SHORTEST_FRAMES:
                continue
            clips.append(codes)
            frames += len(codes)
            if frames - saved >= SAVE_FRAMES:
                saved = frames
                write(options.out / f"part{part}.npz", clips)
            if frames >= options.minutes * 750:
                break
    write(options.out / f"part{part}.npz", clips)


def join(options):
    clips = []
    for path in sorted(options.join.glob("part*.npz")):
        with np.load(path) as found:
            clips += np.split(found["codes"], found["ends"][:-1])
    write(options.out, clips)
    print(f"{len(clips)} clips, {sum(map(len, clips)) / 750:.1f} minutes")


if __name__ == "__main__":
    options = parse()
    join(options) if options.join else speak(options)
