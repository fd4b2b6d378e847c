"""Utterances beside each other are what they are alone; streams are the whole; draws follow the seed."""

import numpy as np
import pytest

from mlx_tts import SpeechRequest
from mlx_tts.speech import Sampling
from tests.helpers.rounding import assert_same_sound

pytestmark = pytest.mark.slow

TEXTS = ["Hello world, this is a test.", "How are you today?", "I am fine, thank you.", "The lazy dog."]


def requests(tts, **more):
    return [
        SpeechRequest(text, voice=tts.voices[at % len(tts.voices)], language="en", seed=at, max_frames=16 + at, **more)
        for at, text in enumerate(TEXTS)
    ]


def alone(tts, request):
    with tts.submit(request) as stream:
        samples = np.concatenate([chunk.samples for chunk in stream])
    return stream.codes, samples


@pytest.mark.smoke("cached-baked_s2")
@pytest.mark.parametrize("case", ["baked_s1", "baked_s2", "maskgit"])
@pytest.mark.parametrize("cache", ["cached", "recomputed"])
def test_rows_beside_each_other_are_what_they_are_alone(magpie, case, cache):
    """One of them is unguided, one greedy; they join at different times and end at different ones."""
    tts = magpie(case).tts
    asked = requests(tts, options={"cache": cache})
    asked[1] = SpeechRequest(**{**vars(asked[1]), "options": {"cache": cache, "guidance": 1.0}})
    asked[2] = SpeechRequest(**{**vars(asked[2]), "sampling": Sampling(temperature=0)})
    separate = [alone(tts, request) for request in asked]
    streams = []
    first = tts.submit(asked[0], live=True, low_latency=True)
    chunks = [next(first)]  # the others join while the first is on its way
    streams = [first, *[tts.submit(request) for request in asked[1:]]]
    cancelled = tts.submit(requests(tts)[3])
    cancelled.cancel()
    sounds = [[chunk.samples for chunk in stream] for stream in streams]
    sounds[0].insert(0, chunks[0].samples)
    for stream, own, (codes, samples) in zip(streams, sounds, separate, strict=True):
        np.testing.assert_array_equal(stream.codes, codes)
        assert_same_sound(np.concatenate(own), samples)


def test_the_seed_decides(magpie):
    tts = magpie("baked_s2").tts

    def codes(seed, **more):
        return tts.generate_codes(SpeechRequest(TEXTS[0], voice="Leo", seed=seed, max_frames=12, guard=False, **more))

    np.testing.assert_array_equal(codes(3), codes(3))
    assert not np.array_equal(codes(3), codes(4))
    greedy = [codes(seed, sampling=Sampling(temperature=0)) for seed in (1, 2)]
    np.testing.assert_array_equal(*greedy)


@pytest.mark.smoke("3")
@pytest.mark.parametrize("frames", [1, 2, 3, 5])
def test_a_limit_may_fall_into_a_stack_of_frames(magpie, frames):
    tts = magpie("baked_s2").tts
    request = SpeechRequest(TEXTS[0], voice="Leo", seed=3, max_frames=frames)
    whole = tts.generate_codes(SpeechRequest(TEXTS[0], voice="Leo", seed=3, max_frames=8))
    np.testing.assert_array_equal(tts.generate_codes(request), whole[:frames])
    assert len(tts.speak(request).samples) == frames * 1024


def test_words_have_their_times(magpie):
    tts = magpie("baked_s1").tts
    speech = list(tts.stream(requests(tts)[0]))
    marks = [mark for mark in speech[-1].marks if mark.level == "word"]
    assert [mark.text for mark in marks] == TEXTS[0].split()
    assert all(mark.estimated for mark in marks)
    assert [mark.start for mark in marks] == sorted(mark.start for mark in marks)
    assert marks[0].start == 0.0
    assert marks[-1].end == pytest.approx(sum(chunk.seconds for chunk in speech), abs=0.01)


def test_pieces_carry_on_where_the_one_before_ended(magpie):
    """A narration is its pieces spoken one after the other, each with what the one before left and told of the next."""
    tts = magpie("baked_s1").tts
    text = (
        "This is a test of the voice. How are you today, I am fine? You read it, I sing it. The zebra is over the fox."
    )
    told = []
    submit = tts.submit

    def listen(request, **options):
        told.append((request.after is not None, request.more))
        return submit(request, **options)

    tts.submit = listen
    try:
        pieces = [chunk for chunk in tts.narrate(text, seed=1, guard=False, max_frames=8) if chunk.report]
    finally:
        del tts.submit
    assert len(pieces) == len(told) > 1
    assert told == [(at > 0, at + 1 < len(told)) for at in range(len(told))]
