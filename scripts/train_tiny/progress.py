"""Print how a running stage of codec or talker stands, one line each time, with the gates that its losses must pass.

python progress.py --run RUN --seconds 560        until RUN/DONE exists or the time is over
python progress.py --run RUN --until 900          the same, until a second of stage_clone.py
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

# (from this step on, value, limit): above the limit the codec is not learning as it should.
GATES = (
    (700, "mel", 2.6),
    (1500, "mel", 2.2),
    (3000, "mel", 1.8),
    (6000, "mel", 1.6),
    (10000, "mel", 1.45),
    (3000, "phone", 2.9),
    (8000, "phone", 2.2),
)
# A stage that goes on with an earlier codec (RUN/out/READY) begins where that one ended.
RESUMED_GATES = (
    (700, "mel", 1.75),
    (2000, "mel", 1.6),
    (5000, "mel", 1.5),
    (9000, "mel", 1.4),
    (12000, "mel", 1.25),
    (3000, "phone", 2.0),
    (8000, "phone", 1.7),
)
# Of the talker, by seconds of its training: what the guided heads miss of the text that is being spoken.
TALKER_GATES = ((90, "guide", 1.0), (180, "guide", 0.6))
TALKER_SHOWN = (
    "seconds",
    "step",
    "steps_per_second",
    "progress",
    "first",
    "rest",
    "guide",
    "identity",
    "apart",
    "norm",
)
LEAST_EXPLAINED, LEAST_PERPLEXITY = 0.5, 100
SHOWN = (
    "step",
    "steps_per_second",
    "phase",
    "progress",
    "mel",
    "phone",
    "explained",
    "correlation",
    "stream_deviation",
    "norm",
    "rollbacks",
)


def last_line(path: Path) -> str:
    if not path.exists():
        return ""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 4000))
        lines = file.read().decode(errors="replace").splitlines()
    return lines[-1] if lines else ""


def failures(row: dict, gates: tuple) -> list[str]:
    step = row.get("step", 0)
    limits = {name: limit for begin, name, limit in gates if step >= begin}
    failed = [f"{name} {row[name]} > {limit}" for name, limit in limits.items() if row.get(name, 0) > limit]
    if row.get("phase") in ("quantised", "adversarial") and step > 1500:
        if row.get("explained", 1) < LEAST_EXPLAINED:
            failed.append(f"explained {row['explained']} < {LEAST_EXPLAINED}")
        if min(row.get("perplexity", [512])) < LEAST_PERPLEXITY:
            failed.append(f"perplexity {min(row['perplexity'])} < {LEAST_PERPLEXITY}")
    return failed


def report_talker(run: Path) -> None:
    lines = (run / "out/talker.jsonl").read_text().splitlines()
    row = json.loads(lines[-1])
    missed = [f"{name} {row[name]} > {limit}" for begin, name, limit in TALKER_GATES if row["seconds"] >= begin]
    missed = [words for words, (_, name, limit) in zip(missed, TALKER_GATES, strict=False) if row[name] > limit]
    told = {name: row[name] for name in (*TALKER_SHOWN, "encoder_norm") if name in row}
    print(json.dumps(told), "GATE FAILED: " + "; ".join(missed) if missed else "gates ok", flush=True)
    held_out = [line for line in lines[-20:] if "held_out" in line]
    if held_out:
        losses = json.loads(held_out[-1])["held_out"]
        print("   held out", {name: value for name, value in losses.items() if "streamed" not in name}, flush=True)


def report_decoder(run: Path) -> None:
    line = last_line(run / "out/codec_decoder.jsonl")
    if line.endswith("}"):
        row = json.loads(line)
        print("   decoder", {name: row[name] for name in SHOWN if name in row}, flush=True)


def report(run: Path) -> None:
    if (run / "out/talker.jsonl").exists():
        report_talker(run)
        report_decoder(run)
        return
    if (run / "out/talker.log").exists():
        print("talker:", last_line(run / "out/talker.log")[:200], flush=True)
    line = last_line(run / "out/codec_joint.jsonl")
    if not line:
        print("codec:", last_line(run / "out/codec_joint.log")[:200], flush=True)
        print("encoder:", last_line(run / "out/warm.log")[:200], flush=True)
    else:
        row = json.loads(line)
        told = {name: row[name] for name in SHOWN if name in row}
        if "perplexity" in row:
            told["perplexity"] = f"{min(row['perplexity'])}-{max(row['perplexity'])}"
        failed = failures(row, RESUMED_GATES if (run / "out/READY").exists() else GATES)
        print(json.dumps(told), "GATE FAILED: " + "; ".join(failed) if failed else "gates ok", flush=True)
    teachers = [last_line(path) for path in sorted((run / "out").glob("teacher_*.log"))]
    hours = [float(line.split(": ")[1].split(" h")[0]) for line in teachers if " h, " in line]
    print(f"   {len(teachers)} teachers, {sum(hours):.1f} hours; {teachers[0][:160] if teachers else ''}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=0, help="how long to go on")
    parser.add_argument("--until", type=float, help="second of the stage that is the end of it")
    parser.add_argument("--every", type=float, default=20)
    options = parser.parse_args()
    pace = float(os.environ.get("PACE", 1))  # a rehearsal's
    end = time.time() + pace * options.seconds
    if options.until is not None:
        end = float((options.run / "BEGIN").read_text()) + pace * options.until
    while True:
        report(options.run)
        left = end - time.time()
        if left <= 0 or (options.run / "DONE").exists():
            break
        time.sleep(min(options.every, left))
    done = options.run / "DONE"
    print("DONE " + done.read_text().strip() if done.exists() else "still running", flush=True)
