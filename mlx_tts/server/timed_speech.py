"""A job -> its sound with what is spoken when, part by part, for answers that carry both; and characters with times."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import numpy as np

from mlx_tts.audio.formats import AudioFormat
from mlx_tts.narration.narrate import Spoken
from mlx_tts.server.answers import bad_request
from mlx_tts.server.serving import Job, Serving
from mlx_tts.server.speech_body import SpeechOrder
from mlx_tts.server.spoken_text import check_spoken
from mlx_tts.server.streaming import SILENCE_SECONDS, SpeechEncoder, in_thread
from mlx_tts.speech import Mark

MOST_WHOLE = 10_000  # characters: ten minutes of speech


@dataclass
class Characters:
    """Each character of a text with its beginning and end, in seconds; they rise."""

    text: list[str] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)

    def add(self, text: str, start: float, end: float) -> None:
        """These characters share the time evenly; what lies before the last end begins there."""
        start = max(start, self.ends[-1] if self.ends else 0.0)
        each = max(0.0, end - start) / max(1, len(text))
        for at, character in enumerate(text):
            self.text.append(character)
            self.starts.append(round(start + at * each, 4))
            self.ends.append(round(start + (at + 1) * each, 4))


def characters_of(text: str, marks: Sequence[Mark], start: float) -> Characters:
    """The characters of a piece: those of its words as the marks say, what stands between them between the words.
    start: when the piece begins, in seconds of the speech."""
    found, at, end = Characters(), 0, start
    for word in marks:
        place = text.find(word.text, at) if word.level == "word" else -1
        if place < 0:
            continue
        found.add(text[at:place], end, word.start)
        found.add(word.text, word.start, word.end)
        at, end = place + len(word.text), word.end
    found.add(text[at:], end, end)
    return found


def must_be_short(order: SpeechOrder, field: str) -> None:
    """ApiError 400 for a text whose speech is too long for one JSON object, which is held in memory as a whole. field:
    what its client calls the text."""
    if len(order.input) > MOST_WHOLE:
        raise bad_request(
            f"the text has {len(order.input)} characters, at most {MOST_WHOLE} are answered at once: ask for a stream",
            field,
            "string_above_max_length",
        )


def _to_the_end(marks: tuple[Mark, ...], end: float) -> tuple[Mark, ...]:
    """The last word and its sentence last as long as the sound: clients reckon that where the times end, it ends."""
    words = [at for at, mark in enumerate(marks) if mark.level == "word"]
    if not words:
        return marks
    last = marks[words[-1]].end
    return tuple(replace(mark, end=end) if mark.end == last else mark for mark in marks)


async def timed_speech(
    serving: Serving, job: Job, client: str, encoder: SpeechEncoder
) -> AsyncGenerator[tuple[bytes, Spoken | None], None]:
    """The sound as it is made, each with the part that it comes from; None with what the encoder gives at the end.
    Close it to end the speech. ApiError before the first sound where there is no room."""
    rate, samples = job.model.info.sample_rate, 0
    if not job.pieces:  # a client that reads sentence by sentence goes on after one of signs alone
        silence = np.zeros(round(SILENCE_SECONDS * rate), np.float32)
        sound = await in_thread(encoder, encoder.encode, silence)
        yield sound + await in_thread(encoder, encoder.finish), None
        return
    async with serving.speaking_job(job, client) as spoken:
        async for part in spoken:
            encoder.begin_voice(part.piece.voice)
            samples += len(part.samples)
            part = replace(part, marks=_to_the_end(part.marks, samples / rate))
            yield await in_thread(encoder, encoder.encode, part.samples) if len(part.samples) else b"", part
    check_spoken(samples)
    yield await in_thread(encoder, encoder.finish), None


async def job_parts(
    serving: Serving, job: Job, client: str, format: AudioFormat, rate: int | None
) -> AsyncGenerator[tuple[bytes, Spoken | None], None]:
    """The same in a format, counted in the figures of the server, as is a client that goes; every error is the ApiError
    that its client gets."""
    encoder = SpeechEncoder(format, job.model.info.sample_rate, job.order.loudness, rate)
    counted = False
    try:
        async with aclosing(timed_speech(serving, job, client, encoder)) as parts:
            async for part in parts:
                if not counted:
                    counted = True
                    serving.metrics.count(200)
                yield part
    except (GeneratorExit, asyncio.CancelledError):
        serving.metrics.cancelled.inc()
        raise
    except Exception as error:
        answer = serving.failed(error)
        serving.metrics.count(answer.status)
        raise answer from error
