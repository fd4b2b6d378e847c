"""A clone and a Python in, all checks out: makes .venv, installs the package and its tools, runs lint, types, tests.

python3 scripts/check.py            everything, as CI does
python3 scripts/check.py tests      the tests alone (also: lint, format, types); what follows -- goes to pytest
python3 scripts/check.py --here     with the Python that runs this, as it is
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OLDEST = (3, 11)
CHECKS = {
    "lint": ["-m", "ruff", "check", "."],
    "format": ["-m", "ruff", "format", "--check", "."],
    "types": ["-m", "mypy"],
    "tests": [
        "-m",
        "pytest",
        "-rsx",
        "-n",
        "auto",
        "--dist",
        "loadfile",
    ],  # -rsx: skipped tests are named, with reasons
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checks", nargs="*", help=f"of {', '.join(CHECKS)}; all by default")
    parser.add_argument("--here", action="store_true", help="use this Python and what is installed in it")
    own, pytest_arguments = split_arguments(sys.argv[1:])
    options = parser.parse_args(own)
    if unknown := set(options.checks) - set(CHECKS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    if sys.version_info < OLDEST:
        parser.error(f"Python {'.'.join(map(str, OLDEST))} or newer is needed, this is {sys.version.split()[0]}")
    python = sys.executable if options.here else install()
    results = {name: check(python, name, pytest_arguments) for name in options.checks or CHECKS}
    print("\n" + "\n".join(results.values()), flush=True)
    return int(any("FAILED" in line for line in results.values()))


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
    subprocess.run([*pip, "--editable", f"{ROOT}[server,coreml]", "--group", group], check=True)
    return str(python)


def check(python: str, name: str, pytest_arguments: list[str]) -> str:
    """Run one check, showing what it prints; its line for the summary."""
    print(f"\n== {name}", flush=True)
    start = time.monotonic()
    command = [python, *CHECKS[name], *(pytest_arguments if name == "tests" else [])]
    code = subprocess.run(command, cwd=ROOT, env={**os.environ, "HF_HUB_OFFLINE": "1"}, check=False).returncode
    return f"{name:<8} {'ok' if code == 0 else 'FAILED'} ({time.monotonic() - start:.0f} s)"


if __name__ == "__main__":
    sys.exit(main())
