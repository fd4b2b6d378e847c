"""Which model is taken: --model, the voice's, the configured default, the 0.6B CustomVoice on disk, the built-in."""

from dataclasses import replace
from pathlib import Path

import platformdirs
import pytest

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.library import catalog, selection
from mlx_tts.library.catalog import ModelSpec
from mlx_tts.library.preferences import settings_path
from mlx_tts.library.selection import choose_base, choose_designer, choose_model
from mlx_tts.shortened import shortened


def disk(*names: str):
    return lambda spec: spec.name in (*names, "tiny")


NOTHING = disk()
BEFORE = catalog.models()


def test_the_named_model_beats_everything():
    choice = choose_model("1.7b-base", "Ryan", "tiny", disk("0.6b-custom-8bit"))
    assert (choice.spec.name, choice.named, choice.note) == ("1.7b-base", True, None)


@pytest.mark.parametrize("voice", ["Ryan", "ryan", "ono anna"])
def test_a_voice_means_the_0_6b_custom_voice(voice):
    choice = choose_model(None, voice, None, NOTHING)
    assert (choice.spec.name, choice.named, choice.note) == ("0.6b-custom-8bit", False, None)


def test_a_voice_takes_what_is_on_disk():
    assert choose_model(None, "Ryan", None, disk("1.7b-custom-4bit")).spec.name == "1.7b-custom-4bit"
    assert choose_model(None, "Ryan", None, disk("1.7b-custom-4bit", "0.6b-custom")).spec.name == "0.6b-custom"


def test_a_voice_of_the_built_in_model():
    assert choose_model(None, "Hazel", "1.7b-custom-8bit", NOTHING).spec.name == "tiny"


def test_the_default_is_taken_for_a_voice_that_it_has():
    assert choose_model(None, "Ryan", "1.7b-custom-8bit", NOTHING).spec.name == "1.7b-custom-8bit"
    assert choose_model(None, "Ryan", "1.7b-base-8bit", NOTHING).spec.name == "0.6b-custom-8bit"


def test_a_default_of_unknown_voices_may_have_any(tmp_path):
    assert choose_model(None, "Somebody", str(tmp_path), NOTHING).spec.folder == tmp_path


def test_the_configured_default():
    choice = choose_model(None, None, "1.7b-custom-8bit", disk("0.6b-custom-8bit"))
    assert (choice.spec.name, choice.named, choice.note) == ("1.7b-custom-8bit", True, None)


@pytest.mark.parametrize("name", ["0.6b-custom", "0.6b-custom-4bit", "0.6b-custom-bf16"])
def test_any_0_6b_custom_voice_on_disk(name):
    choice = choose_model(None, None, None, disk(name, "1.7b-custom"))
    assert (choice.spec.name, choice.note) == (name, None)


def test_else_the_built_in_one_and_the_command_that_fetches_the_large_one():
    choice = choose_model(None, None, None, disk("1.7b-custom"))
    assert choice.spec.name == "tiny"
    assert choice.note is not None
    assert "tiny" in choice.note
    assert "`mlx-tts pull 0.6b-custom-8bit` (2.0 GB)" in choice.note


def test_an_unknown_voice_names_the_near_ones_or_those_at_hand():
    with pytest.raises(RequestError) as error:
        choose_model(None, "viviane", None, NOTHING)
    assert str(error.value) == (
        "unknown voice 'viviane': did you mean Vivian (0.6b-custom-8bit)? `mlx-tts voices` lists all"
    )
    with pytest.raises(RequestError) as error:
        choose_model(None, "xyz", None, NOTHING)
    every = len(catalog.preset_names())
    assert str(error.value) == (
        f"unknown voice 'xyz': try one of miles, ivy, rowan, hazel; `mlx-tts voices` lists all {every}"
    )


@pytest.mark.parametrize("name", ["xyz", "x" * 1000, "\U0001f469\u200d\U0001f467" * 50])
def test_the_line_about_an_unknown_voice_is_short(name):
    with pytest.raises(RequestError) as error:
        choose_model(None, name, None, NOTHING)
    assert shortened(str(error.value), 160) == str(error.value)


def test_clone_takes_a_base_model():
    assert choose_base(None, None, NOTHING).spec.name == "0.6b-base-8bit"
    assert choose_base(None, "0.6b-custom-8bit", NOTHING).spec.name == "0.6b-base-8bit"
    assert choose_base(None, "1.7b-base", NOTHING).spec.name == "1.7b-base"
    assert choose_base(None, None, disk("1.7b-base-6bit")).spec.name == "1.7b-base-6bit"
    assert choose_base("tiny", None, NOTHING).spec.name == "tiny"
    assert choose_base(None, "voxcpm2", NOTHING).spec.name == "voxcpm2"
    assert choose_base(None, "magpie", NOTHING).spec.name == "0.6b-base-8bit"


@pytest.fixture
def box(monkeypatch):
    """A Base model in the box, whether or not this package has one."""
    spec = ModelSpec("tiny-base", folder=Path("tiny-base"), kind="base", size="tiny", family="qwen3_tts")
    others = [spec for spec in catalog.models() if spec.name != "tiny-base"]
    last = max(number for number, spec in enumerate(others) if spec.kind == "base") + 1

    def put(**more):
        monkeypatch.setattr(catalog, "models", lambda: (*others[:last], replace(spec, **more), *others[last:]))

    put()
    return put


def test_clone_takes_the_built_in_base_model_last_and_says_so(box):
    there = disk("tiny-base")
    choice = choose_base(None, None, there)
    assert (choice.spec.name, choice.named) == ("tiny-base", False)
    full = "for the full one run `mlx-tts pull 0.6b-base-8bit` (2.0 GB)"
    assert choice.note == f"using the small built-in model tiny-base; {full}"
    box(experimental=True)
    assert choose_base(None, None, there).note == f"using the small built-in model tiny-base (experimental); {full}"
    for other in ("0.6b-base-4bit", "1.7b-base"):
        choice = choose_base(None, None, disk("tiny-base", other))
        assert (choice.spec.name, choice.note) == (other, None)
    assert choose_base(None, "tiny-base", there).note is None
    assert choose_base(None, "tiny", there).spec.name == "tiny-base"  # a default that cannot clone
    assert choose_base("tiny-base", None, there).note is None


def test_who_cannot_clone_is_shown_the_model_in_the_box(box, monkeypatch):
    assert catalog.a_cloner() == "tiny-base"
    monkeypatch.setattr(catalog, "models", lambda: tuple(spec for spec in BEFORE if not spec.folder))
    assert catalog.a_cloner() == "0.6b-base-8bit"


def test_a_design_takes_a_model_that_designs():
    assert choose_designer(None, None, NOTHING).spec.name == "1.7b-design-8bit"
    assert choose_designer(None, "voxcpm2", NOTHING).spec.name == "voxcpm2"
    assert choose_designer(None, "voxcpm1.5", NOTHING).spec.name == "1.7b-design-8bit"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def test_the_default_is_kept_and_forgotten(home):
    assert selection.configured_default() is None
    selection.set_default("1.7b-custom")
    assert selection.configured_default() == "1.7b-custom"
    assert settings_path().is_relative_to(home)
    selection.set_default(None)
    selection.set_default(None)
    assert selection.configured_default() is None


def test_the_place_is_the_platforms_own(home, monkeypatch):
    assert settings_path() == platformdirs.user_config_path("mlx-tts", appauthor=False) / "settings.json"
    monkeypatch.setenv("MLX_TTS_HOME", str(home / "mine"))
    assert settings_path() == home / "mine" / "settings.json"


@pytest.mark.parametrize("text", ["{", '{"default_model": 3}', "\xff"])
def test_damaged_settings_are_named(home, text):
    path: Path = settings_path()
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="latin-1")
    with pytest.raises(MlxTtsError, match=r"settings\.json .*repair or delete it"):
        selection.configured_default()
