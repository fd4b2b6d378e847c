"""The same values, right and wrong, given to the command line, to a batch's columns, to HTTP and to Python, as settings
and as a request: all accept and refuse alike, and each names the setting as its users know it."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Annotated

import pytest
import typer

from mlx_tts.batch.lines import COLUMNS, read_lines
from mlx_tts.cli.options import Without, flag_of, grouped
from mlx_tts.errors import RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.models import families
from mlx_tts.server.answers import ApiError
from mlx_tts.server.settings import JSON_NAMES
from mlx_tts.server.speech_body import read_order
from mlx_tts.setting import SettingError, gathered, settings_in
from mlx_tts.speech import Sampling, SpeechRequest
from tests.helpers.cases import Cases
from tests.helpers.paths import TINY

RIGHT = {
    "model": ["tiny", "owner/name", "./folder"],
    "voice": ["ivy", "Uncle Fu", "me.safetensors"],
    "language": ["auto", "English", "de_DE.UTF-8"],
    "instruct": ["Calm.", "快乐", "x" * 10_000],
    "options": [["a=1"], ["a=1", "b=2"], ["a="]],
    "seed": [0, 7, "12", 2**64 - 1],
    "max_seconds": [0.1, "3", 86_400],
    "temperature": [0, 0.7, "1.5", 5],
    "top_k": [0, 50, "3"],
    "top_p": [0.01, 1, "0.9"],
    "repetition_penalty": [0.1, 1.05, "10"],
    "subtalker_temperature": [0, 5, "0.3"],
    "subtalker_top_k": [0, "50"],
    "subtalker_top_p": [0.5, "1"],
    "normalise": ["auto", "on", "off"],
    "footnotes": ["skip", "read"],
    "sentence_pause": [0, 0.25, "60"],
    "paragraph_pause": [0, 0.7, "60"],
    "speed": [0.25, 1, "1.5", 4],
    "loudness": ["off", -16, "-23", -5],
    "format": ["wav", "mp3", ".flac", "OPUS"],
    "rate": [8000, "24000", 24, "22.05"],
    "retries": [0, 2, "20"],
}
NUMBERS = ["nan", "inf", "-inf", "a lot", "1e999", "0x10", "1,5"]
WRONG = {
    "model": ["x" * 10_001],
    "voice": ["x" * 10_001],
    "language": ["x" * 10_001],
    "instruct": ["x" * 10_001],
    "options": [["a"]],
    "seed": [-1, "-1", 1.5, "one", 2**64, *NUMBERS],
    "max_seconds": [0, -1, 86_401, *NUMBERS],
    "temperature": [-0.1, 5.1, "hot", *NUMBERS],
    "top_k": [-1, 1.5, "1.5", *NUMBERS],
    "top_p": [0, 1.01, -1, *NUMBERS],
    "repetition_penalty": [0, 11, *NUMBERS],
    "subtalker_temperature": [-1, 9, *NUMBERS],
    "subtalker_top_k": [-2, *NUMBERS],
    "subtalker_top_p": [0, 2, *NUMBERS],
    "normalise": ["maybe", "ON", "true"],
    "footnotes": ["some"],
    "sentence_pause": [-1, 61, *NUMBERS],
    "paragraph_pause": [-0.5, 61, *NUMBERS],
    "speed": [0, 0.2, 4.01, 9, "fast", *NUMBERS],
    "loudness": [0, -41, "loud", "OFF", *NUMBERS],
    "format": ["wave", "sound", "."],
    "rate": [11_025, 7, "high", *NUMBERS],
    "retries": [-1, 21, 1.5, *NUMBERS],
}
SAMPLING = {entry.name for entry in fields(Sampling)}
CHECKPOINT = families.open_checkpoint(TINY)
TAKEN_BY_PYTHON = ("seed", 2**64)  # a request takes any whole number from 0, as it did in 0.1.0: only 64 bits count
CASES = [(name, value, True) for name, values in RIGHT.items() for value in values]
CASES += [(name, value, False) for name, values in WRONG.items() for value in values]


def by_python(name, value):
    try:
        return getattr_of(gathered(SpeechSettings, {name: value}), name)
    except SettingError as error:
        return None if str(error).startswith(f"{name} is ") else pytest.fail(str(error))


def getattr_of(settings, name):
    return getattr(settings if hasattr(settings, name) else settings.sampling, name)


def by_request(name, value):
    """What `speak`, `stream` and `submit` check of numbers; texts are not converted there."""
    asked = {"sampling": Sampling(**{name: value})} if name in SAMPLING else {name: value}
    try:
        found = families.check_request(CHECKPOINT, SpeechRequest("Hello.", voice="hazel", **asked))
    except RequestError as error:
        return None if str(error).startswith(f"{name} is ") else pytest.fail(str(error))
    return settings_in(Sampling)[name].read(name, value) if name in SAMPLING else getattr(found, name)  # 0 -> 0.0


def by_command_line(name, value):
    """The value as a shell gives it: text, an option once for each."""
    app = typer.Typer()
    made = []

    def command(*, settings: SpeechSettings) -> None:
        made.append(settings)

    app.command()(grouped(command))
    values = value if isinstance(value, list) else [value]
    words = [word for each in values for word in (flag_of(name), str(each))]
    try:
        typer.main.get_command(app)(args=[f"{words[0]}={words[1]}", *words[2:]], standalone_mode=False)
    except SettingError as error:
        return None if error.said(flag_of(error.name)).startswith(f"{flag_of(name)} is ") else pytest.fail(str(error))
    return getattr_of(made[0], name)


def by_batch(name, value):
    lines = read_lines([(1, {"id": "a", "text": "Hello.", name: value})], ".wav")
    if lines.bad:
        assert lines.bad[0].error.startswith(f"has {name} "), lines.bad[0].error
        return None
    return lines.good[0].asked[name]


def by_http(name, value):
    field = JSON_NAMES.get(name, name)
    try:
        return getattr_of(read_order(json.dumps({"input": "Hello.", field: value}).encode(), 1000), name)
    except ApiError as error:
        named = (error.param, error.status) == (field, 400) and error.message.startswith(f"{field} is ")
        return None if named else pytest.fail(error.message)


@pytest.mark.parametrize("name", RIGHT)
def test_every_door_takes_and_refuses_the_same(name):
    with Cases() as case:
        for _, value, is_right in (one for one in CASES if one[0] == name):
            with case(str(value)[:30]):
                check_doors(name, value, is_right)


def check_doors(name, value, is_right):
    answers = {"python": by_python(name, value), "command": by_command_line(name, value), "http": by_http(name, value)}
    if name in {*SAMPLING, "seed", "retries"} and not isinstance(value, str) and (name, value) != TAKEN_BY_PYTHON:
        answers["request"] = by_request(name, value)
    if name in COLUMNS:
        answers["batch"] = by_batch(name, value)
    assert len({repr(answer) for answer in answers.values()}) == 1, answers
    assert (answers["python"] is not None) is is_right, answers


def test_every_setting_is_among_the_cases():
    switches = {name for name, known in settings_in(SpeechSettings).items() if known.is_switch}
    local = {name for name, known in settings_in(SpeechSettings).items() if known.local}
    assert set(RIGHT) == set(settings_in(SpeechSettings)) - switches - local
    assert len(CASES) >= 200


def test_what_names_a_file_of_this_machine_comes_neither_by_http_nor_in_a_table(tmp_path):
    lexicon = tmp_path / "words.toml"
    lexicon.write_text('[[entry]]\nmatch = "a"\nsay = "b"\n')
    assert gathered(SpeechSettings, {"lexicon": str(lexicon)}).lexicon
    assert read_order(b'{"input": "Hello.", "verify": "base"}', 1000).verify is None
    with pytest.raises(ApiError, match=r"lexicon is .*: give a list"):  # a client sends entries
        read_order(json.dumps({"input": "Hello.", "lexicon": str(lexicon)}).encode(), 1000)
    assert "lexicon" not in COLUMNS and "verify" not in COLUMNS


@pytest.mark.parametrize(
    ("flag", "name"), [("--no-markup", "markup"), ("--no-guard", "guard"), ("--read-code", "code")]
)
def test_switches(flag, name):
    made = []

    def command(*, settings: SpeechSettings) -> None:
        made.append(settings)

    app = typer.Typer()
    app.command()(grouped(command))
    for words in ([], [flag]):
        typer.main.get_command(app)(args=words, standalone_mode=False)
    default = getattr(SpeechSettings(), name)
    assert [getattr(settings, name) for settings in made] == [default, not default]
    for value, wanted in ((True, True), ("yes", True), (False, False), ("off", False)):
        order = read_order(json.dumps({"input": "Hello.", name: value}).encode(), 1000)
        assert getattr(order, name) is wanted
    with pytest.raises(ApiError, match=f"{name} is 'maybe': give true or false"):
        read_order(json.dumps({"input": "Hello.", name: "maybe"}).encode(), 1000)


def test_a_command_may_leave_settings_out():
    def command(*, settings: Annotated[SpeechSettings, Without("voice")]) -> None: ...

    app = typer.Typer()
    app.command()(grouped(command))
    names = {option for parameter in typer.main.get_command(app).params for option in parameter.opts}
    assert "--model" in names and "--voice" not in names


def test_python_is_told_what_is_wrong_with_settings_that_it_made():
    with pytest.raises(RequestError, match=r"speed is 9: give 0\.25 to 4"):
        SpeechSettings(speed=9).check()
    with pytest.raises(RequestError, match="sampling is 3: give a Sampling"):
        SpeechSettings(sampling=3).check()
