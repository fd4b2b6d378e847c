"""A clone and a Python in, all checks out: makes .venv, installs the package and its tools, runs lint, types and tests.

python3 scripts/check.py              what every push needs: all but the tests marked `long`
python3 scripts/check.py --all        everything, with the tests of the training programs; CI runs this
python3 scripts/check.py tests        one check (or lint, format, types, training); pytest gets what follows --
python3 scripts/check.py --here       with the Python that runs this, as it is
python3 scripts/check.py --all tests -- --part 2/3    one of three parts that take about as long as each other
python3 scripts/check.py --times      as --all; what tests cost: CONTRIBUTING.md, tests/processor_seconds.json
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST = (3, 11)
NO_COREMLTOOLS = (3, 14)  # its newest release, 9.0, has wheels up to 3.13
# A test that hangs fails, and says where; one that hangs where Python cannot be interrupted ends its worker. A run of
# all tests ends even where something else hangs (seconds; it takes 1,600 on two cores).
MOST_SECONDS_A_TEST, MOST_SECONDS = 900, 4800
# A machine that is so slow runs the tests that guard users, and says of each `long` one that it was not run.
LONG_UNTIL_SECONDS = 3000
AGAIN_SECONDS = 1200  # for tests that judge a time and failed
HANGS = ["--timeout", f"{MOST_SECONDS_A_TEST}", "-o", f"faulthandler_timeout={MOST_SECONDS_A_TEST + 60}"]
HANGS += ["-o", "faulthandler_exit_on_timeout=true"]
PYTEST = ["-m", "pytest", "-rsx", *HANGS]  # skipped tests are named, with reasons
LONG = ["--long-until", f"{LONG_UNTIL_SECONDS}"]
CHECKS = {
    "lint": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "types": ["-m", "mypy"],
    "tests": [*PYTEST, "-n", "auto", "--dist", "worksteal", "--most-seconds", "2", *LONG],
    # In a process of their own: they have modules named `text` and `export`. Most need torch, as nothing else does.
    "training": [*PYTEST, "scripts/train_tiny"],
}
TESTS_FAILED, NO_TESTS = 1, 5  # pytest's exit codes
ONLY_IN_ALL = ("training",)
# The tests run on all cores, so no library inside them needs more than one thread.
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "OPENBLAS_NUM_THREADS": "1"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", help=f"of {', '.join(CHECKS)}; by default all that the run needs")
    parser.add_argument("--all", action="store_true", help="the tests marked `long` and those of the training as well")
    parser.add_argument("--here", action="store_true", help="use this Python and what is installed in it")
    parser.add_argument("--times", action="store_true", help="as --all, and write what the tests cost")
    own, pytest_arguments = split_arguments(sys.argv[1:])
    options = parser.parse_args(own)
    if unknown := set(options.checks) - set(CHECKS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if sys.version_info < OLDEST:
        parser.error(f"Python {'.'.join(map(str, OLDEST))} or newer is needed, this is {sys.version.split()[0]}")
    python = sys.executable if options.here else install()
    everything = options.all or options.times
    if not everything:
        pytest_arguments = ["-m", "not long", *pytest_arguments]
    names = options.checks or [name for name in CHECKS if everything or name not in ONLY_IN_ALL]
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.jsonl"
        if options.times:
            pytest_arguments = [f"--processor-time={record}", *pytest_arguments]
        results = [check(python, name, pytest_arguments) for name in names]
        if record.exists():
            subprocess.run([python, "scripts/processor_times.py", record], cwd=ROOT, check=True)
            results.append("what the tests cost stands in CONTRIBUTING.md and tests/processor_seconds.json")
    print("\n" + "\n".join(results), flush=True)
    return int(any("FAILED" in line for line in results))


def split_arguments(arguments: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def install() -> str:
    """The Python of .venv, with the package and its tools in it."""
    folder = ROOT / ".venv"
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"making {folder}", flush=True)
        venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--upgrade", "pip>=25.1"], check=True)  # older ones know no dependency groups
    print("installing the package and its tools", flush=True)
    group = f"{ROOT / 'pyproject.toml'}:dev"
    extras = "server,coreml"
    if sys.version_info >= NO_COREMLTOOLS:
        print("NOT CHECKED: Core ML, for coremltools has no release for this Python", flush=True)
        extras = "server"
    subprocess.run([*pip, "--editable", f"{ROOT}[{extras}]", "--group", group], check=True)
    return str(python)


def check(python: str, name: str, pytest_arguments: list[str], root: Path = ROOT) -> str:
    """Run one check, showing what it prints; its line for the summary."""
    print(f"\n== {name}", flush=True)
    start = time.monotonic()
    command = [python, *CHECKS[name], *(pytest_arguments if name == "tests" else [])]
    environment = {**ENVIRONMENT, **os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # each worker would compile all tests anew
    try:
        code = subprocess.run(command, cwd=root, env=environment, check=False, timeout=MOST_SECONDS).returncode
    except subprocess.TimeoutExpired:
        return f"{name:<8} FAILED: stopped after {MOST_SECONDS} s, with its end not in sight"
    again = ""
    if name == "tests" and code == TESTS_FAILED:
        again = timed_again(python, root, environment)
        code = 0 if again else code
    result = f"{name:<8} {'ok' if code == 0 else 'FAILED'} ({time.monotonic() - start:.0f} s){again}"
    if name == "training" and subprocess.run([python, "-c", "import torch"], capture_output=True).returncode:
        result += "; most of it is NOT CHECKED: torch is not installed (pip install torch)"
    return result


def timed_again(python: str, root: Path, environment: dict[str, str]) -> str:
    """Where only tests marked `timed` failed, and pass when they run again with nothing beside them: what to say of it.

    A measure of time may meet the load of another test that runs at the same time. Any other failure stays one.
    """
    failed = [python, *PYTEST, "-p", "no:xdist", "--last-failed", "--last-failed-no-failures", "none"]
    others = [*failed, "--collect-only", "-m", "not timed"]
    if subprocess.run(others, cwd=root, env=environment, capture_output=True).returncode != NO_TESTS:
        return ""
    print("\n== tests that judge a time, again and alone", flush=True)
    try:
        again = subprocess.run([*failed, "-m", "timed"], cwd=root, env=environment, check=False, timeout=AGAIN_SECONDS)
    except subprocess.TimeoutExpired:
        return ""
    passed = again.returncode == 0
    return "; the tests above failed while others ran and PASSED ONLY WHEN RUN AGAIN, alone" if passed else ""


if __name__ == "__main__":
    sys.exit(main())
