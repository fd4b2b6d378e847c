"""Processes of their own: environments, closed streams, signals, kills, full disks, two writers, forks."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.attack.harness import HANG_SECONDS, ROOT, Attack, command

SPEAK = ("speak", "--model", "tiny", "--seed", "3", "-q")
TEXT = "One two. Four five. Six."
ENDINGS = ("wav", "flac", "mp3", "ogg")


def line(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "mlx_tts", *arguments]


# For attacks that look at files and ends alone: a piece of some frames is as good as a whole one.
SHORT = ("--max-seconds", "0.4")


class Process(Attack):
    traced = False
    slow = 12 * HANG_SECONDS  # several commands on a busy machine

    def run(self, arguments: list[str], **options: object) -> tuple[int, str]:
        done = subprocess.run(
            arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False, **options
        )  # type: ignore[call-overload]
        return done.returncode, done.stderr.decode("utf-8", "replace")


class Environments(Process):
    name, count, quick = "environments", 100, 4
    VALUES = (
        "",
        "0",
        "x",
        "/nowhere",
        "/dev/null",
        "\x1b[2J",
        "é",
        "C",
        "POSIX",
        "-1",
        "~nobody",
        "a" * 5000,
        "ascii",
        "1",
    )
    NAMES = ("HOME", "TMPDIR", "PATH", "LANG", "LC_ALL", "TERM", "COLUMNS", "MLX_TTS_HOME", "HF_HOME",
             "HF_HUB_CACHE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MLX_TTS_KERNELS", "OPENBLAS_NUM_THREADS", "NO_COLOR",
             "MLX_TTS_ATTENTION_KERNEL", "HF_ENDPOINT", "HF_HUB_OFFLINE")  # fmt: skip
    STREAMS = ("", "", "<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full", ">/dev/full")

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        environment = {name: rng.choice(self.VALUES) for name in rng.sample(self.NAMES, rng.randrange(1, 5))}
        if rng.random() < 0.2:
            environment["PYTHONIOENCODING"] = rng.choice(("ascii", "latin-1", "utf-8:strict"))  # Python refuses others
        streams = rng.choice(self.STREAMS)
        speak = line(*SPEAK, "Hi.", "--max-seconds", "0.3", "-o", str(folder / "out.wav"))
        shell = ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *speak]
        kept = {name: value for name, value in os.environ.items() if name not in environment}
        code, error = self.run(shell, env={**kept, **environment})
        fault = self.check(folder, code, error if "2>" not in streams else "mlx-tts: x\n" * (code in (1, 2)))
        if fault is None and code == 0 and not (folder / "out.wav").is_file():
            fault = "exit code 0 and no file"
        return fault and f"{environment} {streams}: {fault}"


def begun(folder: Path, process: subprocess.Popen[bytes], pattern: str = "*.unfinished") -> bool:
    """Wait until the run has written a file of this name; False if it has ended meanwhile, or in a minute has not."""
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        if any(folder.glob(pattern)):
            return True
        time.sleep(0.002)
    return False


class Signals(Process):
    name, count, quick = "signals", 100, 3

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        import soundfile

        out = folder / f"out.{rng.choice(ENDINGS)}"
        process = subprocess.Popen(
            line(*SPEAK, TEXT * 6, "-o", str(out)), cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        )
        begun(folder, process)
        time.sleep(rng.random() * 2)
        for _ in range(rng.choice((1, 1, 2, 3))):
            process.send_signal(rng.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)))
            time.sleep(rng.choice((0, 0.005, 0.02, 0.1)))
        error = process.communicate(timeout=60)[1].decode("utf-8", "replace")
        fault = self.check(folder, process.returncode, error)
        if fault is None and process.returncode not in (0, 130):
            fault = f"exit code {process.returncode}: {error[-200:]}"
        for path in folder.glob("out*"):
            if fault is None and path.is_file() and not soundfile.info(path).frames:
                fault = f"{path.name} is empty"
        return fault


class Writers(Process):
    """Two runs on one output: one has all of it, the other is refused or comes after it. In every second case the first
    is held while it writes, so that the second surely meets it."""

    name, count, quick = "writers", 50, 2

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        out = folder / f"out{rng.choice(('.wav', '.flac'))}"
        commands = [line(*SPEAK, *SHORT, "Two. Six.", "--voice", voice, "-o", str(out)) for voice in ("ivy", "miles")]
        first = self.start(commands[0])
        held = self.number % 2 == 0 and begun(folder, first)
        if held:
            first.send_signal(signal.SIGSTOP)
        else:
            time.sleep(rng.random() * 2)
        second = self.start(commands[1])
        try:
            ends = [self.end(second)]
        finally:
            first.send_signal(signal.SIGCONT)
        ends.insert(0, self.end(first))
        for error, code in ends:
            if fault := self.check(folder, code, error):
                return fault
        codes = [code for _, code in ends]
        if held and (codes != [0, 1] or "is being written by another run" not in ends[1][0]):
            return f"the second was not refused while the first wrote: {ends}"
        if 0 not in codes:
            return f"neither was spoken: {ends}"
        alone = folder / f"alone{out.suffix}"
        for said in (words for words, code in zip(commands, codes, strict=True) if code == 0):
            command(*said[3:-1], str(alone))  # in this process, which has read the package already
            if out.read_bytes() == alone.read_bytes():  # on a busy machine the one that began first may end last
                return None
        return "the file is not what one of them says alone"

    @staticmethod
    def start(arguments: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(arguments, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)

    @staticmethod
    def end(run: subprocess.Popen[bytes]) -> tuple[str, int]:
        return run.communicate(timeout=120)[1].decode(), run.returncode


class Forks(Process):
    name, count, quick = "forks", 5, 1
    CODE = """
import multiprocessing, mlx_tts
tts = mlx_tts.load("tiny")
tts.speak("Hi.", max_frames=2)
def child(_):
    try:
        tts.speak("Hi.", max_frames=2)
    except mlx_tts.MlxTtsError as error:
        return str(error)
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert all("spawn" in said for said in pool.map(child, range(3)))
"""

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        code, error = self.run([sys.executable, "-c", self.CODE])
        return None if code == 0 else error[-300:]


class Kills(Process):
    """kill -9 at any point, then --resume: the same file as without, and nothing hidden. In every second case the kill
    comes as soon as a piece is kept, which the resumed run then takes over."""

    name, count, quick = "kills", 300, 2

    def prepare(self, place: Path) -> None:
        self.place = place

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        import soundfile

        ending, chapters = rng.choice(ENDINGS), rng.random() < 0.3
        (folder / "text.md").write_text("# One\n\nSix.\n\n# Two\n\nTen.\n")
        options = ("--file", str(folder / "text.md"), "--sentence-pause", "0", *SHORT)
        options += ("--chapters",) if chapters else ()
        whole = self.place / f"whole-{chapters}" / f"out.{ending}"
        if not list(whole.parent.glob(f"out*.{ending}")):
            whole.parent.mkdir(exist_ok=True)
            code, error = command(*SPEAK, *options, "-o", str(whole))
            if code:
                return error
        out = folder / whole.name
        process = subprocess.Popen(
            line(*SPEAK, *options, "-o", str(out)), cwd=ROOT, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        kept = self.number % 2 == 0 and begun(folder, process, f"{out.name}.pieces/[0-9]*.flac")
        if not kept:
            begun(folder, process)
            time.sleep(rng.random() ** 2)  # about as long as the run goes on
        process.kill()
        process.wait()
        self.figures["pieces that were kept"] = len(list(folder.glob("*.pieces/[0-9]*.flac")))
        for path in folder.glob(f"out*.{ending}"):
            if not soundfile.info(path).frames:
                return f"{path.name} has its name and no sound"
        code, error = self.run(line(*SPEAK, *options, "--resume", "-o", str(out)))
        if fault := self.check(folder, code, error):
            return fault
        for path in sorted(whole.parent.glob(f"out*.{ending}")):
            mine, theirs = soundfile.read(folder / path.name)[0], soundfile.read(path)[0]
            if len(mine) != len(theirs) or (mine != theirs).any():
                return f"{path.name} differs from that of a run that was not killed"
        return "pieces are left" if (folder / f"{out.name}.pieces").exists() else None


class Disks(Process):
    """A limit on the size of files: what is under its name is whole."""

    name, count, quick = "disks", 400, 3

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        import soundfile

        ending = rng.choice((*ENDINGS, "opus"))
        most = int(10 ** rng.uniform(0, 5.3))

        def limit() -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        text = TEXT if rng.random() < 0.5 else "One."
        arguments = line(*SPEAK, text, "--sentence-pause", "0", "-o", str(folder / f"out.{ending}"))
        code, error = self.run(arguments, preexec_fn=limit)
        fault = self.check(folder, code, error)
        for path in folder.rglob(f"*.{ending}"):
            if fault is None and (
                not soundfile.info(path).frames or len(soundfile.read(path)[0]) != soundfile.info(path).frames
            ):
                fault = f"{path.name} is not whole"
        return fault
