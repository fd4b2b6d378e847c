"""What each agent's own settings need so that it starts `mlx-tts mcp`."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from pathlib import Path

NAME = "mlx-tts"
CLIENTS = ("claude", "claude-desktop", "cursor", "codex", "json")
FILES = {
    "claude-desktop": "claude_desktop_config.json (Settings, Developer, Edit Config)",
    "cursor": "~/.cursor/mcp.json, or .cursor/mcp.json of a project",
    "codex": "~/.codex/config.toml",
    "json": "the settings of most other clients",
}


def command_line(options: list[str]) -> list[str]:
    """The command by its whole path: programs with windows have a short PATH."""
    found = shutil.which(NAME)
    program = [str(Path(found).absolute())] if found else [sys.executable, "-m", "mlx_tts"]
    return [*program, "mcp", *options]


def recipe(client: str, options: list[str]) -> str:
    """What to run, or to put into which file. client: one of CLIENTS."""
    command, *arguments = command_line(options)
    if client == "claude":
        return f"claude mcp add {NAME} -- {shlex.join([command, *arguments])}"
    if client == "codex":
        # a string of JSON is one of TOML as well
        entry = f"[mcp_servers.{NAME}]\ncommand = {json.dumps(command)}\nargs = {json.dumps(arguments)}"
    else:
        entry = json.dumps({"mcpServers": {NAME: {"command": command, "args": arguments}}}, indent=2)
    comment = "#" if client == "codex" else "//"
    return f"{comment} {FILES[client]}\n{entry}"
