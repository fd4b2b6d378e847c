"""The budget: what is allowed, how a refusal reads, and that one variable raises all of it."""

import pytest

from mlx_tts.cli import run
from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.files.budget import Limit
from mlx_tts.files.reading import UnreadableFileError, read_bytes
from mlx_tts.text.markup.directives import read_ssml

TEN = Limit(10, "elements", "has more than {}")


def test_a_refusal_names_the_limit_and_how_to_raise_it(monkeypatch):
    TEN.check(10, "a page")
    with pytest.raises(RequestError) as caught:
        TEN.check(11, "a page")
    assert str(caught.value) == (
        "a page has more than 10 elements: that is refused (MLX_TTS_BUDGET=2 would allow twice as much)"
    )
    monkeypatch.setenv("MLX_TTS_BUDGET", "1.5")
    TEN.check(15, "a page")
    with pytest.raises(RequestError, match=r"more than 15 elements.*MLX_TTS_BUDGET=3 "):
        TEN.check(16, "a page")


@pytest.mark.parametrize("given", ["much", "0", "-1", "nan", "inf", "1e9"])
def test_a_variable_that_is_no_number_is_one_line(given, monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("MLX_TTS_BUDGET", given)
    (tmp_path / "a.txt").write_text("Hello there.")
    assert run(["speak", "--file", str(tmp_path / "a.txt"), "--dry-run", "--model", "tiny"]) == 2
    assert capsys.readouterr().err.startswith(f"mlx-tts: MLX_TTS_BUDGET is '{given}': ")


def test_files_and_markup_keep_to_it(monkeypatch, tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 15)
    monkeypatch.setenv("MLX_TTS_BUDGET", "1.5")
    assert len(read_bytes(tmp_path / "a", 10)) == 15
    monkeypatch.setenv("MLX_TTS_BUDGET", "1")
    with pytest.raises(UnreadableFileError, match=r"has more than 10 bytes.*MLX_TTS_BUDGET=2"):
        read_bytes(tmp_path / "a", 10)
    many = "<speak>" + "<mark name='a'/>" * 400_001 + "Hi.</speak>"
    with pytest.raises(RequestError, match="this SSML has more than"):
        read_ssml(many)


def test_all_limits_stand_in_one_table():
    limits = [value for value in vars(budget).values() if isinstance(value, Limit)]
    assert len(limits) > 20
    for limit in limits:
        assert limit.says.count("{}") == 1 and limit.most > 0
        assert len(limit.refusal("x" * 60)) < 300 and limit.refusal("a.epub").isprintable()
