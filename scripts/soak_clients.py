"""Twelve clients of six kinds at once, each as its own program would speak: none may see an error.

python scripts/soak_clients.py [--minutes 10] [--folder FOLDER] [--clients 12] [--requests N] [--text TEXT]

Starts `mlx-tts serve` on this machine, lets the clients ask again and again, and prints a verdict line a kind: OpenAI
speech (whole and streamed), our WebSocket, ElevenLabs (HTTP and socket), Wyoming, OpenAI's Realtime, Kokoro's
captions. In the folder are then the server's home, its messages (server.log) and the verdict (verdict.json). Exit 1
when an answer was refused, cut, late by minutes or without its words, a kind never spoke, or the server is not well
afterwards. Needs the extra server, and httpx.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

import httpx  # noqa: E402
from websockets.asyncio.client import connect  # noqa: E402
from wyoming.client import AsyncTcpClient  # noqa: E402
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop  # noqa: E402

TEXTS = (
    "Hello there.",
    "The train leaves at nine.",
    "It was late, and nobody was there. The rain had stopped.",
    "Good morning. It is seven o'clock, and the kettle is on.",
)
LEAST_BYTES = 9600  # 0.2 s of 16-bit samples at 24 kHz: no text here is shorter
PATIENCE = 180.0  # seconds for one answer
START_SECONDS = 120.0
MOST_SHOWN = 10  # errors of a kind


class UnusableError(Exception):
    """An answer that its client could not use."""


@dataclass
class Kind:
    """What one kind of client saw. seconds: how long each answer took; errors: in the order they came."""

    name: str
    speak: Callable[[Server, str, int], Awaitable[int]]
    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    sound_bytes: int = 0

    def verdict(self) -> str:
        good = bool(self.seconds) and not self.errors
        middle = f", {median(self.seconds):.2f} s in the middle, {max(self.seconds):.2f} s at most" * bool(self.seconds)
        line = f"{'ok   ' if good else 'WRONG'} {self.name}: {len(self.seconds)} answers{middle}"
        line += f", {len(self.errors)} errors"
        return "\n".join([line, *(f"      {error}" for error in self.errors[:MOST_SHOWN])])


@dataclass(frozen=True)
class Server:
    """Where it listens. http: for the routes over HTTP, shared by all."""

    url: str
    wyoming_port: int
    http: httpx.AsyncClient

    @property
    def socket_url(self) -> str:
        return self.url.replace("http", "ws", 1)

    async def post(self, path: str, **body: Any) -> httpx.Response:
        """The whole answer; UnusableError where it is not 200."""
        answer = await self.http.post(f"{self.url}{path}", json=body)
        if answer.status_code != 200:
            raise UnusableError(f"{path} answered {answer.status_code}: {answer.text[:200]}")
        return answer


async def openai_speech(server: Server, text: str, turn: int) -> int:
    """In turns: whole WAV, streamed samples, events."""
    body = {"model": "gpt-4o-mini-tts", "voice": "nova", "input": text}
    if turn % 3 == 0:
        return len((await server.post("/v1/audio/speech", **body, response_format="wav")).content)
    body |= {"response_format": "pcm", "stream_format": "audio" if turn % 3 == 1 else "sse"}
    sound, last = 0, ""
    async with server.http.stream("POST", f"{server.url}/v1/audio/speech", json=body) as answer:
        if answer.status_code != 200:
            raise UnusableError(f"streamed speech answered {answer.status_code}: {(await answer.aread())[:200]!r}")
        if turn % 3 == 1:
            return sum([len(part) async for part in answer.aiter_bytes()])
        async for line in answer.aiter_lines():
            if line.startswith("data: "):
                event = json.loads(line[6:])
                last = event["type"]
                sound += len(base64.b64decode(event.get("audio", "")))
    if last != "speech.audio.done":
        raise UnusableError(f"the events ended with {last!r}")
    return sound


async def own_socket(server: Server, text: str, _turn: int) -> int:
    async with connect(f"{server.socket_url}/v1/audio/speech/stream", max_size=None) as socket:
        await socket.send(json.dumps({"type": "session.config", "voice": "ivy", "response_format": "pcm"}))
        for word in text.split():
            await socket.send(json.dumps({"type": "input.text", "text": f"{word} "}))
        await socket.send(json.dumps({"type": "input.done"}))
        sound = 0
        async for message in socket:
            if isinstance(message, bytes):
                sound += len(message)
                continue
            event = json.loads(message)
            if event["type"] == "error":
                raise UnusableError(message[:200])
            if event["type"] == "session.done":
                return sound
    raise UnusableError("the socket closed before session.done")


async def elevenlabs(server: Server, text: str, turn: int) -> int:
    """In turns: HTTP with times, and the socket of several contexts."""
    if turn % 2 == 0:
        path = "/v1/text-to-speech/ivy/with-timestamps?output_format=pcm_24000"
        answer = (await server.post(path, text=text, model_id="eleven_flash_v2_5")).json()
        if not answer["alignment"]["characters"]:
            raise UnusableError("no times of characters")
        return len(base64.b64decode(answer["audio_base64"]))
    path = "/v1/text-to-speech/ivy/multi-stream-input?output_format=pcm_24000&auto_mode=true&sync_alignment=true"
    async with connect(f"{server.socket_url}{path}", max_size=None) as socket:
        for message in ({"text": " "}, {"text": f"{text} "}, {"flush": True}, {"close_context": True}):
            await socket.send(json.dumps({**message, "context_id": "a"}))
        sound = 0
        async for message in socket:
            event = json.loads(message)
            if event.get("error"):
                raise UnusableError(str(message)[:200])
            sound += len(base64.b64decode(event.get("audio") or ""))
            if event.get("isFinal") or event.get("is_final"):
                return sound
    raise UnusableError("the socket closed before isFinal")


async def wyoming(server: Server, text: str, turn: int) -> int:
    """In turns: the whole text, and word by word with the whole text behind, as Home Assistant sends it."""
    whole, sent, last = Synthesize(text).event(), [], "audio-stop"
    if turn % 2 == 0:
        sent = [whole]
    else:
        words = [SynthesizeChunk(f"{word} ").event() for word in text.split()]
        sent, last = [SynthesizeStart().event(), *words, whole, SynthesizeStop().event()], "synthesize-stopped"
    async with AsyncTcpClient("127.0.0.1", server.wyoming_port) as client:
        for event in sent:
            await client.write_event(event)
        sound = 0
        while (event := await client.read_event()) is not None:
            if event.type == "error":
                raise UnusableError(str(event.data)[:200])
            sound += len(event.payload or b"") if event.type == "audio-chunk" else 0
            if event.type == last:
                return sound
    raise UnusableError(f"the connection closed before {last}")


async def realtime(server: Server, text: str, _turn: int) -> int:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    async with connect(f"{server.socket_url}/v1/realtime?model=gpt-realtime-mini", max_size=None) as socket:
        await socket.send(json.dumps({"type": "response.create", "response": {"input": [item]}}))
        sound, said = 0, ""
        async for message in socket:
            event = json.loads(message)
            if event["type"] == "error":
                raise UnusableError(str(message)[:200])
            if event["type"] == "response.output_audio.delta":
                sound += len(base64.b64decode(event["delta"]))
            elif event["type"] == "response.output_audio_transcript.done":
                said = event["transcript"]
            elif event["type"] == "response.done":
                if event["response"]["status"] != "completed" or said.split() != text.split():
                    raise UnusableError(f"{event['response']['status']}, transcript {said!r}")
                return sound
    raise UnusableError("the socket closed before response.done")


async def captions(server: Server, text: str, turn: int) -> int:
    """In turns: one JSON object, and an object a line."""
    body = {"model": "kokoro", "voice": "af_heart", "input": text, "response_format": "pcm", "return_timestamps": True}
    answer = await server.post("/dev/captioned_speech", **body, stream=turn % 2 == 1)
    parts = [json.loads(line) for line in answer.text.splitlines() if line]
    words = [word["word"] for part in parts for word in part["timestamps"] or ()]
    if words != text.split():
        raise UnusableError(f"captions of {text!r} are {words}")
    return sum(len(base64.b64decode(part["audio"])) for part in parts)


def all_kinds() -> list[Kind]:
    return [
        Kind("OpenAI speech", openai_speech),
        Kind("our WebSocket", own_socket),
        Kind("ElevenLabs", elevenlabs),
        Kind("Wyoming", wyoming),
        Kind("Realtime", realtime),
        Kind("Kokoro captions", captions),
    ]


async def one_client(
    kind: Kind, server: Server, texts: tuple[str, ...], chance: random.Random, goes_on: Callable[[], bool]
) -> None:
    """Ask until it is over. Each kind's forms come in turns, from a first one that differs from client to client."""
    turn = chance.randrange(6)
    while goes_on():
        begin = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                sound = await kind.speak(server, chance.choice(texts), turn)
            if sound < LEAST_BYTES:
                raise UnusableError(f"only {sound} bytes of sound")
        except Exception as error:  # noqa: BLE001 (whatever its client would have raised)
            kind.errors.append(f"turn {turn}: {type(error).__name__}: {error}"[:300])
            await asyncio.sleep(0.5)  # a server that is gone is not asked a thousand times a second
        else:
            kind.sound_bytes += sound
            kind.seconds.append(time.monotonic() - begin)
        turn += 1


async def soak(server_at: tuple[str, int], options: argparse.Namespace) -> list[Kind]:
    kinds, end = all_kinds(), time.monotonic() + 60 * options.minutes
    texts = TEXTS if options.text is None else (options.text,)

    def goes_on() -> bool:
        asked = sum(len(kind.seconds) + len(kind.errors) for kind in kinds)
        return time.monotonic() < end and (options.requests is None or asked < options.requests)

    async with httpx.AsyncClient(timeout=PATIENCE, limits=httpx.Limits(max_connections=options.clients)) as http:
        server = Server(*server_at, http)
        chances = [random.Random(f"{options.seed} {number}") for number in range(options.clients)]
        clients = [
            one_client(kinds[number % len(kinds)], server, texts, chance, goes_on)
            for number, chance in enumerate(chances)
        ]
        await asyncio.gather(*clients)
    return kinds


def start(options: argparse.Namespace, folder: Path) -> tuple[subprocess.Popen[bytes], str, int]:
    """The process, its address and its port for Wyoming; RuntimeError where it does not become ready."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MLX_TTS_HOME": str(folder / "home")}
    command = [sys.executable, "-m", "mlx_tts", "serve", "--port", "0", "--wyoming", "0", "--cache-mb", "0"]
    log = folder / "server.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--model", options.model], stdout=out, stderr=subprocess.STDOUT, env=environment
        )
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        words = log.read_text(errors="replace").split()
        urls = [word for word in words if word.startswith("http://")]
        ports = [word for word in words if word.startswith("tcp://")]
        if urls and ports and httpx.get(f"{urls[0]}/ready").status_code == 200:
            return process, urls[0].rstrip("/"), int(ports[0].rpartition(":")[2])
        time.sleep(0.1)
    stop(process)
    raise RuntimeError(f"the server did not become ready; {log} says why")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(40)
    except subprocess.TimeoutExpired:
        process.kill()


def verdict(kinds: list[Kind], url: str, folder: Path, minutes: float) -> int:
    """Say what happened, and write it into the folder; the exit code."""
    wrong = [f"{kind.name} never spoke" for kind in kinds if not kind.seconds]
    wrong += [f"{kind.name} had {len(kind.errors)} errors" for kind in kinds if kind.errors]
    try:
        if httpx.get(f"{url}/health").status_code != 200:
            wrong.append("the server is not well")
        if "\nmlx_tts_rows_used 0.0" not in httpx.get(f"{url}/metrics").text:
            wrong.append("rows are still in use")
    except httpx.HTTPError as error:
        wrong.append(f"the server is gone: {error}")
    print("\n".join(kind.verdict() for kind in kinds))
    answers = sum(len(kind.seconds) for kind in kinds)
    print(f"{answers} answers in {minutes:.1f} minutes: {'; '.join(wrong) or 'no error'}")
    told = {
        kind.name: {"answers": len(kind.seconds), "errors": kind.errors, "bytes": kind.sound_bytes} for kind in kinds
    }
    (folder / "verdict.json").write_text(json.dumps({"minutes": minutes, "wrong": wrong, "kinds": told}, indent=1))
    return int(bool(wrong))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--folder", type=Path, default=None, help="a new temporary one by default")
    parser.add_argument("--clients", type=int, default=12)
    parser.add_argument("--requests", type=int, default=None, help="stop after so many, if that is sooner")
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--text", default=None, help="what all of them ask for, in place of texts in turns")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="soak-clients-"))
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        process, url, port = start(options, folder)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    begin = time.monotonic()
    try:
        kinds = asyncio.run(soak((url, port), options))
        time.sleep(1)  # rows become free a moment after their clients have heard the end
        return verdict(kinds, url, folder, (time.monotonic() - begin) / 60)
    finally:
        stop(process)


if __name__ == "__main__":
    sys.exit(main())
