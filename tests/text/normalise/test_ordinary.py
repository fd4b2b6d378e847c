"""What the reader changes in ordinary English prose, read by eye.

The places are the first ones of 1,400 sentences of an encyclopedia and of radio news, with a word on either side. Of
648 changes about 535 were read, and six of them were wrong: "$364.5 Billion" three times, a span of years before 1100
twice, "1/67th".
A later run over 18,698 sentences of the same kinds changed 6,231 of them. Of its places 748 of different shapes were
read, and 16 were wrong: six initials as numerals ("John C. Breckinridge" as the hundredth), three powers of ten with
a minus, three tags of HTML, and "V20 Foods", "2d Cavalry", "In 1974 E. Howard Hunt", "B.C," once each.
A third run changed 27,931 places of 20,500 sentences that Debian ships (fortunes, WordNet's glosses, FOLDOC, the Jargon
File, the Devil's Dictionary, an FAQ and a handbook). Of 657 shapes of places 425 were read, and 22 were wrong: names of
machines ("DEC-20", "VAX 11/780", "5x86"), "that book I didn't", "CHF3", "5th century BC to the 3rd", "(1626?-1698)",
"480 in 65,536 colours", "V.34", initials without their last dot, "27-OCT-2007", double hyphens and stars of lists.
They are mended but for "#define", "Win32s" and "TR 80-430", and every place here is said as a newsreader says it.
"""

import gc
from pathlib import Path

from mlx_tts.text.normalise.engine import Kind
from mlx_tts.text.normalise.normaliser import normalise
from tests.text.normalise import LANGUAGES

ROWS = [line.split("\t") for line in (Path(__file__).parent / "ordinary.tsv").read_text(encoding="utf-8").splitlines()]


def test_ordinary_prose_is_changed_as_it_was_read():
    assert len(ROWS) > 400
    wrong = {written: said for written, said in ROWS if normalise(written, "english") != said}
    assert not wrong


def test_prose_without_forms_is_left():
    text = "She had never seen the sea, and she asked him whether it was as large as people said. He laughed."
    assert normalise(text, "english") == text


def test_what_tells_of_a_kind_is_not_in_every_text():
    """An empty choice in a pattern ("a||b") is found everywhere: then all rules are tried on each sentence, and a rule
    that the pattern does not tell of works by accident."""
    for language in LANGUAGES:
        normalise("1", language)
    kinds = [each for each in gc.get_objects() if isinstance(each, Kind)]
    assert len(kinds) > 150
    assert [kind.tells.pattern for kind in kinds if kind.tells.search("")] == []
