"""The user's own defaults: what they change, and who may have written them."""

import json
import os

import pytest

from mlx_tts.cli import run
from mlx_tts.errors import MlxTtsError
from mlx_tts.library import preferences as body
from mlx_tts.library.preferences import Preferences, preferences, set_preference, settings_path
from tests.cli.test_speak import CUSTOM, models, place  # noqa: F401 (fixtures)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()


def test_each_is_kept_without_the_others_and_forgotten():
    assert preferences() == Preferences()
    set_preference("voice", "ivy")
    set_preference("default_model", "tiny")
    assert preferences() == Preferences("tiny", "ivy")
    assert settings_path().stat().st_mode & 0o777 == 0o600
    set_preference("default_model", None)
    assert preferences() == Preferences(voice="ivy")
    set_preference("voice", None)
    assert not settings_path().exists()


def test_what_others_can_write_is_not_read(monkeypatch):
    set_preference("voice", "ivy")
    settings_path().chmod(0o646)
    with pytest.raises(MlxTtsError, match="can be changed by other users: run `chmod go-w"):
        preferences()
    settings_path().chmod(0o664)
    monkeypatch.setattr(body, "_is_own_group", lambda number: False)
    with pytest.raises(MlxTtsError, match="can be changed by other users"):
        preferences()
    monkeypatch.setattr(body, "_is_own_group", lambda number: True)
    assert preferences().voice == "ivy"
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    settings_path().chmod(0o600)
    os.chown(settings_path(), 54321, -1) if os.getuid() == 0 else monkeypatch.setattr(body, "_is_open_to_others", bool)
    with pytest.raises(MlxTtsError, match="can be changed by other users"):
        preferences()


@pytest.mark.parametrize("value", [3, True, ["ivy"]])
def test_values_of_other_kinds_are_named(value):
    settings_path().write_text(json.dumps({"voice": value}))
    settings_path().chmod(0o600)
    with pytest.raises(MlxTtsError, match="repair or delete it"):
        preferences()


def test_commands_follow_them(models, capfd, place):  # noqa: F811
    assert run(["settings", "speed", "2"]) == 0
    assert run(["settings", "format", "mp3"]) == 0
    assert run(["speak", "Hello.", *CUSTOM]) == 0
    assert "wrote speech.mp3: 1.0 s" in capfd.readouterr().err
    assert run(["speak", "Hello.", *CUSTOM, "--speed", "1", "-o", "a.wav"]) == 0
    assert "wrote a.wav: 2.0 s" in capfd.readouterr().err
    assert run(["settings", "voice", "hazel"]) == 0
    capfd.readouterr()
    assert run(["speak", "Hello.", "--dry-run", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["pieces"][0]["voice"] == "hazel"
    assert run(["settings"]) == 0
    assert capfd.readouterr().out.startswith("default_model  not set\nvoice          hazel\nspeed          2.0\n")
    assert run(["settings", "voice", "--unset"]) == 0
    assert preferences().voice is None


@pytest.mark.parametrize(
    "line", ["settings colour red", "settings speed fast", "settings voice nobody", "settings format mp5"]
)
def test_what_cannot_be_is_refused(line, capfd):
    assert run(line.split()) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert preferences() == Preferences()
