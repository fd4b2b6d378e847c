"""The lexicon that is proposed for a book: nothing counts until its # is taken away, and then it is a lexicon."""

from mlx_tts.text.normalise.lexicon import read_lexicon
from mlx_tts.text.phonemes.suggest import BookWord, as_lexicon, proposals

WORDS = [
    BookWord("Siobhan", 3, 2, "There was\nSiobhan.", "a name", {"Kerr": 1, "Moore": 4}),
    BookWord('Ny"x\\', 1, 1, "It was Ny.", "unknown"),
]


def test_a_proposal_is_three_lines_of_a_lexicon(tmp_path):
    text, path = as_lexicon(WORDS, "book.epub"), tmp_path / "lexicon.toml"
    path.write_text(text, encoding="utf-8")
    assert not read_lexicon(path).entries
    assert "# Siobhan: 3 times, chapter 2, a name, with Moore\n#   There was Siobhan.\n# 1. " in text
    assert '# match = "Ny\\"x\\\\"\n' in text
    best = proposals("Siobhan")[0]
    lines = ["# [[entry]]", '# match = "Siobhan"', f'# ipa = "{best.ipa}"']
    assert "\n".join([f"# 1. {best.respelling} ({best.source})", *lines]) in text
    path.write_text("\n".join(line.removeprefix("# ") for line in lines), encoding="utf-8")
    assert len(read_lexicon(path).entries) == 1
