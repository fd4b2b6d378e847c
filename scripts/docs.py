"""The commands' own help -> docs/commands.md.

python scripts/docs.py            write the page
python scripts/docs.py --check    exit 1 if the page is not what the commands say
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the clone's package, installed or not

from mlx_tts.cli import run  # noqa: E402 (found through the line above)
from mlx_tts.cli.commands import COMMON, HELP_ALL, build  # noqa: E402

PAGE = ROOT / "docs" / "commands.md"
COLUMNS = "80"
HEAD = """# The commands

What `mlx-tts COMMAND --help` says, or `--help-all` where there is one. `python scripts/docs.py` writes this page,
and a test compares it with the commands. Change the help texts in `mlx_tts/cli/`, not this page.
[use.md](use.md) shows the commands by task.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page is out of date")
    wanted = page()
    if not parser.parse_args().check:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    if same(PAGE.read_text(encoding="utf-8"), wanted):
        return 0
    print(f"{PAGE.relative_to(ROOT)} is out of date: run `python scripts/docs.py`", file=sys.stderr)
    return 1


def same(page: str, other: str) -> bool:
    """Whether two pages say the same: where lines are broken depends on the version of the help's formatter."""
    return page.split() == other.split()


def page() -> str:
    """The whole page."""
    sections = [f"## {' '.join(['mlx-tts', *words])}\n\n```text\n{help_of(words)}\n```\n" for words in command_lines()]
    return "\n".join([HEAD, *sections])


def command_lines() -> Iterator[list[str]]:
    """The words of every command: [], ["speak"], ..., ["models", "default"]."""
    yield from _below(build(), [])


def _below(command: Any, words: list[str]) -> Iterator[list[str]]:
    yield words
    names = command.list_commands(None) if hasattr(command, "list_commands") else []
    for name in names:
        yield from _below(command.get_command(None, name), [*words, name])


def help_of(words: list[str]) -> str:
    """What `--help` prints, or `--help-all` where there is one, without this terminal's colours and width."""
    option = HELP_ALL if " ".join(words) in COMMON else "--help"
    printed = io.StringIO()
    with patch.dict(os.environ, COLUMNS=COLUMNS, NO_COLOR="1"), contextlib.redirect_stdout(printed):
        code = run([*words, option])
    assert code == 0, f"mlx-tts {' '.join(words)} {option} ended with {code}"
    return "\n".join(line.rstrip() for line in printed.getvalue().strip().splitlines())


if __name__ == "__main__":
    sys.exit(main())
