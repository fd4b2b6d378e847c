"""A checkpoint in, sentences that its model speaks out: what the recipe of any family is measured with."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from mlx_tts.checkpoints.shard_index import BUILT_IN
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import MlxTtsError, ModelError, RequestError
from mlx_tts.models import families
from mlx_tts.models.recipes.contract import Arrays, Measurable, SpokenSentence
from mlx_tts.models.recipes.kept import KeptMeasurements
from mlx_tts.speech import CheckedRequest, SpeechRequest, Voice
from mlx_tts.text.languages import everyday_in_turn

SPEAKING = "speaking"  # a kind of work
MOST_FRAMES, MOST_SENTENCE_FRAMES, ROWS = 600, 60, 8
USUAL_FRAMES = 1.2  # times MOST_FRAMES: sentences are spoken to their end
DESCRIPTIONS = (
    "A calm woman with a clear, warm voice.",
    "A young man who speaks quickly and cheerfully.",
    "An elderly man with a deep, slow voice.",
    "A friendly girl with a bright voice.",
)
REFERENCE_TEXT = "The harbour was quiet when the first boats came home, and nobody on the shore said a word."
FRAMES = "frames"  # the name of a sentence's frames among its arrays
T = TypeVar("T")


def untold(_line: str) -> None:
    """What loading has to say would take the place of the step that is going on."""


def spoken_sentences(
    family: Measurable,
    checkpoint: Any,
    work: ConversionWork,
    frame_seconds: float,
    kept: KeptMeasurements | None = None,
    first_seed: int = 0,
    most_frames: int | None = None,
) -> list[Any]:
    """Sentences in its languages and voices in turn, until there are enough frames, as the family's reader takes them.

    frame_seconds: what a frame usually takes. kept: knows what was spoken already. most_frames: after so many it ends;
    MOST_FRAMES by default. ModelError where nothing is said."""
    model = families.load(checkpoint, log=untold)
    requests = list(_requests(family, checkpoint, model, work, first_seed))
    sentences: list[Any] = []
    most_frames = MOST_FRAMES if most_frames is None else most_frames
    frames = 0
    for turn, at in enumerate(range(0, len(requests), ROWS), 1):
        if frames >= most_frames:
            break
        together = dict(enumerate(requests[at : at + ROWS], at))
        made = {number: kept.sentence(number) for number in together} if kept is not None else {}
        if not made or None in made.values():
            made = dict(zip(together, speak(family, model, list(together.values()), work, frame_seconds), strict=True))
            if kept is not None:
                kept.keep_sentences({number: own for number, own in made.items() if own is not None})
        for number, request in together.items():
            own = dict(made[number] or {})
            if own:
                frames += len(own[FRAMES])
                sentences.append(family.sentence(model, SpokenSentence(request, own.pop(FRAMES), own)))
        work.drop(SPEAKING)
        if frames:
            of_a_turn = frames / turn
            turns_left = math.ceil(max(0, most_frames - frames) / of_a_turn)
            work.plan(SPEAKING, turns_left * of_a_turn * frame_seconds)
    work.drop(SPEAKING)
    if not sentences:
        raise ModelError(f"{checkpoint.folder} says nothing that could be measured: use --recipe uniform")
    work(f"recipe: {len(sentences)} sentences, {frames} frames")
    return sentences


def _requests(
    family: Measurable, checkpoint: Any, model: Any, work: ConversionWork, first_seed: int
) -> Iterator[CheckedRequest]:
    """Checked ones; sentences that the model cannot read are left out."""
    info = checkpoint.info
    voices: list[str | Voice | None] = list(info.voices)
    if info.can.clones:
        words = REFERENCE_TEXT if family.NEEDS_WORDS else None
        voices += [model.voice(*recording, words) for recording in _recordings(work)]
    if info.can.designs or not voices:
        voices.append(None)
    for at, (language, sentence) in enumerate(everyday_in_turn(info.languages)):
        voice = voices[at % len(voices)]
        request = SpeechRequest(
            sentence,
            voice=voice,
            language=language if language in info.languages else "auto",
            instruct=DESCRIPTIONS[at % len(DESCRIPTIONS)] if info.can.designs and voice is None else None,
            seed=first_seed + at,
        )
        try:
            yield families.check_request(checkpoint, request)
        except RequestError as error:
            work(f"recipe: a sentence is left out: {error}")


def _recordings(work: ConversionWork) -> list[tuple[Any, int]]:
    """Samples [N] and their rate: what a model that clones is given for voices is said by the built-in ones."""
    work("recipe: the built-in voices say a sentence each, for this model to clone")
    checkpoint: Any = families.open_checkpoint(BUILT_IN / "tiny")
    model: Any = families.load(checkpoint, log=untold)
    requests = [SpeechRequest(REFERENCE_TEXT, voice=name, seed=0) for name in checkpoint.info.voices]
    prepared = [model.prepare(families.check_request(checkpoint, request)) for request in requests]
    said = [np.stack(frames) for _, frames in generated(model, prepared, ConversionWork(work), 0.0)]
    return [(model.decode_codes(codes), checkpoint.info.sample_rate) for codes in said]


def speak(
    family: Measurable, model: Any, requests: Sequence[CheckedRequest], work: ConversionWork, frame_seconds: float
) -> list[Arrays]:
    """The frames of each request with what its row knows, empty where there are none; made side by side."""
    prepared = [model.prepare(request) for request in requests]
    return [
        {FRAMES: np.stack(frames), **family.more_of(row)} if frames else {}
        for row, frames in generated(model, prepared, work, frame_seconds)
    ]


def generated(
    model: Any, prepared: Sequence[Any], work: ConversionWork, frame_seconds: float
) -> list[tuple[Any, list[Any]]]:
    """The row of each prepared request, and its frames."""
    rows = [_result(model.begin(one, 0)) for one in prepared]
    made: list[list[Any]] = [[] for _ in rows]
    batch, going = model.open_batch(), list(range(len(rows)))
    while going:
        with work.doing(SPEAKING, len(going) * frame_seconds):
            read = batch.step([rows[at] for at in going]).read()
        still = []
        for at, frame in zip(going, read, strict=True):
            if isinstance(frame, MlxTtsError):
                raise frame
            if frame is not None:
                made[at].append(frame)
                still += [at] if len(made[at]) < MOST_SENTENCE_FRAMES else []
        going = still
    return list(zip(rows, made, strict=True))


def _result(steps: Generator[Any, None, T]) -> T:
    """What a generator returns when all its steps are done."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
