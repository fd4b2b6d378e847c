"""`speak --server`: the text to a running server, its sound into the same sinks; nothing is loaded here."""

from __future__ import annotations

import hmac
import http.client
import json
import os
import secrets
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from mlx_tts.cli.console import Console
from mlx_tts.cli.options import SpeakingOptions, flag_of
from mlx_tts.cli.output import SinkSettings
from mlx_tts.cli.progress import wrote_line
from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.job.settings import SoundSettings, SpeechSettings
from mlx_tts.server.settings import DEFAULT_PORT, JSON_NAMES, KEY_VARIABLE, SERVICE, is_loopback, proof_of_key
from mlx_tts.setting import changed
from mlx_tts.shortened import shown

if TYPE_CHECKING:
    from mlx_tts.cli.order import Order
    from mlx_tts.samples import Samples
    from mlx_tts.text.normalise.lexicon import Lexicon

AUTO = "auto"
LOOK_SECONDS = 0.5
SILENT_SECONDS = 600.0  # as long as other clients wait for a server that says nothing
SAMPLE_RATE = 24_000
READ_BYTES = 1 << 16
LEXICON = "lexicon"  # its file stays here, its entries travel
# Options that say where the text is and where the sound goes. All others would be ignored without a word.
STAY_HERE = {"output", "console", "fetch", "live", "literal", "file", "url"}


def find_server(asked: str, say: Callable[[str], None]) -> str | None:
    """The address to ask, without a slash at its end. "auto": a server of ours on this machine, or None; where a key is
    set, one that has proven to know it. say: prints which process was found."""
    if asked != AUTO:
        parts = urlsplit(asked)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise RequestError(
                f"--server is {shown(asked)}: give an address such as http://127.0.0.1:{DEFAULT_PORT}, or auto"
            )
        return asked.rstrip("/").removesuffix("/v1")
    address, nonce = f"http://127.0.0.1:{DEFAULT_PORT}", secrets.token_hex(32)
    try:
        with _opener(address).open(f"{address}/health?nonce={nonce}", timeout=LOOK_SECONDS) as answer:
            found = json.loads(answer.read(READ_BYTES))
    except (OSError, ValueError, http.client.HTTPException):
        return None
    if not isinstance(found, dict) or found.get("service") != SERVICE:
        return None
    who = f"process {found['process']}" if isinstance(found.get("process"), int) else "the program"
    key = _key()
    if key:
        proof = proof_of_key(key, nonce, "127.0.0.1", DEFAULT_PORT)
        if not hmac.compare_digest(str(found.get("proof")).encode(), proof.encode()):
            say(f"{who} at {address} did not prove that it knows {KEY_VARIABLE}: nothing is sent to it")
            return None
    say(f"speaking through {who} at {address}")
    return address


def refuse_what_stays_here(settings: SpeechSettings, options: SpeakingOptions) -> None:
    """RequestError for an option that the server would not learn of."""
    local = [(flag_of(name), value) for name, known, value in changed(settings) if known.local and name != LEXICON]
    for name, value in [*local, *_given(options)]:
        if value is not None:
            raise RequestError(f"{name} does not go with --server: leave one of them out")


def _given(group: Any) -> Iterator[tuple[str, Any]]:
    for entry in fields(group):
        value = getattr(group, entry.name)
        if entry.name in STAY_HERE:
            continue
        if is_dataclass(value):
            yield from _given(value)
        elif value != entry.default:
            yield flag_of(entry.name), value


def speak_remotely(address: str, text: str, order: Order, cast: str | None = None) -> None:
    """Have a text spoken and give its sound to the destination as it comes; an interruption keeps what came.
    cast: the text of its cast file, if it has one."""
    options, destination = order.options, order.destination
    console: Console = options.console.console
    asked = {JSON_NAMES.get(name, name): value for name, _, value in changed(order.settings)}
    if order.settings.lexicon is not None:
        asked[LEXICON] = _entries(order.settings.lexicon, text)
    if cast is not None:
        asked["cast"] = cast
        if order.script.casting is not None and asked.get("voice") == order.script.casting.narrator:
            asked.pop("voice", None)  # the server takes it from the cast, and says so where it is not there
    request = urllib.request.Request(
        f"{address}/v1/audio/speech",
        json.dumps({**asked, "input": text, "response_format": "pcm"}).encode(),
        {"Content-Type": "application/json", **_authorization()},
    )
    done_there = SoundSettings(loudness="off" if order.settings.loudness is not None else None)
    with _answer(address, request) as answer:
        if told := answer.headers.get("X-MLX-TTS-Cast"):
            console.say(unquote(told))
        sink = destination.open(SinkSettings(SAMPLE_RATE, options.live, console.say, done_there))
        sink.begin_chapter(0)
        samples = 0
        try:
            for part in _sound(answer, address):
                sink.write(part)
                samples += len(part)
                console.progress(f"{samples / SAMPLE_RATE:.1f} s of speech")
            kept = sink.finish()
        except BaseException as error:
            console.progress("")
            kept = sink.abandon()
            how = "interrupted" if isinstance(error, KeyboardInterrupt) else "stopped"
            console.say(f"{how} after {samples / SAMPLE_RATE:.1f} s of speech{f', kept in {kept}' if kept else ''}")
            raise
    console.progress("")
    if kept is not None:
        console.say(wrote_line(kept, samples / SAMPLE_RATE, order.settings.voice, destination.note))


def _entries(lexicon: Lexicon, text: str) -> list[dict[str, Any]]:
    """Those entries of a lexicon that this text has, as a request takes them. RequestError: it takes no such entry."""
    found = []
    for entry in lexicon.entries:
        if not entry.pattern.search(text):
            continue
        where = f"{lexicon.source}: the entry of {shown(entry.match, 50)}"
        if entry.regex:
            raise RequestError(f"{where} is a pattern, which a server does not take: leave out --server")
        if entry.origin is not None or entry.alphabet not in (None, "ipa"):
            raise RequestError(f"{where} has neither say nor ipa, which alone a server takes: leave out --server")
        said: dict[str, Any] = {"say": entry.say} if entry.alphabet is None else {"ipa": entry.pronunciation}
        more = {"language": entry.language, "voice": entry.voice, "case": entry.case or None}
        found.append({"match": entry.match} | said | {name: value for name, value in more.items() if value is not None})
    return found


def _answer(address: str, request: urllib.request.Request) -> http.client.HTTPResponse:
    try:
        return _opener(address).open(request, timeout=SILENT_SECONDS)  # type: ignore[no-any-return]
    except urllib.error.HTTPError as error:
        with error:
            message = _message(error.read(READ_BYTES)) or error.reason
        kind = RequestError if error.code in (400, 404, 413, 415) else MlxTtsError
        raise kind(f"the server at {address} says: {message}") from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise MlxTtsError(f"no answer from {address} ({reason}): start one with `mlx-tts serve`") from None


def _sound(answer: http.client.HTTPResponse, address: str) -> Iterator[Samples]:
    import numpy as np

    rest = b""
    try:
        while data := answer.read1(READ_BYTES):
            data = rest + data
            whole = len(data) // 2 * 2
            rest = data[whole:]
            # a file then has the very same samples
            yield np.frombuffer(data[:whole], "<i2").astype(np.float32) / 32768.0
    except (http.client.HTTPException, OSError) as error:
        raise MlxTtsError(f"the connection to {address} broke ({error}): its log says why") from None


def _opener(address: str) -> urllib.request.OpenerDirector:
    """No proxy for this machine's own addresses, whatever the environment says."""
    is_local = is_loopback(urlsplit(address).hostname or "")
    return urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if is_local else []))


def _authorization() -> dict[str, str]:
    key = _key()
    return {"Authorization": f"Bearer {key}"} if key else {}


def _key() -> str:
    return os.environ.get(KEY_VARIABLE, "").strip()


def _message(body: bytes) -> str | None:
    try:
        return str(json.loads(body)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return None
