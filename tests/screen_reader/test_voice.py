"""Short texts are kept; the silence before the first sound is not waited for."""

import numpy as np
import pytest

import mlx_tts
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.narration.cancellation import Cancellation
from mlx_tts.screen_reader import voice as module
from mlx_tts.screen_reader.voice import ScreenVoice, _without_silence
from mlx_tts.screen_reader.wishes import Wishes
from tests.helpers.made_stream import MadeStream


def sound(voice, text, **wishes):
    return np.concatenate([part.samples for part in voice.speak(text, Wishes(**wishes), Cancellation())])


def test_the_same_letter_is_made_once_for_each_voice_and_rate(voice, models):
    voice.open()
    first = sound(voice, "A.")
    made = len(models.synthesizers[0].requests)
    assert np.array_equal(sound(voice, "A."), first)
    assert np.array_equal(sound(voice, "A.", volume=0, pitch=0), first)
    assert len(models.synthesizers[0].requests) == made
    sound(voice, "A.", rate=50), sound(voice, "A.", name="hazel")
    assert len(models.synthesizers[0].requests) == made + 2


def test_the_models_small_files_are_read_once(voice, models, monkeypatch):
    """Reading them again took three quarters of the planning of a word."""
    voice.open()
    opened = []
    monkeypatch.setattr("mlx_tts.models.families.open_checkpoint", opened.append)
    sound(voice, "A."), sound(voice, "B.", name="hazel", rate=20)
    assert opened == [] and len(models.synthesizers) == 1


def test_the_oldest_are_let_go(voice, models, monkeypatch):
    voice.open()
    size = sound(voice, "A.").nbytes
    monkeypatch.setattr(module, "MOST_KEPT_BYTES", 2 * size)
    made = len(models.synthesizers[0].requests)
    for text in ("B.", "A.", "C.", "A.", "B."):
        sound(voice, text)
    assert len(models.synthesizers[0].requests) == made + 3  # A stays, for it was used


def test_what_was_broken_off_or_is_long_is_not_kept(voice, models):
    voice.open()
    next(voice.speak("A.", Wishes(), Cancellation()))
    sound(voice, "A.")
    sound(voice, "A word " * 10)
    made = len(models.synthesizers[0].requests)
    sound(voice, "A word " * 10)
    assert len(models.synthesizers[0].requests) == made + 1


def test_letters_are_made_before_they_are_typed(voice, models):
    voice.open()
    words, idle = ["A.", "B."], Cancellation()
    assert [voice.prepare(words, Wishes(), idle) for _ in range(3)] == [True, True, False]
    made = len(models.synthesizers[0].requests)
    sound(voice, "A."), sound(voice, "B.")
    assert len(models.synthesizers[0].requests) == made
    assert voice.prepare(words, Wishes(rate=50), idle)  # at another rate they sound otherwise


def test_what_cannot_be_kept_is_not_tried_for_ever(voice, monkeypatch):
    voice.open()
    monkeypatch.setattr(module, "MOST_KEPT_BYTES", 0)
    assert not voice.prepare(["A."], Wishes(), Cancellation())


def test_what_was_cancelled_gives_no_more_and_is_not_kept(voice, models):
    voice.open()
    cancellation = Cancellation()
    parts = voice.speak("A.", Wishes(), cancellation)
    next(parts)
    cancellation.cancel()
    assert list(parts) == [] and voice.prepare(["A."], Wishes(), Cancellation())


def test_a_piece_ends_with_its_text_whichever_comes_first():
    begun_before, begun_later = MadeStream(None, []), MadeStream(None, [])
    cancellation = Cancellation()
    cancellation.watch(None, begun_before)
    assert not begun_before.ended
    cancellation.cancel()
    cancellation.watch(None, begun_later)
    assert begun_before.ended and begun_later.ended


def test_silence_before_the_first_sound_is_left_out():
    samples = np.zeros(1000, np.float32)
    assert len(_without_silence(samples, 24_000)) == 0
    samples[500:] = 0.5
    assert len(_without_silence(samples, 24_000)) == 500 + 240


def test_silence_that_fills_whole_parts_leaves_as_much_before_the_first_sound(voice, monkeypatch):
    """However the sound was cut, what is spoken is the same."""
    from mlx_tts.narration.narrate import Spoken

    whole = np.zeros(4000, np.float32)
    whole[2050:] = 0.5
    voice.open()
    for size in (4000, 1000, 100):
        parts = [Spoken(None, whole[at : at + size]) for at in range(0, 4000, size)]
        monkeypatch.setattr("mlx_tts.narration.narrate.narrate", lambda *_, parts=parts, **__: (part for part in parts))
        np.testing.assert_array_equal(sound(voice, f"{size} parts."), whole[2050 - 240 :])


@pytest.mark.slow
def test_the_sound_is_that_of_speak_but_for_the_silence_before_it():
    """Bit for bit that of `--latency low`; of the rest but for the rounding of products of other lengths."""
    text, asked = "Two new messages.", {"voice": "ivy", "language": "english", "seed": 0}
    with mlx_tts.load("tiny") as tts:
        live = np.concatenate([chunk.samples for chunk in tts.narrate(text, low_latency=True, **asked)])
        whole = tts.speak(text, **asked).samples
    voice = ScreenVoice(SpeechSettings(model="tiny", voice="ivy"))
    voice.open()
    first = sound(voice, text)
    voice._kept.clear()
    heard = sound(voice, text)
    voice.close()
    assert len(heard) > 12_000
    np.testing.assert_array_equal(heard, first)
    np.testing.assert_array_equal(heard, live[len(live) - len(heard) :])
    np.testing.assert_allclose(heard, whole[len(whole) - len(heard) :], rtol=0, atol=1e-5)
    assert np.abs(live[: len(live) - len(heard)]).max() <= module.SILENT
