"""The body of a request for speech: a wrong one is refused with the name of its field."""

import json

import pytest

from mlx_tts.server.answers import ApiError
from mlx_tts.server.speech_body import MOST_VALUES, read_order


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


def test_what_is_just_allowed():
    assert len(read_order(json.dumps({"input": "x" * 100}).encode(), 100).input) == 100
    assert read_order(json.dumps({"input": "Hi.", "marks": True, "stream_format": "sse"}).encode(), 100).marks
