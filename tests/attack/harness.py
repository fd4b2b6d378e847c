"""What every attack shares: cases from seeds, a verdict on each, a child process that may die, and what failed kept.

A case is a number. `Attack.attempt` makes its input from a random source that is seeded with it, hands it to the tool, and
says what was wrong, if anything. Attempts run in a child process; one that crashes or hangs is a wrong one.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import resource
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.attack.faults import STRACE, Holding, can_trace, what_was_touched

ROOT = Path(__file__).resolve().parents[2]
HANG_SECONDS = 10.0  # longer is a hang
START_SECONDS = 300.0
PATIENCE = 4.0  # times as long before a child is killed: the machine may be busy, and the clock here is not its own
MOST_BYTES = 2_000_000_000
LONGEST_LINE = 500


class Attack:
    """count: cases of the whole run; quick: of the part that CI runs. slow: seconds that an attempt may take at most.
    number: of the case in work. figures: what was measured in it, of which the largest are kept. traced: whether it
    has no business with sockets, other programs and files outside its folder, so that strace can judge it."""

    name = ""
    number = 0
    count = 0
    quick = 0
    slow = HANG_SECONDS
    traced = True

    def __init__(self) -> None:
        self.figures: dict[str, float] = {}

    def prepare(self, place: Path) -> None:
        """Make in `place` what all cases are made from; once a child process."""

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        """Make the input in the empty `folder`, use it; what was wrong, or None."""
        raise NotImplementedError

    def check(self, folder: Path, code: int, error: str) -> str | None:
        """The verdict on a command that ended with this exit code and this text on standard error."""
        return judge(code, error) or left_over(folder)


def judge(code: int, error: str) -> str | None:
    """What is wrong with how a command ended: it must be 0, or one clear line and 1 or 2."""
    if code < 0:
        return f"it was killed by signal {-code}: {error[-300:]}"
    if code not in (0, 1, 2, 130):
        return f"exit code {code}: {error[-300:]}"
    if "mlx-tts: unexpected " in error or "Traceback" in error:
        return f"unexpected: {error[-300:]}"
    if code in (1, 2) and sum(line.startswith("mlx-tts: ") for line in error.splitlines()) != 1:
        return f"exit code {code} without one line that says why: {error[-300:]!r}"
    for line in error.splitlines():
        if len(line) > LONGEST_LINE or not line.isprintable():
            return f"a line that is too long or not printable: {line[:200]!r}"
    return None


def left_over(folder: Path) -> str | None:
    hidden = [path.name for path in folder.rglob(".*") if path.name.endswith((".unfinished", ".run"))]
    return f"left behind: {', '.join(hidden)}" if hidden else None


def command(*arguments: str) -> tuple[int, str]:
    """The command in this process: exit code and what it said."""
    from mlx_tts.cli import run

    out, error = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="backslashreplace") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        code = run(arguments)
        error.flush()
    return code, error.buffer.getvalue().decode("utf-8", "replace")  # type: ignore[attr-defined]


def source_of(seed: int, name: str, number: int) -> random.Random:
    return random.Random(f"{seed}:{name}:{number}")


@dataclass
class Tally:
    """What came of a run of one attack. faults: of wrong ones, by number."""

    tried: int = 0
    right: int = 0
    faults: dict[int, str] = field(default_factory=dict)
    most_seconds: float = 0.0
    most_bytes: int = 0
    figures: dict[str, float] = field(default_factory=dict)

    @property
    def wrong(self) -> int:
        return self.tried - self.right

    def add(self, other: Tally) -> None:
        """Count another's cases as well. Of two faults with one number, of other seeds, one is kept."""
        self.tried, self.right = self.tried + other.tried, self.right + other.right
        self.faults |= other.faults
        self.most_seconds = max(self.most_seconds, other.most_seconds)
        self.most_bytes = max(self.most_bytes, other.most_bytes)
        for what, value in other.figures.items():
            self.figures[what] = max(value, self.figures.get(what, value))

    def line(self, name: str) -> str:
        return (
            f"| {name} | {self.tried:,} | {self.right:,} | {self.wrong:,} | {self.most_seconds:.1f} s | "
            f"{self.most_bytes / 1e6:.0f} MB |"
        )


HEAD = "| attack | tried | right | wrong | slowest | most memory |\n|---|---|---|---|---|---|"


class Child:
    """A process that attempts one case after the other: numbers in, verdicts out, one JSON line each."""

    def __init__(self, attack: Attack, seed: int, place: Path):
        line = [sys.executable, "-m", "tests.attack.harness", attack.name, str(seed), str(place)]
        temporary = place / "temporary"
        temporary.mkdir(exist_ok=True)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": str(place / "home")}
        environment |= {"TMPDIR": str(temporary), "PYTHONDONTWRITEBYTECODE": "1"}
        self._place, self._trace = place, None
        if attack.traced and can_trace():
            self._trace = (place / "trace").open("w+", errors="replace")
            line = [*STRACE, "-o", str(place / "trace"), *line]
        for variable in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
            environment[variable] = "1"
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            line, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
            start_new_session=True,
        )  # fmt: skip
        self.selector = selectors.DefaultSelector()
        assert self.process.stdout is not None
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.selector.select(START_SECONDS)  # until all is imported and prepared, which is none of the cases' time
        self.process.stdout.readline()

    def attempt(self, number: int, seconds: float) -> dict[str, object]:
        """The verdict on a case; a child that dies or takes too long is one too."""
        assert self.process.stdin is not None and self.process.stdout is not None
        if self._trace is not None:
            self._trace.seek(0)
            self._trace.truncate()  # strace appends to it
        try:
            self.process.stdin.write(f"{number}\n".encode())
            self.process.stdin.flush()
            line = self.process.stdout.readline() if self.selector.select(seconds) else None
        except OSError:
            line = b""
        if line is None:
            self.close()
            return {"fault": f"it took more than {seconds:g} s"}
        if not line:
            code = self.process.wait()
            self.errors.seek(0)
            said = self.errors.read()[-300:].decode("utf-8", "replace")
            return {"fault": f"the process ended with {code}: {said}"}
        verdict: dict[str, object] = json.loads(line)
        if self._trace is not None and verdict["fault"] is None:
            touched = what_was_touched(self._trace, [self._place], ROOT)
            verdict["fault"] = "it touched " + "; ".join(touched[:3]) if touched else None
        return verdict

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)  # strace, and what it looks at
        self.process.wait()
        if self._trace is not None:
            self._trace.close()
        self.selector.close()
        self.errors.close()


def run_attack(attack: Attack, numbers: Iterator[int], seed: int, failures: Path, tally: Tally) -> Iterator[int]:
    """Attempt the numbers and count them in `tally`; yields each when it is done. failures: where wrong ones are kept."""
    with tempfile.TemporaryDirectory(prefix="attack-", ignore_cleanup_errors=True) as temporary:
        place, child = Path(temporary), None
        try:
            for number in numbers:
                if child is None or not child.alive:
                    child = Child(attack, seed, place)
                verdict = child.attempt(number, PATIENCE * attack.slow)
                tally.tried += 1
                fault = verdict.get("fault")
                for what, value in verdict.get("figures", {}).items():  # type: ignore[attr-defined]
                    tally.figures[what] = max(value, tally.figures.get(what, value))
                if fault is None:
                    tally.right += 1
                    tally.most_seconds = max(tally.most_seconds, float(str(verdict["seconds"])))
                    tally.most_bytes = max(tally.most_bytes, int(str(verdict["bytes"])))
                else:
                    tally.faults[number] = str(fault)
                    _keep(place / "case", failures / f"{attack.name}-{number}", attack, seed, number, str(fault))
                yield number
        finally:
            if child is not None and child.alive:
                child.close()


def _keep(case: Path, to: Path, attack: Attack, seed: int, number: int, fault: str) -> None:
    shutil.rmtree(to, ignore_errors=True)
    to.mkdir(parents=True)
    with contextlib.suppress(OSError, shutil.Error):
        shutil.copytree(case, to / "case", symlinks=True, ignore=_special)
    how = {"attack": attack.name, "seed": seed, "number": number, "fault": fault}
    how["again"] = f"python scripts/attack.py {attack.name} --seed {seed} --number {number}"
    (to / "how.json").write_text(json.dumps(how, indent=1) + "\n", encoding="utf-8")


def _special(folder: str, names: list[str]) -> set[str]:
    """Named pipes cannot be copied: the seed makes them anew."""
    return {name for name in names if not (Path(folder, name).is_file() or Path(folder, name).is_dir())}


def work(name: str, seed: int, place: Path) -> None:
    """The child's loop."""
    from mlx_tts.runtime.memory import resident_peak_bytes
    from tests.attack.every import ATTACKS

    attack = next(attack for attack in ATTACKS if attack.name == name)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    place.mkdir(parents=True, exist_ok=True)
    attack.prepare(place)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else is printed
    print("ready", file=answers, flush=True)
    case = place / "case"
    for line in sys.stdin:
        shutil.rmtree(case, ignore_errors=True)
        case.mkdir()
        attack.number, attack.figures = int(line), {}
        start, started, held = time.monotonic(), time.process_time(), Holding.now()
        try:
            fault = attack.attempt(source_of(seed, name, int(line)), case)
        except Exception as error:
            fault = f"{type(error).__name__}: {str(error)[:300]}"
        # On a busy machine a second of the clock is less of work; one that sleeps too long is found by the clock alone.
        seconds = max(time.process_time() - started, (time.monotonic() - start) / PATIENCE)
        peak = resident_peak_bytes()
        fault = fault or held.left_since()
        if fault is None and seconds > attack.slow:
            fault = f"it took {seconds:.1f} s"
        if fault is None and peak > MOST_BYTES:
            fault = f"it took {peak / 1e9:.1f} GB"
        verdict = {"fault": fault, "seconds": seconds, "bytes": peak, "figures": attack.figures}
        print(json.dumps(verdict), file=answers, flush=True)


if __name__ == "__main__":
    work(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
