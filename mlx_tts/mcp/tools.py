"""Calls of tools -> the voice box; what agents see: names, arguments, short answers, errors of one line."""

from __future__ import annotations

import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field, ValidationError

from mlx_tts import __version__
from mlx_tts.errors import MlxTtsError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.library.catalog import voice_key
from mlx_tts.mcp.files import SpokenFile, inside
from mlx_tts.mcp.listing import known_voices
from mlx_tts.mcp.planning import Planned, plan_file, plan_text, with_wishes
from mlx_tts.mcp.voice_box import FAILED, SPEAKING, STOPPED, Utterance, VoiceBox
from mlx_tts.shortened import shortened

LOOK_SECONDS = 0.02
SHOWN_CHARACTERS = 60  # of a text in an answer
INSTRUCTIONS = """Speaks through the loudspeakers of the user's machine. Say little: a sentence or two of what the user
wants to know now, in plain words, without code, paths or tables. speak answers at once while the speech goes on; use
wait only if what you do next depends on its end. If the user answers while you speak, call stop: it says which words
were heard.""".replace("\n", " ")
Say = Callable[[Context, Callable[[], Planned], bool, bool], Awaitable[dict[str, Any]]]
log = logging.getLogger("mlx_tts.mcp")

Text = Annotated[str, Field(description="What to say: plain words, or Markdown, which is read as people would.")]
VoiceName = Annotated[str | None, Field(description="A name of the tool voices; the user's choice by default.")]
Speed = Annotated[float | None, Field(description="0.25 to 4 times as fast, at the same pitch.")]
Language = Annotated[str | None, Field(description="Such as English or de; found out from the text by default.")]
Wait = Annotated[bool, Field(description="Answer when all was heard, with progress a sentence, not at once.")]
Interrupt = Annotated[bool, Field(description="Stop what is being spoken and what waits, and speak now.")]
Style = Annotated[str | None, Field(description="How to speak, for models that follow instructions.")]
FileName = Annotated[str, Field(description="A path inside the folder that the user allowed.")]


@dataclass(frozen=True)
class Agents:
    """What the user lets agents do. settings: of every speech. client_voices: keys of clients' names -> voices. folder:
    where files may be read and written; None: nowhere."""

    settings: SpeechSettings
    client_voices: dict[str, str]
    folder: Path | None

    def settings_for(self, client: str | None, wishes: dict[str, Any]) -> SpeechSettings:
        """Of one call by a client: its own voice, unless the call names another."""
        bound = None if client is None else self.client_voices.get(voice_key(client))
        return with_wishes(self.settings, {**wishes, "voice": wishes.get("voice") or bound})


class SpeechServer(MCPServer[Any]):
    """Its answer to arguments of wrong types is one line; the package's own is pydantic's text, of several."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> Any:
        """The tool's result; ToolError where it fails or an argument is wrong."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            wrong = error.__cause__
            if not isinstance(wrong, ValidationError):
                raise
            told = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in wrong.errors())
            raise ToolError(f"{name} cannot take these arguments: {told}") from wrong


def make_server(agents: Agents, open_box: Callable[[], VoiceBox]) -> MCPServer[Any]:
    """The server with its tools. open_box: gives the voice box, which may load for a while."""
    server = SpeechServer(
        "mlx-tts", title="Speech", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING"
    )
    say = partial(_say, open_box, anyio.Lock())
    _add_speaking(server, agents, open_box, say)
    _add_files(server, agents, open_box, say)

    @server.tool(annotations=ToolAnnotations(title="List voices", read_only_hint=True, open_world_hint=False))
    async def voices(
        language: Annotated[str | None, Field(description="Only those that speak it.")] = None,
    ) -> dict[str, Any]:
        """The voices that can speak here, with sex, accent and character, and whether their model is on disk."""
        return {"voices": await _trying(known_voices, language)}

    return server


def _add_speaking(server: MCPServer[Any], agents: Agents, open_box: Callable[[], VoiceBox], say: Say) -> None:
    @server.tool(annotations=ToolAnnotations(title="Speak", destructive_hint=False, open_world_hint=False))
    async def speak(
        ctx: Context,
        text: Text,
        voice: VoiceName = None,
        speed: Speed = None,
        language: Language = None,
        instructions: Style = None,
        wait: Wait = False,
        interrupt: Interrupt = False,
    ) -> dict[str, Any]:
        """Say a text aloud. Texts wait for each other; the answer has the id, for stop."""
        wishes = {"voice": voice, "speed": speed, "language": language, "instruct": instructions}
        client = _client(ctx)
        return await say(ctx, lambda: plan_text(agents.settings_for(client, wishes), text), wait, interrupt)

    @server.tool(annotations=ToolAnnotations(title="Stop speaking", destructive_hint=False, open_world_hint=False))
    async def stop(
        id: Annotated[str | None, Field(description="Of one speech; all of them by default.")] = None,
    ) -> dict[str, Any]:
        """Be silent at once. For each speech the words that were heard, and how many of how many."""
        return {"stopped": [_shown(one) for one in open_box().stop(id)]}

    @server.tool(annotations=ToolAnnotations(title="What is spoken", read_only_hint=True, open_world_hint=False))
    async def queue() -> dict[str, Any]:
        """What is being spoken and what waits, with the words that were heard so far, and what failed."""
        box = open_box()
        return {"queue": [_shown(one) for one in box.queue()], **_failures(box)}


def _add_files(server: MCPServer[Any], agents: Agents, open_box: Callable[[], VoiceBox], say: Say) -> None:
    @server.tool(annotations=ToolAnnotations(title="Read a file aloud", destructive_hint=False, open_world_hint=False))
    async def read_file(
        ctx: Context,
        path: FileName,
        voice: VoiceName = None,
        speed: Speed = None,
        language: Language = None,
        wait: Wait = False,
        interrupt: Interrupt = False,
    ) -> dict[str, Any]:
        """Read a text, Markdown, HTML, EPUB, DOCX or PDF file aloud, as it is: its words need not be sent."""
        client, wishes = _client(ctx), {"voice": voice, "speed": speed, "language": language}

        def plan() -> Planned:
            return plan_file(agents.settings_for(client, wishes), inside(agents.folder, path))

        return await say(ctx, plan, wait, interrupt)

    @server.tool(annotations=ToolAnnotations(title="Save speech", destructive_hint=False, open_world_hint=False))
    async def save(
        ctx: Context,
        text: Text,
        path: Annotated[str, Field(description="A new file in the user's folder; its ending is the format: .mp3, ...")],
        voice: VoiceName = None,
        speed: Speed = None,
        language: Language = None,
    ) -> dict[str, Any]:
        """Speak a text into a sound file, which is not played. A file that is there is not replaced."""
        client, wishes = _client(ctx), {"voice": voice, "speed": speed, "language": language}

        def checked() -> SpokenFile:
            return SpokenFile(
                inside(agents.folder, path), plan_text(agents.settings_for(client, wishes), text, live=False)
            )

        file = await _trying(checked)
        gone = threading.Event()
        try:
            seconds = await anyio.to_thread.run_sync(
                partial(_trying_now, file.write, open_box().models, gone.is_set), abandon_on_cancel=True
            )
        finally:
            gone.set()
        return {"path": str(file.path), "seconds": round(seconds, 2)}


async def _say(
    open_box: Callable[[], VoiceBox],
    order: anyio.Lock,
    ctx: Context,
    plan: Callable[[], Planned],
    wait: bool,
    interrupt: bool,
) -> dict[str, Any]:
    """order: held while a text is read, so that those of calls at once are spoken in the order of the calls. What
    interrupts does not wait for it."""
    async with nullcontext() if interrupt else order:
        planned, box = await _trying(plan), open_box()
        interrupted = [_shown(one) for one in box.stop()] if interrupt else []
        one = await _trying(box.say, planned)
    answer: dict[str, Any] = {}
    if wait:
        await _until_heard(ctx, box, one)
    else:
        waiting = box.queue()
        answer["position"] = waiting.index(one) if one in waiting else 0
    shown = _shown(one)
    if shown["state"] == FAILED:
        box.was_told(one)
    answer = {**shown, **answer, **_failures(box)}
    return answer | ({"interrupted": interrupted} if interrupted else {})


async def _until_heard(ctx: Context, box: VoiceBox, one: Utterance) -> None:
    """Tell each sentence when it is heard; a client that gives up silences its speech."""
    told = None
    try:
        while not one.has_ended:
            await anyio.sleep(LOOK_SECONDS)
            sentence = one.hearing.sentence_at(one.played_seconds) if one.state == SPEAKING else None
            if sentence != told and sentence is not None:
                told = sentence
                await ctx.report_progress(round(one.played_seconds, 2), round(one.planned.seconds, 2), sentence)
    except anyio.get_cancelled_exc_class():
        box.stop(one.id)
        raise
    if one.state == FAILED:
        box.was_told(one)
        raise ToolError(one.error or "it could not be spoken")


def _failures(box: VoiceBox) -> dict[str, Any]:
    """What went wrong with earlier speeches, in the next answer: their calls were answered before it did."""
    failed = box.take_failed()
    return {"failed": [_shown(one) for one in failed]} if failed else {}


def _shown(one: Utterance) -> dict[str, Any]:
    """One speech in an answer: short, for a model reads it."""
    seconds, text = one.planned.seconds, one.planned.text
    shown: dict[str, Any] = {"id": one.id, "state": one.state, "seconds": round(seconds, 1), "voice": one.planned.voice}
    if one.state in (SPEAKING, STOPPED, FAILED):
        heard = one.heard_so_far()
        shown |= {"heard": heard.text, "heard_words": heard.words, "words": heard.of}
    else:
        shown["text"] = shortened(text, SHOWN_CHARACTERS)
    return shown | ({"error": one.error} if one.error else {})


def _client(ctx: Context) -> str | None:
    """The name that the client gave itself."""
    params = ctx.session.client_params
    return None if params is None else params.client_info.name


async def _trying(work: Callable[..., Any], *arguments: Any) -> Any:
    """The work in a thread, its errors as those of the tool."""
    return await anyio.to_thread.run_sync(partial(_trying_now, work, *arguments))


def _trying_now(work: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return work(*arguments)
    except MlxTtsError as error:
        raise ToolError(str(error)) from None
