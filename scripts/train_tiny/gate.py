"""From what came back of a training run to the table of its limits: export, convert, speak, listen, judge.

    python gate.py --result RESULT --gate GATE --out OUT

RESULT holds codec_joint.pt, talker.pt and tokenizer/, or the parts weights.tar.* that hold them; GATE is what
gate_codec.py prepared: unseen speakers and people. OUT gets both exports, `tiny`, `tiny-base`, all clips and gate.json.
What is there already is not made again: remove OUT for another RESULT. Exit code 1 when a limit is missed.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import numpy as np
from clip_files import read_clip
from ship import size_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TODAY = ROOT / "mlx_tts" / "builtin" / "tiny"
QUANTISED = ("--bits", "--table-bits", "--text-embedding-bits", "--codec-bits")
CONVERSION = [word for option in QUANTISED for word in (option, "8")]
CONVERSION += ["--dtype", "float16", "--codec-dtype", "float16"]
SENTENCES = 12  # whose speed is measured
REFERENCE_SECONDS = 10
# (figure, limit, goal, whether it is the least or the most)
LIMITS = (
    ("presets: word error rate %", 2.0, 1.5, "most"),
    ("presets: DistillMOS, mean", 3.8, 4.2, "least"),
    ("presets: DistillMOS, worst voice", 3.6, 4.0, "least"),
    ("unseen synthetic, vector: similarity", 0.75, 0.85, "least"),
    ("unseen synthetic, in context: similarity", 0.80, 0.88, "least"),
    ("people: similarity", 0.70, 0.78, "least"),
    ("people: share nearest to their own person", 0.6, 1.0, "least"),
    ("clones: word error rate %", 4.0, 2.0, "most"),
    ("clones: DistillMOS", 3.5, 4.0, "least"),
    ("speed: real-time factor over today's", 1.2, 0.9, "most"),
    ("speed: encoding a reference of 10 s, s", 2.0, 1.0, "most"),
    ("size of both together, MB", 48.0, 48.0, "most"),
)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--gate", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="only the first of the held-out sentences: a quick look")
    parser.add_argument("--per-group", type=int, default=50, help="speakers a group to clone")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def run(*command):
    """A program of this folder, or mlx-tts; stops the gate when it fails."""
    words = [sys.executable, *map(str, command)]
    print("+", *words[1:], flush=True)
    result = subprocess.run(words, env=os.environ | {"PYTHONPATH": str(ROOT)}, cwd=HERE)
    if result.returncode:
        raise SystemExit(f"{command[0]} ended with {result.returncode}: mend that, and start again")


def join_parts(result):
    """Unpack the archive whose parts weights.tar.* came back, once."""
    parts = sorted(result.glob("weights.tar.*"))
    if parts and not (result / "talker.pt").exists():
        with tarfile.open(fileobj=io.BytesIO(b"".join(part.read_bytes() for part in parts))) as archive:
            archive.extractall(result, filter="data")


def unpacked(result):
    """The folder of the checkpoints; parts of an archive are joined first."""
    join_parts(result)
    missing = [name for name in ("codec_joint.pt", "talker.pt", "tokenizer") if not (result / name).exists()]
    if missing:
        raise SystemExit(f"{result} lacks {', '.join(missing)}: unpack what the last calls brought back there")
    return result


def made(options, result):
    """EXPORT and the two faces as they would be shipped."""
    out = options.out
    if not (out / "export-base").exists():
        both = ["--out", out / "export", "--base-out", out / "export-base"]
        run("export.py", "--checkpoints", result, "--tokenizer", result / "tokenizer", *both)
    for source, name, more in (("export", "tiny", ["--drop-encoder"]), ("export-base", "tiny-base", [])):
        if not (out / name).exists():
            run("-m", "mlx_tts", "convert", out / source, out / name, *CONVERSION, *more)


def speed(model, sentences):
    """Seconds of work for a second of speech, preset voices in turn."""
    voices = model.voices
    model.speak("Once to warm up.", voice=voices[0], language="english", seed=0)
    begin, seconds = time.time(), 0.0
    for number, text in enumerate(sentences):
        voice = voices[number % len(voices)]
        seconds += model.speak(text, voice=voice, language="english", seed=number).seconds
    return (time.time() - begin) / seconds


def encoding_seconds(model, gate):
    """Of one recording of REFERENCE_SECONDS, with its words known; without loading, and of no recording encoded before."""
    paths = sorted(gate.rglob("*.wav"))
    audio, rate = read_clip(paths[0])
    audio = np.resize(audio, REFERENCE_SECONDS * rate)
    model.voice(audio, rate, "What is said there.")
    begin = time.time()
    model.voice(audio[::-1].copy(), rate, "What is said there.")
    return time.time() - begin


def figures(options):
    import mlx_tts

    out = options.out
    presets = json.loads((out / "presets.json").read_text())["clips"]
    clones = json.loads((out / "clones.json").read_text())
    voices = sorted({clip["speaker"] for clip in presets})
    natural = [np.mean([clip["mos"] for clip in presets if clip["speaker"] == voice]) for voice in voices]

    def of(prompts, groups, name, total=np.mean):
        rows = [
            row
            for key, rows in clones.items()
            if key.split("/")[0] in prompts and key.split("/")[1] in groups
            for row in rows
        ]
        return float(total([row[name] for row in rows])) if rows else float("nan")

    both, synthetic, people = ("vector", "context"), ("synthetic",), ("human", "read")
    sentences = (HERE / "held_out.txt").read_text(encoding="utf-8").splitlines()[:SENTENCES]
    with mlx_tts.load(str(TODAY)) as model:
        today = speed(model, sentences)
    with mlx_tts.load(str(out / "tiny")) as model:
        now = speed(model, sentences)
    with mlx_tts.load(str(out / "tiny-base")) as model:
        encoding = encoding_seconds(model, options.gate)
    words = of(both, (*synthetic, *people), "words", np.sum)
    errors = of(both, (*synthetic, *people), "errors", np.sum)
    values = (
        100 * sum(clip["errors"] for clip in presets) / sum(clip["reference_words"] for clip in presets),
        float(np.mean([clip["mos"] for clip in presets])),
        float(min(natural)),
        of(("vector",), synthetic, "similarity"),
        of(("context",), synthetic, "similarity"),
        of(both, people, "similarity"),
        of(both, people, "nearest"),
        100 * errors / words,
        of(both, (*synthetic, *people), "DistillMOS"),
        now / today,
        encoding,
        # talker and codec are shared: the second face adds nothing but small files
        size_of(out / "tiny-base") / 1e6,
    )
    return dict(zip((entry[0] for entry in LIMITS), values, strict=True))


def reached(value, wanted, kind):
    """A figure that is no number reaches nothing."""
    return value >= wanted if kind == "least" else value <= wanted


def limits_met(values):
    """Figure -> whether its limit is met."""
    return {name: reached(values[name], limit, kind) for name, limit, _, kind in LIMITS}


def limits_table(values):
    """Lines of Markdown."""
    lines = ["| | measured | limit | goal | |", "|---|---|---|---|---|"]
    for name, limit, goal, kind in LIMITS:
        value = values[name]
        verdict = "goal" if reached(value, goal, kind) else "ok" if reached(value, limit, kind) else "MISSED"
        lines.append(f"| {name} | {value:.3f} | {limit} | {goal} | {verdict} |")
    return lines


def report(values):
    """Print the table; whether every limit is met."""
    passed = all(limits_met(values).values())
    print("", *limits_table(values), "", "all limits are met" if passed else "LIMITS MISSED", sep="\n")
    return passed


def main(options):
    result, out = unpacked(options.result.resolve()), options.out.resolve()
    options.out, options.gate = out, options.gate.resolve()
    out.mkdir(parents=True, exist_ok=True)
    made(options, result)
    some = ["--limit", options.limit] if options.limit else []
    speaking = ["--speak-model", out / "tiny", "--wav-dir", out / "presets", "--seeds", 0, *some]
    if not (out / "presets.json").exists():
        run("evaluate.py", *speaking, "--json", out / "presets.json", "--threads", options.threads)
    clones = ["--source", options.gate, "--out", out / "clones"]
    if not (out / "clones.json").exists():
        run("evaluate_clones.py", "speak", "--model", out / "tiny-base", *clones, "--per-group", options.per_group)
        run("evaluate_clones.py", "judge", *clones, "--json", out / "clones.json", "--threads", options.threads)
    values = figures(options)
    (out / "gate.json").write_text(json.dumps(values, indent=1) + "\n")
    return report(values)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    raise SystemExit(0 if main(parse()) else 1)
