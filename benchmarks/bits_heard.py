"""What fewer bits do to speech: word errors, naturalness, likeness, KL and bytes of the built-in voices, in one table.

python benchmarks/bits_heard.py all OUT --people RECORDINGS             everything, with the processor
python benchmarks/bits_heard.py all OUT --device gpu --seconds 150      speaks with the GPU, and judges with it
python benchmarks/bits_heard.py all OUT --device gpu --fewer --rounds 6 --seconds 300   two variants, more rounds
python benchmarks/bits_heard.py all OUT --device gpu --fewer --kinds tiny --judges words --sharing 6 --rounds 24   words
python benchmarks/bits_heard.py all OUT --sentences 1 --rounds 1 --references 1     a few clips, to try it

Steps, each of which may be called alone and goes on where it stopped:

  make    OUT/folders/KIND/VARIANT by `convert` (kinds `tiny` and `tiny-base`), and OUT/plain/...: the same in float32
  speak   OUT/clips/KIND/VARIANT/ROUND/VOICE--LINE.wav: each round says all held-out sentences in each voice with one
          seed more; a clone says eight sentences by the vector and eight in context. No round begins after --seconds.
  kl      teacher-forced, on takes of which no recipe knew
  judge   Whisper, DistillMOS and Resemblyzer; what a package is missing for is said, never guessed. OUT/judged.json is
          written every ten seconds. First come FIRST_ROUNDS rounds of the variants in MATTER_MOST, then the others;
          no clip is begun after --judge-seconds
  table   the result, of the rounds that every variant of a kind has spoken whole, as far as they are judged

All variants speak from float32 weights, so that nothing but the rounding of the weights differs. Sentences are read as
`speak` reads them: numbers in words, hard words as phones. `--people` is a folder
of WAV files to clone; NAME.txt next to NAME.wav has its words. The other voices to clone are the built-in ones, as they
are and played faster and slower.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import CancelledError, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts" / "train_tiny")]

HELD_OUT = (ROOT / "scripts" / "train_tiny" / "held_out.txt").read_text(encoding="utf-8").splitlines()
KINDS = ("tiny", "tiny-base")
JUDGES = ("words", "naturalness", "voice")
SHIPPED = "8 bits, as shipped"
PLAIN_4 = "4 bits, mx.quantize"
# Name -> what `convert` is given; None: the folder in the package.
VARIANTS: dict[str, dict[str, Any] | None] = {
    SHIPPED: None,
    "4 bits, recipe": {"bits": 4},
    "4 bits, uniform": {"bits": 4, "recipe": "uniform"},
    PLAIN_4: {"bits": 4, "recipe": "uniform"},
    "5 bits, uniform": {"bits": 5},
    "6 bits, uniform": {"bits": 6},
}
MATTER_MOST = (SHIPPED, "4 bits, recipe")  # judged first, and alone with --fewer
FIRST_ROUNDS = 2
VOICES = ("hazel", "miles", "ivy", "rowan")
PACES = {"": 1.0, "-high": 1.12, "-low": 0.9}  # a reference played faster or slower is another person
CLONED_LINES = 8  # sentences of a reference and prompt
KL_SEED = 10_000  # of takes that the recipe has not measured
RESAMPLES = 2000  # of the bootstrap
MOST_SECONDS = 15.0
KEPT_EVERY = 10.0  # seconds between two writings of what was judged
GPU_GB = 64.0  # that the speaking processes share; the rest is for the CUDA contexts and libraries of each


def folder_name(variant: str) -> str:
    return variant.replace(", ", "-").replace(" ", "-").replace(".", "-")


def folders(out: Path, kind: str, variant: str) -> tuple[Path, Path]:
    """The folder that a user would have, and the same in float32."""
    name = folder_name(variant)
    made = ROOT / "mlx_tts" / "builtin" / kind if VARIANTS[variant] is None else out / "folders" / kind / name
    return made, out / "plain" / kind / name


# make


def make(options: argparse.Namespace, kind: str, variant: str) -> None:
    from mlx_tts.runtime import blas

    blas.preload()
    import mlx.core as mx

    from mlx_tts.checkpoints import quantising
    from mlx_tts.models import convert_options, families

    mx.set_default_device(mx.cpu)
    convert_options.BITS = (4, 5, 6, 8)  # the command does not offer 5 bits
    if variant == PLAIN_4:
        quantising.quantise = lambda weight, bits, group, dtype: mx.quantize(weight, group, bits)
    given, (made, plain) = VARIANTS[variant], folders(options.out, kind, variant)
    log = lambda text: print(f"{kind}, {variant}: {text}", flush=True)  # noqa: E731
    for target, source, chosen in ((made, ROOT / "mlx_tts" / "builtin" / kind, given), (plain, made, {})):
        if chosen is None or target.exists():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        wanted = convert_options.ConvertOptions(**chosen, **({} if chosen else {"dtype": "float32"}))
        found = families.convert(families.open_checkpoint(source), target, wanted, log)
        log(found or f"wrote {target}")


# speak


@dataclass(frozen=True)
class Clip:
    name: str
    line: int
    voice: str  # a preset's name, or the reference and how it is used
    path: Path


def wanted(options: argparse.Namespace, kind: str, variant: str, number: int) -> list[Clip]:
    """What a round says."""
    place = options.out / "clips" / kind / folder_name(variant) / str(number)
    if kind == "tiny":
        asked = [(voice, line) for voice in VOICES for line in range(min(options.sentences, len(HELD_OUT)))]
    else:
        asked = [
            (f"{name}.{prompt}", (11 * at + step + 5 * number) % len(HELD_OUT))
            for at, (name, (_, words)) in enumerate(references(options).items())
            for prompt in ("vector", "context")
            if words or prompt == "vector"
            for step in range(min(options.sentences, CLONED_LINES))
        ]
    return [Clip(f"{voice}--{line:03d}", line, voice, place / f"{voice}--{line:03d}.wav") for voice, line in asked]


def references(options: argparse.Namespace) -> dict[str, tuple[Path, str | None]]:
    """Name -> recording and its words."""
    place = options.out / "references"
    found = {}
    for path in [*sorted(place.glob("*.wav")), *(sorted(options.people.glob("*.wav")) if options.people else [])]:
        words = path.with_suffix(".txt")
        found[path.stem.replace(".", "_")] = path, words.read_text(encoding="utf-8").strip() if words.exists() else None
    return dict(list(found.items())[: options.references])


def make_references(options: argparse.Namespace) -> None:
    """The built-in voices say a sentence each; faster and slower they are eight more people."""
    import soundfile
    import soxr

    import mlx_tts

    place = options.out / "references"
    if place.exists():
        return
    set_device("cpu")
    place.mkdir(parents=True)
    said = "The harbour was quiet when the first boats came home, and nobody on the shore said a word."
    with mlx_tts.load(str(ROOT / "mlx_tts" / "builtin" / "tiny")) as model:
        for voice in VOICES:
            chunk = model.speak(mlx_tts.SpeechRequest(said, voice=voice, seed=1))
            for ending, pace in PACES.items():
                samples = soxr.resample(chunk.samples, chunk.sample_rate * pace, chunk.sample_rate)
                soundfile.write(place / f"{voice}{ending}.wav", samples, chunk.sample_rate)
                (place / f"{voice}{ending}.txt").write_text(said + "\n")


def set_device(name: str) -> None:
    from mlx_tts.runtime import blas

    blas.preload()
    import mlx.core as mx

    mx.set_default_device(getattr(mx, name))


def share_gpu(processes: int) -> None:
    """MLX's cache may take nearly the whole GPU; several processes each get their part of it."""
    import mlx.core as mx

    share = int(GPU_GB * 1e9 / max(1, processes))
    mx.set_memory_limit(share)
    mx.set_cache_limit(share // 4)


def speak(options: argparse.Namespace, kind: str, variant: str) -> None:
    """Rounds, until the time is over: none is left half spoken but by the end of the process."""
    set_device(options.device)
    if options.device == "gpu":
        share_gpu(min(options.processes, len(options.kinds) * len(VARIANTS) * options.sharing))
    import soundfile

    import mlx_tts
    from mlx_tts.narration.plan import reading_for

    with mlx_tts.load(str(folders(options.out, kind, variant)[1])) as model:
        reading, voices = reading_for(model.info, normalise="auto"), dict[str, Any]()
        if kind == "tiny-base":
            for name, (path, words) in references(options).items():
                samples, rate = soundfile.read(path, dtype="float32")
                voices[f"{name}.vector"] = model.voice(samples, rate)
                if words:
                    voices[f"{name}.context"] = model.voice(samples, rate, words)
        for number in range(options.share, options.rounds, options.sharing):
            if time.time() > options.until:
                break
            began = time.perf_counter()
            clips = [clip for clip in wanted(options, kind, variant, number) if not clip.path.exists()]
            asked = (
                (
                    at,
                    mlx_tts.SpeechRequest(
                        reading.spoken(HELD_OUT[clip.line], "english", voice=clip.voice if kind == "tiny" else None),
                        voice=voices.get(clip.voice, clip.voice),
                        seed=number,
                        language="english",
                    ),
                )
                for at, clip in enumerate(clips)
            )
            seconds, parts = 0.0, dict[int, list[np.ndarray]]()
            for at, chunk in model.stream_many(asked, rows=options.rows):
                parts.setdefault(at, []).append(chunk.samples)
                if chunk.report is None:
                    continue
                samples = np.concatenate(parts.pop(at))
                clips[at].path.parent.mkdir(parents=True, exist_ok=True)
                written = clips[at].path.with_suffix(".part")
                soundfile.write(written, samples, chunk.sample_rate, format="WAV")
                written.rename(clips[at].path)
                seconds += len(samples) / chunk.sample_rate
            took = time.perf_counter() - began
            print(f"{kind}, {variant}, round {number}: {len(clips)} clips, {seconds:.0f} s in {took:.0f} s", flush=True)


# kl


def kl(options: argparse.Namespace, kind: str) -> None:
    """{variant: {output: [KL, agreement]}} in OUT/kl-KIND.json."""
    from mlx_tts.runtime import blas

    blas.preload()
    import mlx.core as mx

    from mlx_tts.checkpoints.recipe import mean_divergence
    from mlx_tts.checkpoints.work import ConversionWork
    from mlx_tts.models import families
    from mlx_tts.models.convert_options import ConvertOptions
    from mlx_tts.models.qwen3_tts import recipe
    from mlx_tts.models.recipes import speech
    from mlx_tts.models.recipes.measuring import MeasuredNetwork

    mx.set_default_device(mx.cpu)
    speech.MOST_FRAMES = min(speech.MOST_FRAMES, 40 * options.sentences)
    checkpoints: dict[str, Any] = {
        name: families.open_checkpoint(folders(options.out, kind, name)[0]) for name in VARIANTS
    }
    log = lambda text: print(f"{kind}: {text}", flush=True)  # noqa: E731
    shipped = checkpoints[SHIPPED]
    sentences = speech.spoken_sentences(recipe, shipped, ConversionWork(log), 0.0, first_seed=KL_SEED)
    network = MeasuredNetwork(recipe, shipped, sentences, ConvertOptions(bits=4), 64)
    found: dict[str, dict[str, list[float]]] = {}
    for name, checkpoint in checkpoints.items():
        layers = dict(recipe.plain_network(checkpoint, log).named_modules())
        with network.replaced((path, layers[path].weight) for path in network.layers):
            for output in recipe.OUTPUTS:
                mine, others = network.reference[output], network.read(output)
                same = [(one.argmax(-1) == other.argmax(-1)).flatten() for one, other in zip(mine, others, strict=True)]
                agreement = mx.concatenate(same).astype(mx.float32).mean().item()
                found.setdefault(name, {})[output] = [mean_divergence(mine, others), agreement]
        log(f"{name}: {found[name]}")
    (options.out / f"kl-{kind}.json").write_text(json.dumps(found, indent=1) + "\n")


# judge


def whole_rounds(options: argparse.Namespace, kind: str) -> list[int]:
    return [
        number
        for number in range(options.rounds)
        if all(clip.path.exists() for variant in VARIANTS for clip in wanted(options, kind, variant, number))
    ]


def all_clips(options: argparse.Namespace) -> list[tuple[str, Clip]]:
    """Kind and clip, those first that answer the question alone."""
    found = []
    for kind in options.kinds:
        for number in whole_rounds(options, kind):
            for variant in VARIANTS:
                later = variant not in MATTER_MOST or number >= FIRST_ROUNDS
                found += [((later, number), kind, clip) for clip in wanted(options, kind, variant, number)]
    return [(kind, clip) for _, kind, clip in sorted(found, key=lambda each: each[0])]


@cache
def judge_of(kind: str, device: str) -> Any:
    from judges import load_judge

    return load_judge(kind, 1, device)


def judge_clip(task: tuple[str, str, Path, str | None, Path | None]) -> tuple[str, dict[str, Any]]:
    """What one judge says of a clip. reference: the recording that it clones."""
    from clip_files import read_clip
    from judges import resample
    from spoken import word_errors, words

    judge, device, path, text, reference = task
    audio = resample(*read_clip(path))
    if judge == "words":
        assert text is not None
        heard = judge_of(judge, device)(audio)
        return str(path), {"words": len(words(text)), "errors": word_errors(words(text), words(heard)), "heard": heard}
    if judge == "naturalness":
        return str(path), {"mos": judge_of(judge, device)(audio), "seconds": len(audio) / 16000}
    assert reference is not None
    return str(path), {"similarity": float(judge_of(judge, device)(audio) @ voice_of(reference, device))}


@cache
def voice_of(path: Path, device: str) -> np.ndarray:
    from clip_files import read_clip
    from judges import resample

    return judge_of("voice", device)(resample(*read_clip(path)))  # type: ignore[no-any-return]


def judge_tasks(
    options: argparse.Namespace, judged: dict[str, dict[str, Any]], device: str
) -> dict[str, list[tuple[str, str, Path, str | None, Path | None]]]:
    """What is left for each judge."""
    people = references(options)
    tasks: dict[str, list[tuple[str, str, Path, str | None, Path | None]]] = {}
    for kind, clip in all_clips(options):
        reference = people[clip.voice.rpartition(".")[0]][0] if kind == "tiny-base" else None
        done = judged.get(str(clip.path), {})
        for name, key in (("words", "errors"), ("naturalness", "mos"), ("voice", "similarity")):
            if name in options.judges and key not in done and (name != "voice" or reference):
                tasks.setdefault(name, []).append((name, device, clip.path, HELD_OUT[clip.line], reference))
    return tasks


def judge(options: argparse.Namespace) -> None:
    """OUT/judged.json: path of a clip -> what was heard. Judges whose packages are missing are named."""
    from judges import MissingJudge

    place = options.out / "judged.json"
    judged: dict[str, dict[str, Any]] = json.loads(place.read_text()) if place.exists() else {}
    device = "cuda" if options.device == "gpu" else "cpu"
    tasks = judge_tasks(options, judged, device)
    # Few processes share a GPU; the recogniser takes a core each.
    many = {"words": options.processes, "naturalness": 3 if device == "cuda" else options.processes, "voice": 1}
    context = multiprocessing.get_context("spawn")
    pools = {name: ProcessPoolExecutor(many[name], mp_context=context) for name in tasks}
    waiting = {pools[name].submit(judge_clip, task): name for name, own in tasks.items() for task in own}
    began, count, missing = time.perf_counter(), Counter[str](), set[str]()

    def keep() -> None:
        written = place.with_suffix(".part")
        written.write_text(json.dumps(judged, ensure_ascii=False) + "\n")
        written.replace(place)
        told = ", ".join(f"{count[name]} of {len(own)} for {name}" for name, own in tasks.items())
        print(f"judged {told}: {time.perf_counter() - began:.0f} s", flush=True)

    while waiting and time.perf_counter() - began < options.judge_seconds:
        for future in wait(waiting, KEPT_EVERY).done:
            name = waiting.pop(future)
            try:
                path, found = future.result()
            except CancelledError:
                continue
            except (MissingJudge, ImportError, BrokenProcessPool) as error:
                if name not in missing:
                    print(f"\n*** NOT MEASURED: {name}: {error} ***\n", file=sys.stderr, flush=True)
                    pools[name].shutdown(wait=False, cancel_futures=True)
                missing.add(name)
                continue
            count[name] += 1
            judged.setdefault(path, {}).update(found)
        keep()
    for pool in pools.values():
        pool.shutdown(wait=False, cancel_futures=True)
    keep()


# table


def table(options: argparse.Namespace) -> str:
    place = options.out / "judged.json"
    judged = json.loads(place.read_text()) if place.exists() else {}
    text = []
    for kind in options.kinds:
        rounds = whole_rounds(options, kind)
        if not rounds or not wanted(options, kind, SHIPPED, 0):
            text += [f"\n{kind}: no round was spoken whole"]
            continue
        forced = options.out / f"kl-{kind}.json"
        divergences = json.loads(forced.read_text()) if forced.exists() else {}
        many = len(rounds) * len(wanted(options, kind, SHIPPED, 0))
        text += [
            f"\n{kind}: {many} clips of each, {len(rounds)} rounds; `heard` of them were judged. In brackets: less"
        ]
        text += [f"those of {SHIPPED}, with 95 % of the bootstrap over sentences.", ""]
        head = ["", "MB", "heard", "word errors %", "DistillMOS", "similarity", "length", "runaways"]
        head += ["KL first code", "agreement %", "KL predictor", "agreement %"]
        text += [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
        shipped = rows_of(options, kind, SHIPPED, rounds, judged)
        for variant in VARIANTS:
            rows = shipped if variant == SHIPPED else rows_of(options, kind, variant, rounds, judged)
            size = folders(options.out, kind, variant)[0] / "model.safetensors"
            cells = [variant, f"{size.stat().st_size / 1e6:.1f}" if size.exists() else "parts"]
            cells += [str(sum("errors" in row for row in rows))]
            cells += [
                compared(rows, shipped, *spec) for spec in (("errors", 100, 2), ("mos", 1, 3), ("similarity", 1, 4))
            ]
            seconds = np.array([[a["seconds"], b["seconds"]] for a, b in zip(rows, shipped, strict=True)])
            seconds = seconds[np.isfinite(seconds).all(1)].sum(0)
            cells += [
                f"{seconds[0] / seconds[1]:.3f}" if seconds[1] else "not measured",
                str(sum(row["seconds"] > MOST_SECONDS for row in rows)),
            ]
            for output in ("KL of the first code", "KL of the code predictor"):
                found = divergences.get(variant, {}).get(output)
                cells += [f"{found[0]:.4f}", f"{100 * found[1]:.1f}"] if found else ["not measured"] * 2
            text.append(f"| {' | '.join(cells)} |")
    return "\n".join(text)


def rows_of(
    options: argparse.Namespace, kind: str, variant: str, rounds: list[int], judged: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    clips = [clip for number in rounds for clip in wanted(options, kind, variant, number)]
    missing = {"seconds": float("nan")}
    return [{**missing, "line": clip.line, **judged.get(str(clip.path), {})} for clip in clips]


def compared(rows: list[dict[str, Any]], shipped: list[dict[str, Any]], key: str, scale: float, digits: int) -> str:
    """The figure, and how far it is from that of the shipped weights. Word errors are a share of all words."""
    pairs = [(a, b) for a, b in zip(rows, shipped, strict=True) if key in a and key in b]
    if not pairs:
        return "not measured"
    weights = np.array([a["words"] if key == "errors" else 1.0 for a, _ in pairs])
    mine, theirs = (np.array([pair[at][key] for pair in pairs], float) for at in (0, 1))
    lines = np.array([a["line"] for a, _ in pairs])
    per_line = np.array(
        [[values[lines == line].sum() for line in np.unique(lines)] for values in (mine, theirs, weights)]
    )
    drawn = np.random.default_rng(0).integers(per_line.shape[1], size=(RESAMPLES, per_line.shape[1]))
    sums = per_line[:, drawn].sum(-1)
    low, high = np.percentile(scale * (sums[0] - sums[1]) / sums[2], [2.5, 97.5])
    value, other = (scale * values.sum() / weights.sum() for values in (mine, theirs))
    if rows is shipped:
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} ({value - other:+.{digits}f}; {low:+.{digits}f} to {high:+.{digits}f})"


# all


def chosen(options: argparse.Namespace) -> list[str]:
    """What narrows the work, for a step of its own."""
    return [*(["--fewer"] if options.fewer else []), "--kinds", *options.kinds, "--judges", *options.judges]


def started(options: argparse.Namespace, step: str, *more: str, **environment: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__, step, str(options.out), *more]
    for name in ("device", "rows", "rounds", "sentences", "references", "until", "people", "processes", "sharing"):
        if getattr(options, name) is not None:
            command += [f"--{name}", str(getattr(options, name))]
    command += chosen(options)
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MLX_TTS_KERNELS": "0", "MLX_ENABLE_TF32": "0"}
    return subprocess.Popen(command, env={**one, **os.environ, **environment})


def run_side_by_side(options: argparse.Namespace, jobs: list[tuple[str, ...]]) -> None:
    """At most `options.processes` at a time; the first ones are the longest."""
    waiting, again = list(jobs), set[tuple[str, ...]]()
    running: list[tuple[tuple[str, ...], subprocess.Popen[bytes]]] = []
    failed, retried = list[tuple[str, ...]](), list[tuple[str, ...]]()
    while waiting or running:
        while waiting and len(running) < options.processes:
            job = waiting.pop(0)
            running.append((job, started(options, *job)))
        time.sleep(0.2)
        for job, process in list(running):
            if process.poll() is not None:
                running.remove((job, process))
                if process.returncode and job not in again:
                    # Every step goes on where it stopped; a GPU that was full may have room now.
                    print(f"{job} failed and is started once more at the end", flush=True)
                    again.add(job)
                    retried.append(job)
                elif process.returncode:
                    failed.append(job)
        if not waiting and not running:
            waiting, retried = retried, []
    if failed:
        raise SystemExit(f"these steps failed (what they say is above): {failed}")


def every_step(options: argparse.Namespace) -> None:
    began = time.time()

    def told(what: str) -> None:
        print(f"=== {what} at {time.time() - began:.0f} s", flush=True)

    options.out.mkdir(parents=True, exist_ok=True)
    pairs = sorted(
        ((kind, variant) for kind in options.kinds for variant in VARIANTS), key=lambda pair: "recipe" not in pair[1]
    )
    run_side_by_side(options, [("references",), *(("make", "--kind", kind, "--variant", name) for kind, name in pairs)])
    told("folders made")
    options.until = time.time() + options.seconds
    jobs = [
        ("speak", "--kind", kind, "--variant", name, "--share", str(share))
        for kind in reversed(options.kinds)
        for share in range(options.sharing)
        for name in VARIANTS
    ]
    run_side_by_side(options, [*jobs, *(("kl", "--kind", kind) for kind in options.kinds if not options.no_kl)])
    told("spoken")
    if options.judge_python:
        command = [options.judge_python, __file__, "judge", str(options.out), "--processes", str(options.processes)]
        for name in ("device", "rounds", "sentences", "references", "people", "judge_seconds"):
            value = getattr(options, name)
            command += [f"--{name.replace('_', '-')}", str(value)] if value is not None else []
        subprocess.run([*command, *chosen(options)], check=True)
    else:
        judge(options)
    told("judged")
    print(table(options), flush=True)
    (options.out / "table.md").write_text(table(options) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["all", "references", "make", "speak", "kl", "judge", "table"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--variant", choices=VARIANTS)
    parser.add_argument(
        "--device", choices=["cpu", "gpu"], default="cpu", help="that speaks; with gpu, judges use it too"
    )
    parser.add_argument("--people", type=Path, help="folder of recordings to clone besides")
    parser.add_argument("--sentences", type=int, default=len(HELD_OUT), help="only the first ones")
    parser.add_argument("--references", type=int, help="only the first ones")
    parser.add_argument("--rounds", type=int, default=1, help="at most")
    parser.add_argument("--rows", type=int, default=8, help="clips of a process side by side")
    parser.add_argument("--seconds", type=float, default=1e9, help="after which no round begins")
    parser.add_argument("--judge-seconds", type=float, default=1e9, help="after which no clip is judged")
    parser.add_argument("--until", type=float, default=float("inf"), help=argparse.SUPPRESS)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--judge-python", help="a Python that has PyTorch, where this one has none")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--judges", nargs="+", choices=JUDGES, default=JUDGES)
    parser.add_argument("--no-kl", action="store_true", help="no divergences")
    parser.add_argument("--sharing", type=int, default=1, help="processes that speak a variant's rounds in turns")
    parser.add_argument("--share", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--fewer", action="store_true", help=f"of the variants only {' and '.join(MATTER_MOST)}")
    options = parser.parse_args()
    for name in set(VARIANTS) - set(MATTER_MOST) if options.fewer else ():
        del VARIANTS[name]
    if options.step == "all":
        every_step(options)
    elif options.step == "references":
        make_references(options)
    elif options.step in ("make", "speak"):
        {"make": make, "speak": speak}[options.step](options, options.kind, options.variant)
    elif options.step == "kl":
        kl(options, options.kind)
    elif options.step == "judge":
        judge(options)
    else:
        print(table(options))


if __name__ == "__main__":
    main()
