"""A language that a model does not speak is refused with the model that does; a short text never is."""

from __future__ import annotations

import pytest

from mlx_tts.cli import run
from mlx_tts.library import catalog
from mlx_tts.models.kokoro.text import by_espeak

GERMAN = "Das ist nicht gut, denn wir haben es nicht gewollt und können es nicht ändern."
SPANISH = "Buenos días a todos, ¿cómo están ustedes en esta mañana tan hermosa?"
INSTEAD = "give --model 0.6b-custom-8bit --voice {} (2.0 GB)"
KOKORO = "give --model kokoro --voice ef_dora (356 MB"


@pytest.mark.parametrize("language", ["de", "German", "de_DE.UTF-8", "deutsch"])
def test_a_language_of_another_model_names_that_model(language, capfd, tmp_path):
    assert run(["speak", "Hello.", "--language", language, "-o", str(tmp_path / "a.wav")]) == 2
    assert f"tiny does not speak German: {INSTEAD.format('Ryan')}" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "language", "voice"),
    [
        (GERMAN, "German", "Ryan"),
        ("Привет, как дела?", "Russian", "Ryan"),
        ("你好,今天天气很好。", "Chinese", "Vivian"),
    ],
)
def test_a_text_in_another_language_names_a_model_that_speaks_it(text, language, voice, capfd, tmp_path):
    assert run(["speak", text, "-o", str(tmp_path / "a.wav")]) == 2
    told = capfd.readouterr().err
    assert f"this text reads like {language}, which tiny does not speak: {INSTEAD.format(voice)};" in told
    assert "--language english reads it all the same" in told
    assert not list(tmp_path.iterdir())


def test_the_smallest_model_is_named_and_one_that_needs_no_program(capfd, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert run(["speak", SPANISH, "--dry-run"]) == 2
    other = INSTEAD.format("Ryan").removeprefix("give ")
    assert f"does not speak: {KOKORO}, and install espeak-ng) or {other};" in capfd.readouterr().err


def test_the_smallest_model_alone_is_named_where_its_program_is_here(capfd, monkeypatch, tmp_path):
    program = tmp_path / "espeak-ng"
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["speak", SPANISH, "--dry-run"]) == 2
    assert f"does not speak: {KOKORO});" in capfd.readouterr().err


def test_the_catalogue_knows_what_is_read_by_a_program():
    assert catalog.find("kokoro").programs == dict.fromkeys(by_espeak.VOICES, by_espeak.PROGRAM)


@pytest.mark.parametrize("text", ["Danke schön.", "He said 你好 to the man at the door.", "Voilà, the café."])
def test_short_and_mixed_texts_are_not_refused(text):
    assert run(["speak", text, "--dry-run"]) == 0


def test_whoever_names_the_language_has_decided(capfd):
    assert run(["speak", GERMAN, "--language", "english", "--dry-run"]) == 0
    assert "nicht" in capfd.readouterr().out


def test_an_unknown_language_has_no_model_to_name(capfd):
    assert run(["speak", "Hello.", "--language", "klingon", "--dry-run"]) == 2
    assert "unknown language 'klingon'" in capfd.readouterr().err
