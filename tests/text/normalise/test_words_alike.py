"""Ordinary words that look like a short form ("art.", "no.", "spät.") are left alone, wherever they stand.

`words_alike.txt` has the words of three to eight letters that equal a short form of any of the ten languages and are
among the 17,000 to 21,000 most frequent words of their own. It was made by program: all words before a full stop and
all keys of tables in `mlx_tts/text/languages` and `mlx_tts/text/normalise`, crossed with the lists of `wordfreq`. Left
out are those that are written so only as short forms ("etc", "dept", "bzw"), about 60 of 820 in English: they were read
by eye."""

from pathlib import Path

import pytest

from mlx_tts.text.normalise.normaliser import normalise

WORDS: dict[str, list[str]] = {}
for line in (Path(__file__).parent / "words_alike.txt").read_text(encoding="utf-8").splitlines():
    if line.startswith("# "):
        words = WORDS.setdefault(line[2:], [])
    else:
        words.extend(line.split())
# At the end of a sentence, in its midst and at its beginning, before other marks, in quotes and as a name.
TEXTS = {
    "english": (
        "It was so {w}. The man went home. The old {w} was there. {W} is good. Is it {w}? No, {w}!",
        "“They said {w}.” He left. I know {W}. She left. All was {w}.",
    ),
    "german": (
        "Es war so {w}. Der Mann ging heim. Das alte {W} war dort. {W} war gut. Ist es {w}? Nein, {W}!",
        "„Er war {w}.“ Sie ging. Ich sah {W}. Sie ging. Alles war {w}.",
    ),
    "french": ("Il est {w}. La porte est ouverte. Le vieux {w} était là. {W} est bon. Est-ce {w} ? Non, {w} !",),
    "spanish": ("Era tan {w}. La puerta estaba abierta. El viejo {w} estaba allí. {W} es bueno. ¿Es {w}? No, ¡{w}!",),
    "portuguese": ("Era tão {w}. A porta estava aberta. O velho {w} estava lá. {W} é bom. É {w}? Não, {w}!",),
    "italian": ("Era così {w}. La porta era aperta. Il vecchio {w} era lì. {W} è buono. È {w}? No, {w}!",),
    "russian": ("Это было {w}. Дверь открылась. Старый {w} был там. {W} хорош. Это {w}? Нет, {w}!",),
}


@pytest.mark.parametrize("language", TEXTS)
def test_words_that_look_like_short_forms_are_left(language):
    assert len(WORDS[language]) > 100
    changed = []
    for word in WORDS[language]:
        for text in TEXTS[language]:
            written = text.format(w=word, W=word[0].upper() + word[1:])
            said = normalise(written, language)
            if said != written:
                changed.append((word, said))
    assert not changed
