"""Measure clones: unseen synthetic speakers and people's recordings in, words, naturalness and likeness out.

    python evaluate_clones.py speak --model TINY_BASE --source GATE --out CLIPS --each 1 --per-group 12
    python evaluate_clones.py judge --source GATE --out CLIPS

GATE holds GROUP/SPEAKER/III.wav and texts.json, as gate_codec.py prepared it. A speaker's first clip of usable length is
the reference; likeness is measured to the speaker's other clips, or to the reference where there is no other one. CLIPS
gets PROMPT/GROUP/SPEAKER/III.wav: PROMPT is `vector`, and `context` where the words of the reference are known. What is
there already is not spoken again.
"""

from __future__ import annotations

import argparse
import json
import zlib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soundfile
from clip_files import read_clip
from judges import load_judge, resample
from spoken import word_errors, words

SHORTEST_SECONDS, LONGEST_SECONDS = 1.6, 10.0
DISTRACTORS = 20


def references(source: Path) -> dict[str, Path]:
    """GROUP/SPEAKER -> the clip to clone, of all groups but the presets."""
    found = {}
    for path in sorted(source.rglob("*.wav")):
        speaker = path.parent.relative_to(source).as_posix()
        seconds = soundfile.info(path).duration
        if not speaker.startswith("preset") and SHORTEST_SECONDS <= seconds <= LONGEST_SECONDS:
            found.setdefault(speaker, path)
    return found


def requests(options: argparse.Namespace, model) -> Iterator[tuple[int, object]]:
    """(number, request) of every clone that is not there yet; the numbers index `options.paths`."""
    import mlx_tts
    from mlx_tts.narration.plan import reading_for

    reading = reading_for(model.info)  # as the commands read a text
    texts = json.loads((options.source / "texts.json").read_text())
    sentences = options.sentences.read_text(encoding="utf-8").splitlines()
    spoken: dict[str, int] = defaultdict(int)
    for speaker, path in references(options.source).items():
        spoken[speaker.split("/")[0]] += 1
        if spoken[speaker.split("/")[0]] > options.per_group:
            continue
        transcript = texts.get(path.relative_to(options.source).with_suffix("").as_posix())
        transcript = transcript if model.info.can.clones_in_context else None
        for prompt, said in (("vector", None), ("context", transcript)):
            for seed in range(options.each if prompt == "vector" or said else 0):
                line = (zlib.crc32(speaker.encode()) + seed) % len(sentences)
                out = options.out / prompt / speaker / f"{line:03d}.wav"
                if not out.exists():
                    options.paths.append(out)
                    voice = model.voice(*read_clip(path), said)
                    wanted = mlx_tts.SpeechRequest(
                        text=reading.spoken(sentences[line], "english"), voice=voice, seed=seed, language="english"
                    )
                    yield len(options.paths) - 1, wanted


def speak(options: argparse.Namespace) -> None:
    import mlx_tts

    options.paths, parts = [], defaultdict(list)
    with mlx_tts.load(str(options.model)) as model:
        for number, chunk in model.stream_many(requests(options, model), rows=options.rows):
            parts[number].append(chunk.samples)
            if chunk.report is not None:
                out = options.paths[number]
                out.parent.mkdir(parents=True, exist_ok=True)
                soundfile.write(out, np.concatenate(parts.pop(number)), chunk.sample_rate)
                print(out, flush=True)


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def judge(options: argparse.Namespace) -> None:
    sentences = options.sentences.read_text(encoding="utf-8").splitlines()
    judges = {kind: load_judge(kind, options.threads) for kind in ("words", "naturalness", "voice")}
    cloned, own = references(options.source), {}
    for speaker, reference in cloned.items():
        others = [path for path in sorted(reference.parent.glob("*.wav")) if path != reference] or [reference]
        own[speaker] = unit(np.mean([judges["voice"](resample(*read_clip(path))) for path in others[:4]], 0))
    clips = defaultdict(list)
    for path in sorted(options.out.rglob("*.wav")):
        prompt, group, person, name = path.relative_to(options.out).with_suffix("").parts
        audio, speaker = resample(*read_clip(path)), f"{group}/{person}"
        heard, text = judges["words"](audio), sentences[int(name)]
        voice = judges["voice"](audio)
        strangers = [vector for other, vector in own.items() if other != speaker][:DISTRACTORS]
        row = {
            "clip": f"{prompt}/{speaker}/{name}",
            "words": len(words(text)),
            "errors": word_errors(words(text), words(heard)),
            "DistillMOS": judges["naturalness"](audio),
            "similarity": float(voice @ own[speaker]),
            "nearest": all(voice @ own[speaker] > voice @ vector for vector in strangers),
        }
        clips[prompt, group].append(row)
        told = {name: round(value, 3) for name, value in row.items() if isinstance(value, float)}
        print(row["clip"], told, row["errors"], "of", row["words"], "|", text, "->", heard, flush=True)
    found = {"/".join(key): rows for key, rows in clips.items()}
    print("", *summary(found), sep="\n")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


def summary(clips: dict[str, list[dict]]) -> list[str]:
    """PROMPT/GROUP -> its clips, in; lines of Markdown out."""
    columns = ("prompt", "group", "clips", "word errors %", "DistillMOS", "similarity", "lowest", "nearest to its own")
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for key, rows in sorted(clips.items()):
        errors = 100 * sum(row["errors"] for row in rows) / sum(row["words"] for row in rows)
        mos, alike = (np.array([row[name] for row in rows]) for name in ("DistillMOS", "similarity"))
        near = f"{sum(row['nearest'] for row in rows)}/{len(rows)}"
        lines.append(
            f"| {key.replace('/', ' | ')} | {len(rows)} | {errors:.2f} | {mos.mean():.2f} | {alike.mean():.3f} | "
            f"{alike.min():.3f} | {near} |"
        )
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["speak", "judge"])
    parser.add_argument("--source", type=Path, required=True, help="folder of the recordings")
    parser.add_argument("--out", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--model", type=Path, help="a checkpoint that clones")
    parser.add_argument("--sentences", type=Path, default=Path(__file__).with_name("held_out.txt"))
    parser.add_argument("--each", type=int, default=1, help="sentences a reference and prompt")
    parser.add_argument("--per-group", type=int, default=12, help="speakers a group")
    parser.add_argument("--rows", type=int, default=8, help="clones spoken side by side")
    parser.add_argument("--json", type=Path, help="write all numbers here")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    (speak if options.command == "speak" else judge)(options)
