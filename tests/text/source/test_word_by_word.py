"""Text that grows while it is spoken: the same codes as from the whole text, begun before the text is complete."""

import itertools
import threading

import numpy as np
import pytest

from mlx_tts import Sampling, SpeechRequest, Voice
from mlx_tts.text.cutting.pieces import PARAGRAPH, SENTENCE, START, Packing
from mlx_tts.text.source.word_by_word import read_growing

TEXT = "Hello there, my old friend, how are you on this fine day?"


class Growing:
    """Gives a word more at each wait; notes how often it was waited for."""

    def __init__(self, text: str, arrived: int = 1000):
        self.words = text.split(" ")
        self.have = 1
        self.waits = 0
        self.arrived = arrived
        self.released = threading.Event()  # what comes behind the words that have arrived

    @property
    def text(self) -> str:
        return " ".join(self.words[: self.have])

    @property
    def complete(self) -> bool:
        return self.have > len(self.words)

    def wait(self) -> None:
        if self.have >= self.arrived:
            self.released.wait()
        self.waits += 1
        self.have += 1


@pytest.mark.slow
@pytest.mark.parametrize("case", ["base_tiny", "base_wide"])
@pytest.mark.parametrize("in_context", [False, True])
def test_growing_text_gives_the_codes_of_the_whole(oracle, case, in_context):
    reference = oracle(case)
    golden = reference.golden
    voice = Voice(golden["xvector"], golden["codec/encoded"], "Some words.") if in_context else Voice(golden["xvector"])
    whole = SpeechRequest(TEXT, voice=voice, seed=4, max_frames=30)
    growing = Growing(TEXT)
    grown = SpeechRequest(growing.text, voice=voice, seed=4, max_frames=30, growing=growing)
    codes = reference.synthesizer.generate_codes(grown)
    np.testing.assert_array_equal(codes, reference.synthesizer.generate_codes(whole))
    assert growing.waits == len(TEXT.split(" "))


def test_the_first_sound_needs_only_the_first_words(oracle):
    reference = oracle("base_tiny")
    growing = Growing(" ".join(["word"] * 40), arrived=6)
    request = SpeechRequest(growing.text, voice=Voice(reference.golden["xvector"]), seed=4, growing=growing)
    stream = reference.synthesizer.stream(request, low_latency=True)
    assert len(next(stream).samples) == 1920
    assert growing.have == 6
    growing.released.set()
    stream.close()


def test_other_layouts_wait_for_the_end(oracle):
    growing = Growing(TEXT)
    greedy = Sampling(temperature=0)
    request = SpeechRequest(growing.text, voice="ryan", sampling=greedy, max_frames=5, growing=growing)
    synthesizer = oracle("custom_voice_tiny").synthesizer
    codes = synthesizer.generate_codes(request)
    whole = SpeechRequest(TEXT, voice="ryan", sampling=greedy, max_frames=5)
    np.testing.assert_array_equal(codes, synthesizer.generate_codes(whole))
    assert growing.complete


def grown(text: str, size: int) -> list[tuple[str, str]]:
    blocks = [text[at : at + size].encode() for at in range(0, len(text), size)]
    feed = itertools.chain(blocks, itertools.repeat(b""))
    found = [piece for piece in read_growing(lambda: next(feed), Packing("english"), lambda skipped: None) if piece]
    assert all(piece.growing.complete for piece in found)
    return [(piece.growing.text, piece.gap) for piece in found]


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_sentences_that_grow_word_by_word(size):
    text = "# Title\n\nDr. Smith paid $3.50 at once. He left **in a hurry**. 😀\n\n"
    text += "It was late.\nNobody saw it 你好。再见。"
    assert grown(text, size) == [
        ("Title", START),
        ("Dr. Smith paid $3.50 at once.", PARAGRAPH),
        ("He left in a hurry.", SENTENCE),
        ("It was late.", PARAGRAPH),
        ("Nobody saw it 你好。", SENTENCE),
        ("再见。", SENTENCE),
    ]


def test_a_sentence_without_an_end_is_cut():
    found = grown("word " * 300, 7)
    assert len(found) > 3 and all(Packing().fits(text) for text, _ in found)
    assert " ".join(text for text, _ in found) == " ".join(["word"] * 300)
