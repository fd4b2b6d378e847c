"""Speech at other speeds, heard: a recogniser understands it as well as at the voice's own."""

from itertools import product

import numpy as np
import pytest

import mlx_tts
from tests.helpers.hearing import recognised, word_errors, words

TEXTS = {
    "hazel": ("The old bridge was closed, so we walked along the river until it was dark.",
              "Please bring two cups of flour, a spoon of salt, and a little cold water."),
    "miles": ("My brother wanted a new coat, but he bought a pair of shoes and a hat.",
              "The children were playing football in the garden behind the house."),
    "ivy": ("When the train finally arrived, most of the people had already gone home.",
            "Music has the power to change how people feel and what they remember."),
    "rowan": ("He opened the old wooden door and walked slowly into the dark room.",
              "A good teacher explains difficult ideas with simple examples."),
}  # fmt: skip
SEEDS = (7, 8, 9)  # one seed's takes tell little: at twice the speed 7, 7 and 2 words were wrong
# Words wrong beyond those at the voice's own speed, which were 2; of 315 they were 0, 2, 14 and 101 (about 132 with one
# stage at 2.5).
MOST_MORE = {0.7: 6, 1.5: 8, 2.0: 24, 2.5: 118}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.heard
def test_words_are_understood_at_other_speeds(capfd):
    pytest.importorskip("faster_whisper", reason="NOT HEARD: faster-whisper is not installed")
    from mlx_tts.audio.effects.speed import SpeedChange

    wrong, total = dict.fromkeys((1.0, *MOST_MORE), 0), 0
    with mlx_tts.load("tiny") as tts:
        spoken = [(voice, text) for voice, texts in TEXTS.items() for text in texts]
        for (voice, text), seed in product(spoken, SEEDS):
            said = words(text)
            samples = tts.speak(text, voice=voice, seed=seed).samples
            total += len(said)
            for speed in wrong:
                sound = samples
                if speed != 1.0:
                    change = SpeedChange(tts.sample_rate, speed)
                    sound = np.concatenate([change.change(samples), change.finish()])
                wrong[speed] += word_errors(said, recognised(sound, tts.sample_rate))
    with capfd.disabled():
        print(f"\n{total} words, wrong by speed: {wrong}")
    for speed, more in MOST_MORE.items():
        assert wrong[speed] <= wrong[1.0] + more
