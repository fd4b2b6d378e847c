"""Subtitle files: their four formats, and what the command writes into them."""

import json

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.narration.subtitles import SubtitleFile, check_subtitles
from mlx_tts.speech import Mark

MARKS = (
    Mark("Tea & <toast>.", 0.08, 1.2),
    Mark("Tea", 0.08, 0.4, "word", True),
    Mark("Later.", 3661.5, 3662.0004),
)


def written(tmp_path, name, level="sentence"):
    file = SubtitleFile(tmp_path / name, level)
    file.add(MARKS[:2])
    file.add(MARKS[2:])
    return file.finish().read_text(encoding="utf-8")


def test_srt(tmp_path):
    assert written(tmp_path, "a.srt") == (
        "1\n00:00:00,080 --> 00:00:01,200\nTea & <toast>.\n\n2\n01:01:01,500 --> 01:01:02,000\nLater.\n"
    )


def test_vtt(tmp_path):
    assert written(tmp_path, "a.VTT") == (
        "WEBVTT\n\n00:00:00.080 --> 00:00:01.200\nTea &amp; &lt;toast&gt;.\n\n01:01:01.500 --> 01:01:02.000\nLater.\n"
    )


def test_lrc(tmp_path):
    assert written(tmp_path, "a.lrc") == "[00:00.08]Tea & <toast>.\n[61:01.50]Later.\n"


def test_json(tmp_path):
    assert json.loads(written(tmp_path, "a.json", "word")) == [
        {"text": "Tea", "start": 0.08, "end": 0.4, "level": "word", "estimated": True}
    ]


def test_what_is_refused(tmp_path):
    with pytest.raises(RequestError, match=r"must end in .srt, .vtt, .lrc, .json"):
        check_subtitles(tmp_path / "a.txt", "sentence")
    with pytest.raises(RequestError, match="use sentence or word"):
        check_subtitles(tmp_path / "a.srt", "letter")


def test_an_interrupted_speech_keeps_its_subtitles(tmp_path):
    file = SubtitleFile(tmp_path / "a.srt")
    assert file.abandon() is None
    file.add(MARKS)
    assert file.abandon().name == "a.partial.srt"
    assert not (tmp_path / "a.srt").exists()
