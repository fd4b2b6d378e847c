"""The voice in the box speaks words that a recogniser understands; the draft it came from equals the official codes."""

import json

import numpy as np
import pytest
from hearing import recognised, word_errors, words

import mlx_tts
from mlx_tts import Sampling, SpeechRequest
from mlx_tts.loading import load_folder

SENTENCES = [
    "The quick brown fox jumps over the lazy dog.",
    "She opened the window and looked at the garden.",
    "We will meet at the station in the morning.",
]


@pytest.fixture(scope="module")
def tiny():
    return mlx_tts.load("tiny")


def test_recognised_words_match(tiny):
    errors = count = 0
    for sentence in SENTENCES:
        request = SpeechRequest(sentence, language="english", seed=3, max_frames=150)
        speech = tiny.speak(request)
        seconds = len(speech.samples) / speech.sample_rate
        assert 0.04 * len(sentence) < seconds < 0.12 * len(sentence)
        level = 20 * np.log10(np.sqrt((speech.samples**2).mean()))
        assert -40 < level < -10
        said = words(sentence)
        errors += word_errors(said, recognised(speech.samples, speech.sample_rate))
        count += len(said)
    assert errors <= 0.25 * count, f"{errors} of {count} words wrong"  # the draft's own rate is 6 to 11 %


def test_auto_is_the_one_language_there_is(tiny):
    assert tiny.languages == ("auto", "english")
    assert tiny.check(SpeechRequest("Hello.")).language == "english"


def test_the_draft_voice_equals_the_official_codes(tiny_voice):
    """tiny_voice skips loudly where the unquantised draft is not beside the checkout."""
    synthesizer = load_folder(tiny_voice / "checkpoint")
    golden = np.load(tiny_voice / "golden.npz")
    for i, sentence in enumerate(json.loads((tiny_voice / "golden_sentences.json").read_text())):
        wanted = golden[f"{i}/codes"]
        greedy = Sampling(temperature=0)
        request = SpeechRequest(sentence, voice="heart", language="english", sampling=greedy, max_frames=200)
        assert np.array_equal(synthesizer.generate_codes(request), wanted)
