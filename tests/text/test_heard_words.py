"""Which words differ between a text and what a recogniser heard of it."""

import pytest

from mlx_tts.text.transcripts import count, differences, language_code


@pytest.mark.parametrize(
    ("said", "heard", "language"),
    [
        ("Nobody knew why the bridge was closed.", "nobody knew why the bridge was closed", "english"),
        ("It cost three hundred dollars.", "It cost $300.", "english"),
        ("Everybody's well-known café", "every bodys well known cafe", "english"),
        ("Um drei Uhr war’s spät.", "um 3 Uhr wars spät", "german"),
        ("今天天气很好。", "今天天氣很好".replace("氣", "气"), "chinese"),
        ("Nobody knew.", "nobody knew", "auto"),
        # Numbers by their value, whichever side has digits.
        ("line 2399", "line twenty-three ninety-nine", "english"),
        ("line 2399", "line two thousand three hundred ninety-nine", "english"),
        ("line 2,399", "line 2399", "english"),
        ("room three oh five", "room 305", "english"),
        ("Nummer 2399", "Nummer zweitausenddreihundertneunundneunzig", "german"),
        ("第2399行", "第二千三百九十九行", "japanese"),
    ],
)
def test_what_sounds_alike_is_alike(said, heard, language):
    assert differences(said, heard, language) == []


def test_what_differs_is_named():
    places = differences("The old bridge was closed today.", "The bridge was open today again", "english")
    assert places == [("old", ""), ("closed", "open"), ("", "again")]
    assert count(places) == 3
    assert differences("line 2399", "line 2398", "english") == [("nine", "eight")]
    assert differences("pay 40", "pay 14", "english") == [("forty", "fourteen")]
    assert count(differences("One two three.", "", "english")) == 3


def test_the_code_for_the_recogniser():
    assert language_code("german", "Hello.") == "de"
    assert language_code("auto", "今天") == "zh"
    assert language_code("auto", "Bonjour") is None
