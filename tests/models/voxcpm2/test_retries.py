"""Takes of planted lengths: which of them the guard makes again, beside the official rule (`retry_badcase`)."""

import pytest

from mlx_tts import SpeechRequest
from mlx_tts.generation.guard import frame_budget, least_frames

SENTENCE, WORD = "Hello world, this is a voice.", "on"
ENDLESS = 10_000


def official(lengths, ids):
    """(takes, patches kept) by voxcpm 2.0.3: again where a take has six patches for each id, three takes, the last one
    stays. It only stops at ten patches more."""
    for take, length in enumerate(lengths, 1):
        made = min(length, 6 * ids + 10)
        if made < 6 * ids or take == 3:
            return take, made
    raise AssertionError("too few takes were planted")


@pytest.fixture
def spoken(voxcpm, monkeypatch):
    """Text and lengths of its takes -> (takes, patches kept) here, and its ids."""
    tts = voxcpm("text").tts
    loop = tts._synthesizer._loop

    def speak(text, lengths):
        monkeypatch.setattr(loop, "settle", lambda row: setattr(row, "over", row.step >= lengths[row.take]))
        speech = tts.speak(SpeechRequest(text, seed=3))
        patches = len(speech.samples) / (tts.sample_rate / tts.info.frame_rate)
        return (speech.report.takes, round(patches)), tts._synthesizer.count_tokens(text)

    return speak


def test_the_lengths_that_the_cases_are_about(voxcpm):
    rate = voxcpm("text").tts.info.frame_rate
    assert (least_frames(SENTENCE, rate), frame_budget(SENTENCE, rate)) == (6, 37)
    assert (least_frames(WORD, rate), frame_budget(WORD, rate)) == (2, 10)


@pytest.mark.smoke("without an end", "too short", "a word")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "lengths", "here", "there"),
    [
        (SENTENCE, [14], (1, 14), (1, 14)),  # an ordinary take
        (SENTENCE, [ENDLESS, 14], (2, 14), (2, 14)),  # one without an end: both make it again, here after 37 patches
        (SENTENCE, [40, 14], (2, 14), (1, 40)),  # twice as slow as anybody speaks: its 14 ids allow 83 patches there
        (SENTENCE, [4, 14], (2, 14), (1, 4)),  # over before it can be said
        (SENTENCE, [5, ENDLESS, 5], (3, 5), (1, 5)),  # none is good: here the nearest is kept, and reported
        (SENTENCE, [ENDLESS, ENDLESS, ENDLESS], (3, 37), (3, 94)),  # the best of three is cut
        (WORD, [8], (1, 8), (3, 8)),  # a word of one id may last 0.96 s there, 1.6 s here
    ],
    ids=["good", "without an end", "slow", "too short", "none good", "none ends", "a word"],
)
def test_what_is_made_again(spoken, text, lengths, here, there):
    found, ids = spoken(text, lengths * 3)
    assert (found, official(lengths * 3, ids)) == (here, there)
