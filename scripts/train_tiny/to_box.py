"""From the talker that own_takes.py sent back to files that can ship, one step after the other, each of them once.

    python to_box.py --result RESULT --work WORK --cache KOKORO --voices VOICES [--gate GATE] [--quick]

RESULT has talker.pt and tokenizer/, or the parts weights.tar.* with them. WORK gets the pair (`tiny`, `tiny-base`), what
was judged, the test data of the tests (`golden/`), clips of names (`readings/`), the guard's figures and `steps.json`,
which tells how long each step took: what stands there is not done again. Nothing of the package is changed: box.py does
that, when the figures are good. --quick: a few clips of each kind, to try the way. Needs the packages of all judges.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import gate
from dequantise import laid_out  # noqa: F401 (torch is there: said before an hour's work)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILT_IN = ROOT / "mlx_tts" / "builtin"
HELLO = "Hello, this is a sentence that a voice is cloned from."
READERS = ("miles", "hazel")  # of names
LISTS = ("blind_names", "rare_words", "heteronyms")


class ToBox:
    def __init__(self, options: argparse.Namespace):
        self.options, self.result, self.work = options, options.result.resolve(), options.work.resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self._done_path = self.work / "steps.json"
        self.done: dict[str, float] = json.loads(self._done_path.read_text()) if self._done_path.exists() else {}

    def step(self, work: Callable[[], None]) -> None:
        name = work.__name__
        if name in self.done:
            print(f"= {name}: done before, {self.done[name]:.0f} s", flush=True)
            return
        begin = time.monotonic()
        print(f"= {name}", flush=True)
        work()
        self.done[name] = round(time.monotonic() - begin, 1)
        self._done_path.write_text(json.dumps(self.done, indent=1) + "\n")
        print(f"= {name}: {self.done[name]:.0f} s", flush=True)

    def all(self) -> None:
        steps = (
            self.codec,
            self.pair,
            self.test_data,
            self.presets,
            self.times,
            self.readings,
            self.guard,
            self.clones,
        )
        for work in steps:
            self.step(work)

    def codec(self) -> None:
        """The shipped codec with both halves: the run got it without its encoder."""
        gate.run(
            "from_shipped.py",
            "--base",
            BUILT_IN / "tiny-base",
            "--tokenizer",
            self._tokenizer(),
            "--out",
            self.work / "shipped",
        )
        shutil.copy(self.work / "shipped" / "codec_joint.pt", self.result)

    def _tokenizer(self) -> Path:
        gate.join_parts(self.result)
        return self.result / "tokenizer"

    def pair(self) -> None:
        """`tiny` and `tiny-base`, with the shipped codec to the bit and the guard's limits of the shipped pair."""
        self.options.out = self.work
        gate.made(self.options, gate.unpacked(self.result))
        gate.run("kept_codec.py", "--judged", self.work)
        for name in ("tiny", "tiny-base"):
            path, shipped = self.work / name / "config.json", json.loads((BUILT_IN / name / "config.json").read_text())
            config = json.loads(path.read_text())
            config["alignment"] |= {"limits": shipped["alignment"]["limits"]}
            if name == "tiny-base" and "phones" not in shipped:
                config.pop("phones", None)
            path.write_text(json.dumps(config, indent=1) + "\n")

    def test_data(self) -> None:
        """What the official code says with the shipped weights: of the presets and of clones."""
        plain, golden, hello = self.work / "plain", self.work / "golden", self.work / "hello.wav"
        golden.mkdir(exist_ok=True)
        hello.unlink(missing_ok=True)
        for name, export in (("tiny", "export"), ("tiny-base", "export-base")):
            shutil.rmtree(plain / name, ignore_errors=True)
            gate.run(
                "dequantise.py",
                "--model",
                self.work / name,
                "--encoder-from",
                self.work / export,
                "--out",
                plain / name,
            )
        self._mlx_tts("speak", HELLO, "--model", self.work / "tiny", "--voice", "ivy", "--seed", 1, "-o", hello)
        gate.run(
            *("check_official.py", "--export", plain / "tiny", "--base", plain / "tiny-base", "--dequantised"),
            *("--reference", hello, "--reference-text", HELLO, "--checkpoints", self.result, "--preset", "clone"),
            *("--golden", golden / "tiny_golden.npz", "--golden-clones", golden / "tiny_base_golden.npz"),
        )  # fmt: skip

    def presets(self) -> None:
        some = ["--limit", 2] if self.options.quick else []
        speaking = ["--speak-model", self.work / "tiny", "--wav-dir", self.work / "presets", "--seeds", 0, *some]
        gate.run("evaluate.py", *speaking, "--json", self.work / "presets.json", "--threads", 2)

    def times(self) -> None:
        teacher = ["--cache", self.options.cache, "--voices", self.options.voices]
        some = ["--sentences", 6] if self.options.quick else []
        gate.run("word_times.py", *teacher, "--model", self.work / "tiny", "--judged", self.work, *some)

    def readings(self) -> None:
        """Names, rare words and words of several readings, as written and with their IPA: clips for a judge."""
        place = self.work / "readings"
        place.mkdir(exist_ok=True)
        for name in LISTS:
            for ending, more in (("", []), ("-ipa", ["--ipa"])):
                table = place / f"{name}{ending}.jsonl"
                chapters = ["--chapters"] if name == "blind_names" else []
                gate.run("judged_table.py", HERE / "judged" / f"{name}.txt", "--out", table, *more, *chapters)
                if self.options.quick:
                    table.write_text("".join(table.read_text().splitlines(keepends=True)[:4]))
                for voice in READERS:
                    out = place / f"{name}{ending}-{voice}"
                    self._mlx_tts(
                        "batch", table, "-o", out, "--model", self.work / "tiny", "--voice", voice, "--seed", 1
                    )

    def guard(self) -> None:
        """What good takes keep to: `alignment.limits` should be a little wider than one good take in 500."""
        takes, many = self.work / "takes", 20 if self.options.quick else 300
        for what, more in (("make", ["--good", many]), ("limits", [])):
            gate.run(HERE.parent / "planted_takes.py", what, "--model", self.work / "tiny", "--folder", takes, *more)

    def clones(self) -> None:
        """The table of limits; clones are judged where there are speakers to clone."""
        if self.options.gate is None:
            print("NOT JUDGED: clones and the table of limits, for --gate is not given", flush=True)
            return
        some = ["--limit", 2, "--per-group", 1] if self.options.quick else []
        gate.run("gate.py", "--result", self.result, "--gate", self.options.gate, "--out", self.work, *some)

    def _mlx_tts(self, *words: object) -> None:
        gate.run("-m", "mlx_tts", *words)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--result", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True, help="Kokoro's weights, for the times of words")
    parser.add_argument("--voices", type=Path, required=True, help="its voice styles")
    parser.add_argument("--gate", type=Path, help="of gate_codec.py: speakers to clone")
    parser.add_argument("--quick", action="store_true")
    sys.path.insert(0, str(ROOT))
    ToBox(parser.parse_args()).all()
