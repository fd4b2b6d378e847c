"""The commands' own help -> docs/commands.md; the server's own routes -> docs/http.md.

python scripts/docs.py            write the pages
python scripts/docs.py --check    exit 1 if a page is not what the commands and the server say
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the clone's package, installed or not

from mlx_tts.cli import run  # noqa: E402 (found through the line above)
from mlx_tts.cli.commands import COMMON, HELP_ALL, build  # noqa: E402

PAGE = ROOT / "docs" / "commands.md"
HTTP_PAGE = ROOT / "docs" / "http.md"
COLUMNS = "80"
HEAD = """# The commands

What `mlx-tts COMMAND --help` says, or `--help-all` where there is one. `python scripts/docs.py` writes this page,
and a test compares it with the commands. Change the help texts in `mlx_tts/cli/`, not this page.
[use.md](use.md) shows the commands by task.
"""
HTTP_HEAD = """# HTTP reference

Every path that [`mlx-tts serve`](server.md) answers, and every field of a request for speech. `python scripts/docs.py`
writes this page from the server's own routes, and a test compares the two. [The server](server.md) shows how to use
them, and says what errors look like.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is out of date")
    checks, code = parser.parse_args().check, 0
    for file, wanted in ((PAGE, page()), (HTTP_PAGE, http_page())):
        if not checks:
            file.write_text(wanted, encoding="utf-8")
        elif not same(file.read_text(encoding="utf-8"), wanted):
            print(f"{file.relative_to(ROOT)} is out of date: run `python scripts/docs.py`", file=sys.stderr)
            code = 1
    return code


def same(page: str, other: str) -> bool:
    """Whether two pages say the same: where lines are broken depends on the version of the help's formatter."""
    return page.split() == other.split()


def page() -> str:
    """The whole page."""
    sections = [f"## {' '.join(['mlx-tts', *words])}\n\n```text\n{help_of(words)}\n```\n" for words in command_lines()]
    return "\n".join([HEAD, *sections])


def http_page() -> str:
    """The whole page of the server's paths."""
    from mlx_tts.server.app import routes

    app = routes(cast(Any, None))  # no route is called
    schema = app.openapi()
    parts, own = [HTTP_HEAD], ["## What the page uses\n\nThe paths of [the web page](page.md). They may change.\n"]
    for path, methods in schema["paths"].items():
        for method, facts in methods.items():
            (own if path.startswith("/page") else parts).append(_route(method.upper(), path, facts))
    for route in app.routes:
        if "websocket" in type(route).__name__.lower():
            facts = {"description": inspect.getdoc(route.endpoint)}
            parts.append(
                _route("WebSocket", route.path, facts) + "\n[Its messages](server.md#words-of-a-language-model).\n"
            )
    return "\n".join([*parts, *own])


def _route(method: str, path: str, facts: dict[str, Any]) -> str:
    """A path, what it does, and a table of the fields of its body."""
    said = " ".join(facts["description"].split())
    body = facts.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    return f"### {method} {path}\n\n{said}\n" + ("" if body is None else f"\n{_fields(body)}\n")


def _fields(schema: dict[str, Any]) -> str:
    rows = ["| field | default | meaning |", "|---|---|---|"]
    for name, facts in schema["properties"].items():
        default = (
            "required" if name in schema["required"] else json.dumps(facts["default"]) if "default" in facts else ""
        )
        said = facts["description"].replace("|", "\\|")
        allowed = f" One of {', '.join(facts['enum'])}." if "enum" in facts else ""
        rows.append(f"| `{name}` | {default} | {said}{allowed} |")
    return "\n".join(rows)


def command_lines() -> Iterator[list[str]]:
    """The words of every command that help lists: [], ["speak"], ..., ["models", "default"]."""
    yield from _below(build(), [])


def _below(command: Any, words: list[str]) -> Iterator[list[str]]:
    yield words
    names = command.list_commands(None) if hasattr(command, "list_commands") else []
    for name in names:
        if not (below := command.get_command(None, name)).hidden:  # another name, for habits of other programs
            yield from _below(below, [*words, name])


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
