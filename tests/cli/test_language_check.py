"""A language that a model does not speak is refused with the model that does; a short text never is."""

from __future__ import annotations

import pytest

from mlx_tts.cli import run

GERMAN = "Das ist nicht gut, denn wir haben es nicht gewollt und können es nicht ändern."
INSTEAD = "give --model 0.6b-custom-8bit --voice Ryan (2.0 GB)"


@pytest.mark.parametrize("language", ["de", "German", "de_DE.UTF-8", "deutsch"])
def test_a_language_of_another_model_names_that_model(language, capfd, tmp_path):
    assert run(["speak", "Hello.", "--language", language, "-o", str(tmp_path / "a.wav")]) == 2
    assert f"tiny does not speak German: {INSTEAD}" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "language"), [(GERMAN, "German"), ("Привет, как дела?", "Russian"), ("你好,今天天气很好。", "Chinese")]
)
def test_a_text_in_another_language_names_a_model_that_speaks_it(text, language, capfd, tmp_path):
    assert run(["speak", text, "-o", str(tmp_path / "a.wav")]) == 2
    told = capfd.readouterr().err
    assert f"this text reads like {language}, which tiny does not speak: {INSTEAD}" in told
    assert "--language english reads it all the same" in told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("text", ["Danke schön.", "He said 你好 to the man at the door.", "Voilà, the café."])
def test_short_and_mixed_texts_are_not_refused(text):
    assert run(["speak", text, "--dry-run"]) == 0


def test_whoever_names_the_language_has_decided(capfd):
    assert run(["speak", GERMAN, "--language", "english", "--dry-run"]) == 0
    assert "nicht" in capfd.readouterr().out


def test_an_unknown_language_has_no_model_to_name(capfd):
    assert run(["speak", "Hello.", "--language", "klingon", "--dry-run"]) == 2
    assert "unknown language 'klingon'" in capfd.readouterr().err
