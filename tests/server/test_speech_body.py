"""The body of a request for speech: a wrong one is refused with the name of its field."""

import json
from types import SimpleNamespace

import pytest

from mlx_tts.server.answers import ApiError
from mlx_tts.server.serving import Serving
from mlx_tts.server.speech_body import MOST_ENTRIES, MOST_VALUES, read_order
from mlx_tts.text.normalise.lexicon import Lexicon, LexiconEntry


@pytest.mark.parametrize(
    ("body", "said", "code"),
    [
        (b"", "the body is not JSON", "invalid_json"),
        (b'{"input": "Hi."', "the body is not JSON", "invalid_json"),
        (b'"Hi."', "the body is not a JSON object", "invalid_json"),
        (b'["Hi."]', "the body is not a JSON object", "invalid_json"),
        (b"null", "the body is not a JSON object", "invalid_json"),
        (b"[" * 100_000, "the body ", "invalid_json"),
        (b'{"input": ["' + b"," * (MOST_VALUES + 1) + b'"]}', "the body has too many values", "invalid_json"),
    ],
)
def test_a_body_that_is_no_object(body, said, code):
    with pytest.raises(ApiError) as caught:
        read_order(body, 100)
    error = caught.value.body["error"]
    assert caught.value.status == 400 and error["message"].startswith(said) and error["code"] == code


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"input": " \n"}, "input"),
        ({"input": "x" * 101}, "input"),
        ({"input": "Hi.", "speed": 9}, "speed"),
        ({"input": "Hi.", "marks": True}, "marks"),
        ({"input": "Hi.", "marks": True, "stream_format": "audio"}, "marks"),
    ],
)
def test_a_wrong_field_is_named(values, field):
    with pytest.raises(ApiError) as caught:
        read_order(json.dumps(values).encode(), 100)
    assert caught.value.status == 400 and caught.value.body["error"]["param"] == field


@pytest.mark.parametrize(
    ("lexicon", "said"),
    [
        ("GIF", "give a list"),
        ([{"match": "GIF", "say": "jif"}] * (MOST_ENTRIES + 1), "give a list"),
        (["GIF"], "entry 1: write"),
        ([{"match": "GIF", "say": "jif"}, {"match": "a+", "say": "b", "regex": True}], "entry 2 may have"),
        ([{"match": "GIF"}], "entry 1: say is missing"),
        ([{"match": "GIF", "say": ""}], "entry 1 says nothing"),
        ([{"match": "GIF", "say": 3}], "entry 1: say is"),
        ([{"match": "GIF", "ipa": "123"}], "entry 1: "),
        ([{"match": "GIF", "say": "\ud800"}], "that is not UTF-8"),
        ([{"match": "GIF", "say": "x" * 101}], "entry 1 has a text of more than 100"),
    ],
)
def test_a_wrong_lexicon(lexicon, said):
    with pytest.raises(ApiError) as caught:
        read_order(json.dumps({"input": "A GIF.", "lexicon": lexicon}).encode(), 100)
    error = caught.value.body["error"]
    assert caught.value.status == 400 and error["param"] == "lexicon" and said in error["message"]


def test_a_lexicon_makes_no_text_too_long():
    values = {"input": "A GIF. " * 10, "lexicon": [{"match": "gif", "say": "ten signs."}]}
    assert read_order(json.dumps(values).encode(), 100).lexicon
    values["lexicon"][0]["say"] += "!"
    with pytest.raises(ApiError, match="lexicon"):
        read_order(json.dumps(values).encode(), 100)


def test_a_requests_entries_come_before_the_servers():
    serving = SimpleNamespace(lexicon=Lexicon([LexiconEntry("GIF", "gif"), LexiconEntry("SQL", "sequel")]))
    body = {"input": "A GIF in SQL.", "lexicon": [{"match": "GIF", "say": "jif"}]}
    order = Serving.with_lexicon(serving, read_order(json.dumps(body).encode(), 100))
    text, said = order.lexicon.settle(order.input, "english")
    assert Lexicon.restore(text, said) == "A jif in sequel."
    alone = Serving.with_lexicon(serving, read_order(b'{"input": "A GIF."}', 100))
    assert alone.lexicon is serving.lexicon


def test_what_is_just_allowed():
    assert len(read_order(json.dumps({"input": "x" * 100}).encode(), 100).input) == 100
    assert read_order(json.dumps({"input": "Hi.", "marks": True, "stream_format": "sse"}).encode(), 100).marks
