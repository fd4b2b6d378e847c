"""The options of `mlx-tts serve` -> checked settings of the server. Imports nothing heavy."""

from __future__ import annotations

import ipaddress
import os
import re
from dataclasses import dataclass
from pathlib import Path

from mlx_tts.errors import RequestError

DEFAULT_PORT = 8880
SERVICE = "mlx-tts"  # how `speak --server auto` knows this server among others
KEY_VARIABLE = "MLX_TTS_API_KEY"
JSON_NAMES = {"instruct": "instructions", "format": "response_format"}  # of settings that OpenAI calls otherwise
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
FOREVER = float("inf")


@dataclass(frozen=True)
class ServerSettings:
    """rows: requests of one model spoken side by side; None: what suits the memory. keep_alive_seconds: how long an
    unused model stays loaded; None: the default model for ever, others five minutes. api_key: None accepts anyone."""

    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    models: tuple[str, ...] = ()
    wyoming_port: int | None = None
    api_key: str | None = None
    cors_origins: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    insecure: bool = False
    rows: int | None = None
    max_input: int = 100_000
    keep_alive_seconds: float | None = None
    lexicon: Path | None = None

    def check(self) -> None:
        """RequestError for settings that would let strangers in."""
        if is_loopback(self.host) or self.insecure:
            return
        if self.api_key is None:
            raise RequestError(
                f"--host {self.host} lets other machines in: set a key (--api-key-file or {KEY_VARIABLE}), "
                "or say --insecure if everyone who reaches it may use it"
            )
        if self.wyoming_port is not None:
            raise RequestError(
                f"Wyoming knows no key, so on --host {self.host} everyone who reaches it may use it: add --insecure"
            )


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine can reach the address."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def duration(text: str) -> float:
    """ "5m", "90s", "1h", "0", "forever" -> seconds."""
    if text.strip().casefold() in ("forever", "-1"):
        return FOREVER
    match = DURATION.fullmatch(text.strip().casefold())
    if match is None:
        raise RequestError(f"--keep-alive is {text!r}: give a time such as 30s, 5m or 1h, 0, or forever")
    return float(match[1]) * UNITS[match[2]]


def read_api_key(file: Path | None) -> str | None:
    """The key from its file, else from the environment, else None. A key is never on the command line, where every
    program of the machine could read it."""
    if file is None:
        return os.environ.get(KEY_VARIABLE, "").strip() or None
    try:
        key = file.expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise RequestError(f"--api-key-file {file} cannot be read ({error}): give a text file with the key") from None
    if not key or not key.isprintable() or " " in key:
        raise RequestError(f"--api-key-file {file} holds no key: put one line of letters and digits into it")
    return key
