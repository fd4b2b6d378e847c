"""Measure speech against the text it should say and the teacher it should sound like.

Clips are DIR/SPEAKER/III-SEED.wav (or III.wav): III is the line of the sentence in --sentences, from 000.
With --speak-model (Python API) or --speak-command (installed program) the clips are made first.
Prints a Markdown table; --json keeps every clip's numbers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from clip_files import find_clips, read_clip, speak_with_api, speak_with_command
from judges import MissingJudge, load_judge, resample
from speakers import SPEAKERS
from spoken import word_errors, words

# Without a teacher's clip the length is expected from the text as it sounds: a fit to 773 teacher clips.
SECONDS_BASE, SECONDS_PER_CHARACTER = 0.165, 0.0593
SAME_LENGTH = (0.8, 1.25)
RUNAWAY, RUNAWAY_SLACK_SECONDS, EARLY_STOP = 1.8, 0.5, 0.55
SHORT_SECONDS = 1.5  # shorter clips say too little of the voice


@dataclass
class Measured:
    speaker: str
    sentence: int
    seed: int
    seconds: float
    text: str
    heard: str = ""
    reference_words: int = 0
    errors: int | None = None
    mos: float | None = None
    similarity: float | None = None
    length_ratio: float = 1.0
    runaway: bool = False
    early_stop: bool = False


class Evaluation:
    def __init__(self, options: argparse.Namespace, sentences: list[str]):
        self.sentences, self.missing = sentences, []
        self.judges = {}
        for kind in ("words", "naturalness", "voice"):
            try:
                self.judges[kind] = load_judge(kind, options.threads)
            except MissingJudge as error:
                self.missing.append(str(error))
                print(f"\n*** NOT MEASURED: {error} ***\n", file=sys.stderr)
        self.teacher_seconds: dict[tuple[str, int], float] = {}
        self.teacher_voices: dict[str, dict[int, np.ndarray]] = defaultdict(dict)
        self.voices: dict[str, list[np.ndarray]] = defaultdict(list)
        if options.teacher_dir:
            for speaker, index, _, path in find_clips(options.teacher_dir, list(SPEAKERS)):
                audio, rate = read_clip(path)
                self.teacher_seconds[speaker, index] = len(audio) / rate
                if "voice" in self.judges and len(audio) / rate > SHORT_SECONDS:
                    self.teacher_voices[speaker][index] = self.judges["voice"](resample(audio, rate))

    def measure(self, speaker: str, index: int, seed: int, path: Path) -> Measured:
        audio, rate = read_clip(path)
        result = Measured(speaker, index, seed, len(audio) / rate, self.sentences[index])
        sounding = " ".join(words(result.text))
        expected = self.teacher_seconds.get((speaker, index), SECONDS_BASE + SECONDS_PER_CHARACTER * len(sounding))
        result.length_ratio = result.seconds / expected
        result.runaway = result.seconds > RUNAWAY * expected + RUNAWAY_SLACK_SECONDS
        result.early_stop = result.length_ratio < EARLY_STOP
        audio = resample(audio, rate)
        if "words" in self.judges:
            result.heard = self.judges["words"](audio)
            reference = words(result.text)
            result.reference_words, result.errors = len(reference), word_errors(reference, words(result.heard))
        if "naturalness" in self.judges:
            result.mos = self.judges["naturalness"](audio)
        if "voice" in self.judges and result.seconds > SHORT_SECONDS:
            voice = self.judges["voice"](audio)
            self.voices[speaker].append(voice)
            others = [vector for line, vector in self.teacher_voices[speaker].items() if line != index]
            if others:  # the teacher's other sentences, so that the words can't count as likeness
                result.similarity = float(voice @ unit(np.mean(others, axis=0)))
        return result

    def voice_matrix(self) -> dict[str, dict[str, float]]:
        teachers = {
            name: unit(np.mean(list(clips.values()), axis=0)) for name, clips in self.teacher_voices.items() if clips
        }
        return {
            speaker: {
                name: round(float(np.mean([voice @ teacher for voice in clips])), 3)
                for name, teacher in teachers.items()
            }
            for speaker, clips in self.voices.items()
        }


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def summary(clips: list[Measured]) -> dict[str, object]:
    def figures(name: str) -> np.ndarray:
        return np.array([getattr(clip, name) for clip in clips if getattr(clip, name) is not None])

    ratio, mos, similarity, errors = (figures(name) for name in ("length_ratio", "mos", "similarity", "errors"))
    total_words = sum(clip.reference_words for clip in clips)
    return {
        "clips": len(clips),
        "WER %": round(100 * errors.sum() / total_words, 2) if total_words else None,
        "exact": f"{int((errors == 0).sum())}/{len(errors)}" if errors.size else None,
        "DistillMOS": f"{mos.mean():.2f} ({mos.std():.2f})" if mos.size else None,
        "similarity": round(float(similarity.mean()), 3) if similarity.size else None,
        "lowest": round(float(similarity.min()), 3) if similarity.size else None,
        "length": f"{np.median(ratio):.2f} ({ratio.min():.2f}-{ratio.max():.2f})",
        "in 0.8-1.25": f"{int(((ratio >= SAME_LENGTH[0]) & (ratio <= SAME_LENGTH[1])).sum())}/{len(clips)}",
        "runaways": sum(clip.runaway for clip in clips),
        "early stops": sum(clip.early_stop for clip in clips),
        "seconds": round(float(figures("seconds").sum()), 1),
    }


def table(rows: dict[str, dict]) -> str:
    columns = list(next(iter(rows.values())))
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    lines += [
        f"| {name} | "
        + " | ".join("not measured" if row[column] is None else str(row[column]) for column in columns)
        + " |"
        for name, row in rows.items()
    ]
    return "\n".join(lines)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wav-dir", type=Path, required=True, help="folder of the clips, to read or to make")
    parser.add_argument("--sentences", type=Path, default=Path(__file__).with_name("held_out.txt"))
    parser.add_argument("--teacher-dir", type=Path, help="teacher clips of the same sentences: similarity and length")
    parser.add_argument("--speakers", default=",".join(SPEAKERS), help="by comma (default: all)")
    parser.add_argument("--seeds", default="0,1,2", help="seeds to speak each sentence with")
    parser.add_argument("--language", default="english", help="for --speak-model")
    parser.add_argument(
        "--as-written", action="store_true", help="for --speak-model: letters alone, no words as phones"
    )
    parser.add_argument("--limit", type=int, help="only the first sentences")
    parser.add_argument("--json", type=Path, help="write all numbers here")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--allow-missing", action="store_true", help="succeed although a judge is missing")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--speak-model", help="folder or alias for mlx_tts.load")
    parser.add_argument("--speak-only", action="store_true", help="make the clips, judge them elsewhere")
    source.add_argument("--speak-command", help='for example "mlx-tts speak" or "mlx-tts speak --model FOLDER"')
    options = parser.parse_args()
    options.speakers = options.speakers.split(",")
    options.seeds = [int(seed) for seed in options.seeds.split(",")]
    return options


def main() -> int:
    options = parse_arguments()
    sentences = options.sentences.read_text(encoding="utf-8").splitlines()[: options.limit]
    if options.speak_model:
        speak_with_api(options, sentences)
    elif options.speak_command:
        speak_with_command(options, sentences)
    if options.speak_only:
        return 0
    evaluation = Evaluation(options, sentences)
    clips = [
        evaluation.measure(*found)
        for found in find_clips(options.wav_dir, options.speakers)
        if found[1] < len(sentences)
    ]
    if not clips:
        print(f"no clips under {options.wav_dir}", file=sys.stderr)
        return 1
    rows = {
        speaker: summary([clip for clip in clips if clip.speaker == speaker])
        for speaker in options.speakers
        if any(clip.speaker == speaker for clip in clips)
    }
    rows["all"] = summary(clips)
    print(table(rows))
    matrix = evaluation.voice_matrix()
    if any(matrix.values()):
        print("\nSimilarity of each voice (down) to each teacher (across)\n\n" + table(matrix))
    print("\nHeard otherwise than written:\n")
    for clip in sorted(clips, key=lambda clip: -(clip.errors or 0)):
        if clip.errors:
            print(
                f"- {clip.speaker} {clip.sentence:03d}-{clip.seed}, {clip.errors} of {clip.reference_words}: "
                f"{clip.text} -> {clip.heard}"
            )
    if options.json:
        report = {
            "rows": rows,
            "matrix": matrix,
            "missing": evaluation.missing,
            "clips": [asdict(clip) for clip in clips],
        }
        options.json.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 1 if evaluation.missing and not options.allow_missing else 0


if __name__ == "__main__":
    sys.exit(main())
