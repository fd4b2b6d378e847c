"""Everything that a user does with the built-in pair, on a machine without network or settings: what fails is named.

    python walk_box.py [--words 0.3] [--skip-tests]

The commands are those of README and docs. --words is the share of the words that may be heard wrongly, where the
recogniser's packages are installed (1: weights that speak noise). Then the tests of the pair, page and server among them.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
SAID = "Did you hear the rain last night? By morning the whole garden was shining."
TEXT = "We will meet at the station in the morning."
MOST_WHEEL_BYTES = 48_000_000
# (command of mlx-tts, what its output must hold, the sound that must say TEXT)
COMMANDS = (
    (f'speak "{SAID}" --voice ivy --seed 1 -o hello.wav', "", None),
    (f'clone "{TEXT}" --voice-sample hello.wav --seed 1 -o vector.wav -v', "built-in model tiny-base", "vector.wav"),
    (f'clone "{TEXT}" --voice-sample hello.wav --transcript "{SAID}" --seed 1 -o context.wav', "", "context.wav"),
    ("clone --voice-sample hello.wav --save-voice kept.safetensors", "saved the voice", None),
    (f'speak "{TEXT}" --voice kept.safetensors --seed 1 -o file.wav', "", "file.wav"),
    (f'voice make me --sample hello.wav --transcript "{SAID}"', "kept the voice me", None),
    (f'speak "{TEXT}" --voice me --seed 1 -o named.wav', "", "named.wav"),
    ("voice show me", "tiny-base", None),
    ("voice list --details", "\nme ", None),
    ("models", "\ntiny-base ", None),
    ("models show tiny-base", "clones", None),
    ("models path tiny-base", "builtin/tiny-base", None),
    ("doctor --model tiny-base", "tiny-base", None),
    ("bench --model tiny-base --frames 50 --runs 1", "| tiny-base |", None),
    ("convert tiny small --bits 4", "", None),
    ("convert tiny-base small-base --bits 4", "", None),
    (f'speak "{TEXT}" --model ./small --voice ivy --seed 1 -o small.wav', "", "small.wav"),
    (f'clone "{TEXT}" --model ./small-base --voice-sample hello.wav --seed 1 -o small_vector.wav', "", "small_vector.wav"),
    (f'speak "{TEXT}" --voice me --model ./small-base --seed 1 -o small_named.wav', "", "small_named.wav"),
)  # fmt: skip


class Walk:
    def __init__(self, desk: Path, wrong: float):
        self.desk, self.wrong, self.failed = desk, wrong, []
        home = {"MLX_TTS_HOME": str(desk / "home"), "HF_HOME": str(desk / "hub"), "HOME": str(desk)}
        self.environment = os.environ | home | {"PYTHONPATH": str(ROOT)}
        self.alone = ["unshare", "-n"] if os.geteuid() == 0 and shutil.which("unshare") else []
        if not self.alone:
            print("NOT CHECKED without a network: only root may cut it off; HF_HUB_OFFLINE stands in for it")
            self.environment["HF_HUB_OFFLINE"] = "1"

    def say(self, name: str, fault: str, seconds: float) -> None:
        print(f"{'FAILED' if fault else 'ok':7} {seconds:6.1f} s  {name}{f': {fault}' if fault else ''}", flush=True)
        self.failed += [name] if fault else []

    def run(self, line: str, holds: str, sound: str | None) -> None:
        begin = time.monotonic()
        command = [*self.alone, sys.executable, "-m", "mlx_tts", *shlex.split(line)]
        done = subprocess.run(command, cwd=self.desk, env=self.environment, capture_output=True, text=True)
        told = f"\n{done.stdout}{done.stderr}"
        fault = ""
        if done.returncode:
            fault = f"exit {done.returncode}: {' '.join(done.stderr.split())[-300:]}"
        elif holds not in told:
            fault = f"{holds.strip()!r} is not in what it says: {told.strip()[-300:]!r}"
        elif sound is not None:
            fault = self.misheard(self.desk / sound)
        self.say(line, fault, time.monotonic() - begin)

    def misheard(self, path: Path) -> str:
        from judges import JUDGE_RATE, MissingJudge, load_judge
        from spoken import word_errors, words

        from mlx_tts.audio.files import read_audio

        try:
            heard = load_judge("words")(read_audio(path, JUDGE_RATE))
        except MissingJudge as error:
            print(f"NOT HEARD: {error}")
            return ""
        errors = word_errors(words(TEXT), words(heard))
        return (
            "" if errors <= self.wrong * len(words(TEXT)) else f"{errors} of {len(words(TEXT))} words wrong: {heard!r}"
        )

    def tests(self, *paths: str) -> None:
        begin = time.monotonic()
        command = [sys.executable, "-m", "pytest", "-q", "-rs", *paths]
        done = subprocess.run(
            command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
        )
        print(done.stdout[-3000:])
        self.say(
            " ".join(paths), f"pytest ended with {done.returncode}" if done.returncode else "", time.monotonic() - begin
        )

    def wheel(self) -> None:
        begin = time.monotonic()
        command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(self.desk), str(ROOT)]
        done = subprocess.run(command, capture_output=True, text=True)
        fault = done.stderr[-300:] if done.returncode else ""
        for path in self.desk.glob("*.whl"):
            size = path.stat().st_size
            print(f"{path.name}: {size / 1e6:.1f} MB")
            names = zipfile.ZipFile(path).namelist()
            fault = fault or ("" if size <= MOST_WHEEL_BYTES else "too large")
            fault = fault or ("" if "mlx_tts/builtin/tiny-base/model-own.safetensors" in names else "without tiny-base")
        self.say("the wheel", fault, time.monotonic() - begin)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=float, default=0.3, help="share of the words that may be heard wrongly")
    parser.add_argument("--skip-tests", action="store_true", help="the commands alone")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        walk = Walk(Path(folder), options.words)
        for line, holds, sound in COMMANDS:
            walk.run(line, holds, sound)
        walk.wheel()
    if not options.skip_tests:
        walk.tests("tests/builtin/test_tiny_base.py", "tests/server/test_built_in_cloning.py", "tests/checkpoints")
    print(f"\n{len(walk.failed)} failed" if walk.failed else "\nall went well")
    return 1 if walk.failed else 0


if __name__ == "__main__":
    sys.exit(main())
