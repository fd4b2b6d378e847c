"""Utterances beside each other are what they are alone; streams are the whole; noise follows the seed; voices stay."""

import numpy as np
import pytest

from mlx_tts import SpeechRequest
from mlx_tts.errors import RequestError
from tests.helpers.rounding import assert_same_sound

TEXTS = ["Hello world, this is a voice.", "How are you today?", "I am good.", "The quick brown fox."]


def requests(**more):
    return [SpeechRequest(text, seed=at, max_frames=4 + at, guard=False, **more) for at, text in enumerate(TEXTS)]


def alone(tts, request):
    with tts.submit(request) as stream:
        samples = np.concatenate([chunk.samples for chunk in stream])
    return stream.codes, samples


@pytest.mark.smoke("text")
@pytest.mark.slow
@pytest.mark.parametrize("case", ["text", "first"])
def test_rows_beside_each_other_are_what_they_are_alone(voxcpm, case):
    """One has other numbers of steps, one is not guided, one another guidance; they join and end at different times."""
    tts = voxcpm(case).tts
    asked = requests()
    for at, options in ((1, {"steps": 4}), (2, {"guidance": 1.0}), (3, {"guidance": 1.5})):
        asked[at] = SpeechRequest(**{**vars(asked[at]), "options": options})
    separate = [alone(tts, request) for request in asked]
    first = tts.submit(asked[0], live=True, low_latency=True)
    chunks = [next(first)]  # the others join while the first is on its way
    streams = [first, *[tts.submit(request) for request in asked[1:]]]
    cancelled = tts.submit(requests()[3])
    cancelled.cancel()
    sounds = [[chunk.samples for chunk in stream] for stream in streams]
    sounds[0].insert(0, chunks[0].samples)
    for stream, own, (codes, samples) in zip(streams, sounds, separate, strict=True):
        assert_same_sound(stream.codes, codes, 2e-3)  # latents are read back, so rounding grows from patch to patch
        assert_same_sound(np.concatenate(own), samples, 5e-3)
    assert list(cancelled) == []


@pytest.mark.slow
def test_the_seed_decides(voxcpm):
    tts = voxcpm("text").tts

    def latents(seed, text=TEXTS[0]):
        return alone(tts, SpeechRequest(text, seed=seed, max_frames=2, guard=False))[0]

    np.testing.assert_array_equal(latents(3), latents(3))
    assert not np.array_equal(latents(3), latents(4))
    assert latents(3).shape == (2, 4, 64)


@pytest.mark.slow
def test_limits(voxcpm):
    tts = voxcpm("text").tts
    speech = tts.speak(SpeechRequest(TEXTS[0], seed=3, max_frames=3, guard=False))
    assert len(speech.samples) == 3 * 7680
    longer = alone(tts, SpeechRequest(TEXTS[0], seed=3, guard=False, options={"least_seconds": 1.7}))[0]
    assert len(longer) >= 11  # 1.7 s are more than ten patches of 0.16 s
    request = tts.check(SpeechRequest("a", seed=1))
    assert tts._synthesizer.most_frames(request) == 16  # 6 for each id, and 10


def recording(seconds=1.5, rate=16_000):
    t = np.arange(int(seconds * rate)) / rate
    return (0.2 * np.sin(2 * np.pi * 150 * t) * (1 + np.sin(2 * np.pi * 3 * t))).astype(np.float32)


@pytest.mark.slow
def test_voices(voxcpm):
    tts = voxcpm("clone").tts
    plain, worded = tts.voice(recording(), 16_000), tts.voice(recording(), 16_000, "Hello, you.")
    assert plain.reference_latents.shape == (10, 4, 24)
    assert plain.prompt_latents is None
    assert worded.prompt_latents.shape == (10, 4, 24)
    assert worded.transcript == "Hello, you. "
    assert plain.family == worded.family == "voxcpm2"
    # 24,000 samples are 9.375 patches: zeros stand on the right of a reference, on the left of what is continued.
    assert not np.allclose(worded.prompt_latents, worded.reference_latents, atol=1e-3)

    def prompt(voice, **options):
        return tts.prompt(SpeechRequest("good", voice=voice, options=options))

    both, reference = prompt(worded), prompt(worded, clone="reference")
    continued = prompt(worded, clone="continuation")
    np.testing.assert_array_equal(reference.ids, prompt(plain).ids)
    assert (both.is_audio.sum(), reference.is_audio.sum(), continued.is_audio.sum()) == (20, 10, 10)
    assert both.is_audio[-1] and continued.is_audio[-1] and not reference.is_audio[-1]
    assert both.ids[0] == reference.ids[0] == 103
    assert len(tts.speak("good", voice=worded, seed=1, max_frames=2).samples) == 2 * 7680
    other = tts.voice(np.repeat(recording(), 3), 48_000)
    assert other.reference_latents.shape == plain.reference_latents.shape


def test_the_first_architecture_goes_on_from_recordings(voxcpm):
    tts = voxcpm("first").tts
    assert not tts.info.can.designs
    with pytest.raises(RequestError, match="going on from a recording: give its words"):
        tts.voice(recording(), 16_000)
    voice = tts.voice(recording(), 16_000, "Hello, you.")
    assert voice.reference_latents is None
    assert tts.prompt(SpeechRequest("good", voice=voice)).is_audio[-1]
    assert tts.languages == ("auto", "chinese", "english")


@pytest.mark.slow
def test_a_designed_voice_is_kept_from_piece_to_piece(voxcpm):
    """Later pieces go on from the words and patches of the first ones, and are not described again."""
    tts = voxcpm("text").tts
    told = []
    submit = tts.submit

    def listen(request, **options):
        told.append(request)
        return submit(request, **options)

    tts.submit = listen
    try:
        text = "Hello world. " * 40
        pieces = [chunk for chunk in tts.narrate(text, instruct="slow voice", seed=1, guard=False, max_frames=20)
                  if chunk.report]  # fmt: skip
    finally:
        del tts.submit
    assert len(pieces) == len(told) > 2
    assert told[0].after is None
    assert told[1].after["text"].tobytes().startswith(b"(slow voice)Hello world.")
    prompts = [tts.prompt(request) for request in told]
    assert not prompts[0].is_audio.any()
    assert prompts[1].is_audio[-1] and prompts[2].is_audio[-1]
    assert prompts[1].ids.tolist()[: len(prompts[0]) - 1] == prompts[0].ids.tolist()[:-1]
    held = [request.after["patches"] for request in told[1:]]
    np.testing.assert_array_equal(prompts[1].patches, held[0])
    enough = 5.0 * tts.info.frame_rate
    assert len(held[1]) > len(held[0]) or len(held[0]) >= enough
    assert all(len(patches) < enough + 21 for patches in held)


def test_a_cloned_voice_needs_nothing_of_the_piece_before(voxcpm):
    tts = voxcpm("clone").tts
    voice = tts.voice(recording(), 16_000)
    assert not tts.check(SpeechRequest("good", voice=voice)).params.continues
    with tts.submit(SpeechRequest("good", voice=voice, seed=1, max_frames=2, guard=False)) as stream:
        list(stream)
    assert stream.continuation is None


def test_text_that_arrives(voxcpm):
    class Growing:
        def __init__(self):
            self.words, self.text, self.complete = iter(["Hello", "Hello world,", TEXTS[0]]), "", False

        def advance(self):
            self.text = next(self.words, self.text)
            self.complete = self.text == TEXTS[0]
            return True

        def wait(self):
            self.advance()

    tts = voxcpm("text").tts
    whole = alone(tts, SpeechRequest(TEXTS[0], seed=2, max_frames=3, guard=False))[0]
    arriving = SpeechRequest("Hello", seed=2, max_frames=3, guard=False, growing=Growing())
    np.testing.assert_array_equal(alone(tts, arriving)[0], whole)


@pytest.mark.slow
def test_the_guard_makes_a_bad_take_again(voxcpm):
    """Random weights stop where they like: with a text that is far longer, takes that end early are refused."""
    tts = voxcpm("text").tts
    speech = tts.speak(SpeechRequest("Hello world, this is a voice that speaks for quite a while. " * 3, seed=5))
    assert speech.report.takes == 3
    assert all("far too early" in fault for fault in speech.report.faults)


def test_a_text_that_does_not_fit(voxcpm):
    with pytest.raises(RequestError, match="this model reads 512: cut the text in parts"):
        voxcpm("text").tts.speak(SpeechRequest("x y z " * 400))
