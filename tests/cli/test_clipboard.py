"""`speak --clipboard`: the text of the program that the system has for it."""

import pytest

from mlx_tts.cli import run, script
from tests.cli.test_speak import CUSTOM, models, place  # noqa: F401 (fixtures)


@pytest.fixture
def copied(monkeypatch, tmp_path):
    """Puts an xclip of our own where programs are looked for, and nothing else."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def put(text):
        program = folder / "xclip"
        program.write_text(f"#!/bin/sh\nprintf '%s' '{text}'\n")
        program.chmod(0o755)

    return put


def test_the_copied_text_is_spoken(models, copied):  # noqa: F811
    copied("Copied words.")
    assert run(["speak", "--clipboard", *CUSTOM, "-o", "out.wav"]) == 0
    assert models.request.text == "Copied words."


def test_what_is_refused(models, copied, capfd):  # noqa: F811
    assert run(["speak", "--clipboard", *CUSTOM, "-o", "out.wav"]) == 2
    assert "--clipboard needs wl-paste, xclip or xsel" in capfd.readouterr().err
    copied(" ")
    assert run(["speak", "--clipboard", *CUSTOM, "-o", "out.wav"]) == 2
    assert "no text in the clipboard" in capfd.readouterr().err
    assert run(["speak", "Hi.", "--clipboard", *CUSTOM, "-o", "out.wav"]) == 2
    assert "both --clipboard and another text were given" in capfd.readouterr().err


def test_a_program_that_never_answers_is_given_up(models, copied, capfd, monkeypatch, tmp_path):  # noqa: F811
    copied("")
    (tmp_path / "programs" / "xclip").write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    monkeypatch.setattr(script, "MOST_SECONDS", 0.1)
    assert run(["speak", "--clipboard", *CUSTOM, "-o", "out.wav"]) == 2
    assert "xclip did not give the clipboard's text (TimeoutExpired)" in capfd.readouterr().err
