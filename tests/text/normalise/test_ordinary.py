"""What the reader changes in ordinary English prose, read by eye.

The places are the first ones of 1,400 sentences of an encyclopedia and of radio news, with a word on either side. Of
648 changes about 535 were read, and six of them were wrong: "$364.5 Billion" three times, a span of years before 1100
twice, "1/67th".
A later run over 18,698 sentences of the same kinds changed 6,231 of them. Of its places 748 of different shapes were
read, and 16 were wrong: six initials as numerals ("John C. Breckinridge" as the hundredth), three powers of ten with
a minus, three tags of HTML, and "V20 Foods", "2d Cavalry", "In 1974 E. Howard Hunt", "B.C," once each.
They are mended, and every place here is said as a newsreader says it.
"""

from pathlib import Path

from mlx_tts.text.normalise.normaliser import normalise

ROWS = [line.split("\t") for line in (Path(__file__).parent / "ordinary.tsv").read_text(encoding="utf-8").splitlines()]


def test_ordinary_prose_is_changed_as_it_was_read():
    assert len(ROWS) > 270
    wrong = {written: said for written, said in ROWS if normalise(written, "english") != said}
    assert not wrong


def test_prose_without_forms_is_left():
    text = "She had never seen the sea, and she asked him whether it was as large as people said. He laughed."
    assert normalise(text, "english") == text
