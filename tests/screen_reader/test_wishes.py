"""SET -> speed, height, loudness, voice and language."""

import pytest

from mlx_tts.screen_reader.wishes import Wishes

VOICES = ["miles", "ivy", "rowan", "hazel"]


@pytest.mark.parametrize(("rate", "speed"), [(0, 1.0), (100, 3.0), (-100, 0.333), (50, 1.732), (9999, 3.0), ("x", 1.0)])
def test_the_rate_is_a_power(rate, speed):
    assert Wishes().changed({"rate": str(rate)}).speed(1.0) == speed


def test_the_users_own_speed_is_that_of_rate_0_and_4_is_the_limit():
    assert [Wishes(rate=rate).speed(2.0) for rate in (0, 100, -100)] == [2.0, 4.0, 0.667]


def test_a_higher_voice_is_made_slower_so_that_it_takes_as_long():
    high = Wishes(pitch=100)
    assert high.height == pytest.approx(2 ** (4 / 12))
    assert high.speed(1.0) * high.height == pytest.approx(1.0, abs=0.001)


@pytest.mark.parametrize(("volume", "gain"), [(100, 1.0), (0, 0.5), (-100, 0.0)])
def test_the_loudest_is_the_voice_as_it_is(volume, gain):
    assert Wishes(volume=volume).gain == gain


@pytest.mark.parametrize(
    ("given", "voice"),
    [
        ({}, "rowan"),
        ({"voice": "male1"}, "rowan"),  # what everybody sends
        ({"voice": "female1"}, "ivy"),
        ({"voice": "female2"}, "hazel"),
        ({"voice": "FEMALE3"}, "ivy"),
        ({"voice": "child_female"}, "ivy"),
        ({"voice": "male2"}, "rowan"),
        ({"synthesis_voice": "Hazel"}, "hazel"),
        ({"synthesis_voice": "nobody"}, "rowan"),
        ({"synthesis_voice": "NULL", "voice": "female1"}, "ivy"),
    ],
)
def test_a_voice_is_found(given, voice):
    assert Wishes().changed(given).voice("rowan", VOICES) == voice


@pytest.mark.parametrize(
    ("asked", "usual", "language"),
    [
        ("en-US", "auto", "english"),
        ("de", "auto", "german"),
        ("fi", "auto", "english"),  # not spoken: with an accent
        ("fi", "german", "german"),
        ("NULL", "auto", "english"),
        ("C", "auto", "english"),
    ],
)
def test_what_the_model_does_not_speak_is_read_all_the_same(asked, usual, language):
    wishes = Wishes().changed({"language": asked})
    assert wishes.spoken_language(usual, ("auto", "german", "english")) == language
