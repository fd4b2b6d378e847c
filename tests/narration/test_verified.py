"""A model that is listened to: which takes are spoken again, which is kept, and that order and state stay right."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from mlx_tts.generation.seeds import verified_seed
from mlx_tts.narration.narrate import NarrationOptions, narrate
from mlx_tts.narration.verified import Verified
from mlx_tts.speech import AudioChunk, Capabilities, CheckedRequest, GuardReport, ModelInfo
from mlx_tts.text.cutting.pieces import Piece

RATE = 24_000
TEXTS = ["The bridge was closed.", "Nobody knew why.", "They walked home."]


def sound_of(text: str, take: int) -> np.ndarray:
    """A sound from which the listener below can tell what was said in which take."""
    return np.full(100, (TEXTS.index(text) + 1 + 10 * take) / 100, np.float32)


@dataclass
class Speaker:
    """Says what it is asked in two chunks; notes seeds, and what each piece began with."""

    continues: bool = False
    seeds: list[tuple[str, int]] = field(default_factory=list)
    states: list[object] = field(default_factory=list)
    frames_made: int = 0

    @property
    def info(self):
        can = Capabilities(continues=self.continues)
        return ModelInfo(Path(), "toy", "", "", (), (), RATE, 12.5, 1, "", can=can)

    def chunks(self, request):
        self.seeds.append((request.text, request.seed))
        samples = sound_of(request.text, request.seed // verified_seed(0, 2) + 1)
        yield AudioChunk(samples[:40], RATE)
        yield AudioChunk(samples[40:], RATE, GuardReport(1))

    def stream_many(self, requests, rows=1, live=False, low_latency=False):
        assert not live
        for asked in requests:
            for chunk in self.chunks(asked[1]) if asked is not None else ():
                yield asked[0], chunk

    def submit(self, request, *, live=False, low_latency=False):
        self.states.append(request.after)
        stream = Stream(list(self.chunks(request)))
        stream.continuation = request.text, request.seed
        return stream


class Stream(list):
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def listener(heard: dict[tuple[str, int], str]):
    """What is heard of a text's take; where nothing is said of it, the text."""

    def listen(samples, sample_rate, text, language):
        assert len(samples) == 100
        number = round(float(samples[0]) * 100)
        assert TEXTS[number % 10 - 1] == text
        return heard.get((text, number // 10), text)

    return listen


WRONG = {(TEXTS[1], 1): "Nobody new", (TEXTS[1], 2): "", (TEXTS[2], 1): "They walk Rome."}


def spoken(speaker: Speaker, heard, retries: int = 2):
    findings = []
    request = CheckedRequest(TEXTS[0], language="english", seed=5)
    pieces = [Piece(number, text, 0, "sentence") for number, text in enumerate(TEXTS)]
    model = Verified(speaker, listener(heard), retries, findings.append)
    parts = list(narrate(model, request, iter(pieces), NarrationOptions(rows=2)))
    loud = {}
    for part in parts:
        loud.setdefault(part.piece.number, set()).update(
            round(float(value), 2) for value in np.unique(part.samples[part.samples != 0])
        )
    return loud, findings, [part.piece.number for part in parts]


@pytest.mark.parametrize("continues", [False, True])
def test_wrong_takes_are_spoken_again_and_the_right_one_is_given(continues):
    speaker = Speaker(continues)
    loud, findings, order = spoken(speaker, WRONG)
    assert loud == {0: {0.11}, 1: {0.32}, 2: {0.23}}
    assert order == sorted(order)
    assert [(f.text, f.take, f.again) for f in sorted(findings, key=lambda f: (f.text, f.take))] == [
        (TEXTS[1], 1, True),
        (TEXTS[1], 2, True),
        (TEXTS[2], 1, True),
    ]
    assert [seed for text, seed in speaker.seeds if text == TEXTS[1]] == [5, 5 + 7_368_787, 5 + 2 * 7_368_787]


def test_of_takes_that_are_all_wrong_the_best_is_kept():
    heard = {(TEXTS[1], 1): "Somebody else", (TEXTS[1], 2): "Nobody new why", (TEXTS[1], 3): "Nobody"}
    loud, findings, _ = spoken(Speaker(), heard)
    assert loud[1] == {0.22}
    assert [finding.again for finding in findings] == [True, True, False]


def test_without_retries_it_only_tells():
    loud, findings, _ = spoken(Speaker(), WRONG, retries=0)
    assert loud == {0: {0.11}, 1: {0.12}, 2: {0.13}}
    assert [finding.again for finding in findings] == [False, False]


def test_the_next_piece_goes_on_from_the_take_that_was_kept():
    speaker = Speaker(continues=True)
    heard = {(TEXTS[0], take): "The bridge" for take in (2, 3)} | {(TEXTS[0], 1): "The bridge was closer"}
    spoken(speaker, heard)
    assert speaker.states[3] == (TEXTS[0], 5)  # the first take of three was the best
