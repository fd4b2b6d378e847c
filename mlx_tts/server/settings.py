"""The options of `mlx-tts serve` -> checked settings of the server. Imports nothing heavy."""

from __future__ import annotations

import hmac
import ipaddress
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mlx_tts.errors import RequestError
from mlx_tts.library.catalog import voice_key
from mlx_tts.setting import path, setting, switch, text, whole
from mlx_tts.shortened import shown

DEFAULT_PORT, MOST_PORT = 8880, 65_535
SERVICE = "mlx-tts"  # how `speak --server auto` knows this server among others
KEY_VARIABLE = "MLX_TTS_API_KEY"
NONCE = re.compile(r"[0-9a-f]{64}")  # what a client asks a server to prove its key with
JSON_NAMES = {"instruct": "instructions", "format": "response_format"}  # of settings that OpenAI calls otherwise
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
DURATION = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)")
FOREVER = float("inf")


def _names(value: Any) -> tuple[str, ...]:
    return tuple(value)


def duration(text: str) -> float:
    """ "5m", "90s", "1h", "0", "forever" -> seconds; ValueError says what to give instead."""
    if text.strip().casefold() in ("forever", "-1"):
        return FOREVER
    match = DURATION.fullmatch(text.strip().casefold())
    if match is None:
        raise ValueError("give a time such as 30s, 5m or 1h, 0, or forever")
    return float(match[1]) * UNITS[match[2]]


@dataclass(frozen=True)
class ServerSettings:
    """The options of `mlx-tts serve`. api_key: what the file or the environment holds; None accepts anyone."""

    host: str = text(
        "127.0.0.1",
        "Where to listen, 127.0.0.1 by default; all but this machine's own addresses need a key.",
        metavar="ADDRESS",
    )
    port: int = whole(DEFAULT_PORT, "The port, 8880 by default; 0 takes any free one.", 0, MOST_PORT)
    models: tuple[str, ...] = setting(
        (),
        "An alias, owner/name or a folder; may be repeated. The first is the default. Without it the server has "
        "the model that speak takes, and every model on disk.",
        _names,
        flag="--model",
        short="-m",
        metavar="MODEL",
    )
    wyoming_port: int | None = whole(
        None, "Also speak Home Assistant's protocol, on this port.", 0, MOST_PORT, flag="--wyoming"
    )
    api_key_file: Path | None = path("Ask clients for the key in this file; MLX_TTS_API_KEY does the same.")
    cors_origins: tuple[str, ...] = setting(
        (),
        "Let pages of this site speak, such as https://example.org; may be repeated.",
        _names,
        flag="--cors-origin",
        metavar="ORIGIN",
    )
    allowed_hosts: tuple[str, ...] = setting(
        (), "Answer under this name as well; may be repeated.", _names, flag="--allowed-host", metavar="NAME"
    )
    voice_aliases: tuple[str, ...] = setting(
        (),
        "Let clients call a voice by another name, such as alloy=ivy; may be repeated.",
        _names,
        flag="--voice-alias",
        metavar="NAME=VOICE",
    )
    strict_names: bool = switch(False, "Refuse the names of OpenAI's and Kokoro's models and voices.")
    open_lists: bool = switch(False, "Show the lists of models and voices without the key.")
    allow_fetch: bool = switch(
        False, "Let the page download models, each when it is asked to; without a key only on this machine."
    )
    insecure: bool = switch(False, "Let other machines in without a key: everyone who reaches it may speak.")
    rows: int | None = whole(
        None, "Texts of one model spoken side by side; by default as many as are fast enough to be heard live.", 1, 256
    )
    cache_mb: int = whole(
        32,
        "Memory for short speeches that are asked for again, in megabytes: 32 by default, 0 keeps none.",
        0,
        4096,
    )
    max_input: int = whole(100_000, "Most characters of one request; 100,000 by default.", 1, 999_999)
    keep_alive_seconds: float | None = setting(
        None,
        "How long a model that nobody uses stays loaded: 30s, 5m, 1h, 0 or forever. Without it the default model "
        "stays, others leave after 5m.",
        duration,
        flag="--keep-alive",
        metavar="TIME",
    )
    api_key: str | None = None

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Keys of names -> the voices that they stand for."""
        pairs = (alias.partition("=") for alias in self.voice_aliases)
        return {voice_key(name.strip()): voice.strip() for name, _, voice in pairs}

    def check(self) -> None:
        """RequestError for settings that would let strangers in, or that say nothing."""
        for alias in self.voice_aliases:
            name, sign, voice = alias.partition("=")
            if not (name.strip() and sign and voice.strip()):
                raise RequestError(f"the voice alias {shown(alias)} says nothing: give NAME=VOICE, such as alloy=ivy")
        if is_loopback(self.host) or self.insecure:
            return
        if self.api_key is None:
            raise RequestError(
                f"--host {self.host} lets other machines in: set a key (--api-key-file or {KEY_VARIABLE}), "
                "or say --insecure if everyone who reaches it may use it"
            )
        if self.wyoming_port is not None:
            raise RequestError(
                f"Wyoming cannot ask for a key: with --host {self.host} everyone who reaches it may use it, so "
                "add --insecure if you want that"
            )


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine can reach the address."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def proof_of_key(key: str, nonce: str, host: str, port: int) -> str:
    """What shows that a server knows the key, without telling it. The address is part of it, so that a program on
    another port cannot pass on the answer of a server that knows the key."""
    asked = f"mlx-tts health {nonce} {host} {port}"
    return hmac.new(key.encode(), asked.encode(), "sha256").hexdigest()


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
