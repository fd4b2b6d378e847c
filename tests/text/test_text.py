"""Text to pieces: cleaning, sentences, packing, chapters, EPUB, and text that arrives bit by bit."""

import random
import time
import zipfile
from itertools import pairwise

import pytest

from mlx_tts.errors import RequestError
from mlx_tts.files.budget import Limit
from mlx_tts.text import reading
from mlx_tts.text.cutting import pieces as cutting
from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.cutting.pieces import CHAPTER, PARAGRAPH, SENTENCE, START, Chapter, Packing, seconds_in_time
from mlx_tts.text.cutting.sentences import split_clauses, split_sentences
from mlx_tts.text.markup.markdown import clean
from mlx_tts.text.reading import Reading
from mlx_tts.text.source.arriving import ArrivingText, read_pieces
from mlx_tts.text.source.documents import markdown_chapters
from mlx_tts.text.source.epub import epub_document

SENTENCES = {
    "english": [
        "Dr. Smith paid $3.50 at 10.30 a.m. on Jan. 5.",
        "He left.",
        "See https://example.com/a.b?c=d.",
        "Why?",
    ],
    "german": ["Das ist z. B. gut.", "Am 3. Oktober kam Dr. Müller.", "Er ging."],
    "french": ["M. Dupont est là.", "Il a dit : « Bonjour. »", "Puis il est parti."],
    "spanish": ["El Sr. Pérez vino.", "¿Qué tal?", "¡Bien!"],
    "italian": ["Il dott. Rossi è qui.", "Costa 3,50 euro.", "Ciao."],
    "portuguese": ["O Sr. Silva chegou.", "Tudo bem?", "Sim."],
    "russian": ["Он пришёл в 10.30.", "Это т.е. хорошо.", "Всё."],
    "japanese": ["吾輩は猫である。", "名前はまだ無い。", "元気ですか？"],
    "korean": ["안녕하세요.", "저는 3.5점을 받았습니다.", "왜요?"],
    "chinese": ["你好。", "圆周率是3.14159！", "真的吗？"],
}
SPACELESS = ("japanese", "chinese")


@pytest.mark.parametrize("language", list(SENTENCES))
def test_sentences_of_the_ten_languages(language):
    text = ("" if language in SPACELESS else " ").join(SENTENCES[language])
    for asked in (language, "auto") if language in ("chinese", "japanese", "korean", "russian") else (language,):
        found = split_sentences(text, asked)
        assert [sentence.strip() for sentence in found] == SENTENCES[language]
        assert "".join(found) == text


def pieces(text: str, **packing):
    return list(Reading().pieces([Chapter(None, text)], Packing(**packing)))


LONG = (
    "The ship, which had left the harbour at 10:30 with 1,250,000 barrels of oil, turned north; nobody on board knew "
    "why the captain, Dr. J. R. Miller, had sent his letter to "
    "https://example.com/a/very/long/address?with=a,query;part "
    "instead of waiting for the answer that was to come on 3 May 1999 at the latest: "
)


GROWING = (3.5, 5.0, 9.0)
STORM = (
    "When the storm came in from the west, the keeper climbed the stairs, lit the lamp, and waited until the last boat "
    "had found its way home. In the morning the sea was calm. Nobody spoke for a long time, because nobody had slept."
)


def test_the_first_pieces_of_live_speech_are_short():
    """The first sound of a model that makes whole pieces waits for the first of them."""
    found = [piece.text for piece in pieces(STORM, growing=GROWING)]
    assert found[0] == "When the storm came in from the west,"
    assert found[1].startswith("the keeper climbed") and found[1].endswith("its way home.")
    assert " ".join(found) == STORM
    assert [piece.text for piece in pieces(f"{STORM}\n\n{STORM}", growing=GROWING)][:2] == found[:2]
    assert sum(text.startswith("the keeper") for text in found) == 1  # only the first sentence of all is cut


WAR = (
    "After the war, the family moved to a house by the river, where the children, who had never seen water, "
    "learned to swim, to row, and to fish; their mother, however, stayed at home."
)


def test_each_of_the_first_pieces_of_live_speech_is_made_while_the_one_before_is_played():
    found = [piece.text for piece in pieces(WAR, growing=GROWING)]
    assert found[:2] == ["After the war,", "the family moved to a house by the river,"]
    assert " ".join(found) == WAR
    seconds = [expected_seconds(text) for text in found]
    assert all(after <= seconds_in_time(before) for before, after in pairwise(seconds))
    assert [piece.text for piece in pieces(WAR)] == [WAR]


def test_a_long_first_clause_of_live_speech_is_waited_for_without_its_sentence():
    clause = "Mrs Hale had kept the little shop at the end of the village street for more than thirty years,"
    text = f"{clause} and nobody could remember a morning when its lamp was not lit."
    assert expected_seconds(clause) > GROWING[0]
    assert next(iter(pieces(text, growing=GROWING))).text == clause


def test_a_short_first_sentence_of_live_speech_is_a_piece_of_its_own():
    short = "The sea was calm."
    assert [piece.text for piece in pieces(f"{short} Nobody spoke.", growing=GROWING)] == [short, "Nobody spoke."]
    assert [piece.text for piece in pieces(f"{short} Good.", growing=GROWING)] == [f"{short} Good."]  # a crumb


@pytest.mark.parametrize(
    "text",
    [
        "Yes, I think so.",  # the clause is over before more can be made
        "The old lighthouse stood at the end of the pier and nobody went there any more because of the rats.",
        "At 10:30 the 1,000 guests of the old hotel by the sea went home at last without a word.",
    ],
)
def test_a_sentence_without_a_long_enough_clause_is_not_cut(text):
    assert [piece.text for piece in pieces(text, growing=GROWING)] == [text]


@pytest.mark.parametrize("characters", [60, 90, 130, 180, 1000])
def test_no_number_name_or_address_is_cut(characters):
    whole = ("10:30", "1,250,000", "J. R. Miller", "https://example.com/a/very/long/address?with=a,query;part", "3 May")
    found = [piece.text for piece in pieces(LONG * 3, language="english", characters=characters)]
    assert all(len(text) <= max(characters, 60) for text in found)
    assert "".join("".join(found).split()) == "".join((LONG * 3).split())
    for kept in whole[:2] + whole[3:4]:
        assert sum(text.count(kept) for text in found) == 3


@pytest.mark.parametrize("characters", range(20, 60, 3))
def test_a_number_with_spaces_stays_whole(characters):
    text = "there were 10 000 000 people and 25 000 000 sheep on the 3 000 hills of that land in those days"
    found = split_clauses(text, lambda part: len(part) <= characters)
    assert "".join(found) == text
    assert sum(part.count(number) for number in ("10 000 000", "25 000 000", "3 000 ") for part in found) == 3


def test_clauses_are_cut_at_their_marks():
    found = pieces("it was the age of wisdom, " * 20, language="english", characters=100)
    assert all(piece.text.endswith("wisdom,") for piece in found) and len(found) > 5
    assert all(piece.text.endswith("，") for piece in pieces("今天天气很好，我们去公园，" * 20, language="chinese"))


def test_pieces_hold_ten_to_twenty_seconds():
    text = "The old man sat by the sea and looked at the boats. " * 60
    found = pieces(text, language="english")
    assert all(8 <= expected_seconds(piece.text) <= 20 for piece in found)
    lengths = [len(piece.text) for piece in found]
    assert max(lengths) - min(lengths) <= 60  # no crumb at the end


def test_gaps_between_pieces():
    long = "One sentence of a paragraph that is long. " * 12
    found = list(Reading().pieces([Chapter("A", f"{long}\n\nShort one."), Chapter("B", "Again.")], Packing()))
    assert [piece.gap for piece in found] == [START, *[SENTENCE] * (len(found) - 3), PARAGRAPH, CHAPTER]
    assert [piece.number for piece in found] == list(range(len(found)))
    assert found[-1].chapter == 1


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("**Bold** and *soft* and `code`", "Bold and soft and code"),
        ("[a link](http://x.y) ![a picture](z.png)", "a link a picture"),
        ("# A heading", "A heading"),
        ("2 * 3 * 4 < 30 and snake_case_name", "2 * 3 * 4 < 30 and snake_case_name"),
        ("<p>Hello<br/>you</p>", "Hello you"),
        ("nul\0 and \ud800 lone", "nul and lone"),
        ("lines\nthat are\r\nwrapped", "lines that are wrapped"),
        ("日本\n語", "日本語"),
        ("It is 25 °C 😀 now", "It is 25 °C now"),
        ("*** --- ...", ""),
        ("🎉👍🏽", ""),
        ("<br>", ""),
        ("你好 hello мир", "你好 hello мир"),
        ("a" + "\u0301\u0316" * 3000 + "b\u0301", "a" + "\u0301\u0316" * 5 + "b\u0301"),
        ("\u0301\u20dd" * 3000, ""),
        ("שָּׁ֖", "שָּׁ֖"),
    ],
)
def test_cleaning(written, said):
    assert clean(written) == said


@pytest.mark.parametrize(
    ("letter", "characters", "most_bytes"), [("ཀྐཱི", None, 900), ("ཀྐཱི", 300, 600), ("ह", None, 900), ("a", 300, 300)]
)
def test_scripts_of_many_bytes_get_shorter_pieces(letter, characters, most_bytes):
    """Marks take no time, but a small model reads each byte of them."""
    found = list(Reading().pieces([Chapter(None, letter * 3000)], Packing("auto", characters=characters)))
    sizes = [len(piece.spoken.encode()) for piece in found]
    assert 0.3 * most_bytes < max(sizes) <= most_bytes
    assert "".join(piece.spoken for piece in found) == letter * 3000


@pytest.mark.parametrize(
    ("sentence", "cut"), [("It was late. ", ". "), ("很晚了。", "。"), ("late and ", " "), ("a", "")]
)
def test_a_paragraph_of_megabytes_is_cleaned_in_parts(monkeypatch, sentence, cut):
    """Nothing is lost or doubled, and no pause of a paragraph comes into it."""
    monkeypatch.setattr(reading, "MOST_CHARACTERS", 100)
    text = (sentence * 330)[:330].strip()
    found = list(reading._parts_of(["One.", text]))
    assert "".join(part for part, _ in found[1:]) == text
    assert [is_first for _, is_first in found] == [True, True, *[False] * (len(found) - 2)]
    assert len(found) >= 5 and all(len(part) <= 100 and part.endswith(cut) for part, _ in found[1:-1])
    gaps = [piece.gap for piece in Reading().pieces([Chapter(None, text)], Packing())]
    assert gaps == [START, *[SENTENCE] * (len(gaps) - 1)]


def test_what_has_nothing_to_say_is_skipped_and_told():
    skipped: list[str] = []
    found = list(Reading().pieces([Chapter(None, "One.\n\n😀\n\n...\n\nTwo.")], Packing(), skipped.append))
    assert [piece.text for piece in found] == ["One.", "Two."] and len(skipped) == 2


@pytest.mark.timed
@pytest.mark.slow
@pytest.mark.parametrize("line", ["hello there my friend ", "x", "你", "1", "a. "])
def test_a_line_of_a_megabyte(line):
    text = line * (300_000 // len(line))
    start = time.perf_counter()
    found = pieces(text, characters=180)
    assert time.perf_counter() - start < 30
    assert all(len(piece.text) <= 180 for piece in found)
    assert sum(len(piece.text.replace(" ", "")) for piece in found) == len(text.replace(" ", ""))


def test_chapters_of_markdown():
    text = "Before.\n\n# The Book\n\n## One\nText.\n```\n## no heading\n```\n\n## *Two*\nMore."
    found = markdown_chapters(text)
    assert [chapter.title for chapter in found] == [None, "One", "Two"]
    assert "".join(chapter.text for chapter in found) == text
    assert [chapter.title for chapter in markdown_chapters("no headings")] == [None]


CONTAINER = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
CONTAINER += '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><manifest>
<item id="a" href="a.xhtml"/><item id="b" href="b%20c.xhtml"/><item id="c" href="c.xhtml"/><item id="n" href="n.xhtml"/>
</manifest><spine><itemref idref="a"/><itemref idref="b"/><itemref idref="n" linear="no"/><itemref idref="c"/></spine>
</package>"""
PAGES = {
    "OPS/a.xhtml": "<html><head><title>no</title></head><h1>Chapter <i>One</i></h1><p>It\nbegan.</p></html>",
    "OPS/b c.xhtml": "<html><p>It went&nbsp;on &amp; <ruby>漢<rt>kan</rt></ruby>.</p><script>x</script></html>",
    "OPS/c.xhtml": "<html><body><h2>Two</h2><p>The end.</p></body></html>",
    "OPS/n.xhtml": "<html><body><p>A note.</p></body></html>",
}


def make_epub(path, **changes):
    files = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "OPS/book.opf": PACKAGE, **PAGES}
    files.update({name.replace("__", "/").replace("_dot_", "."): text for name, text in changes.items()})
    with zipfile.ZipFile(path, "w") as book:
        for name, text in files.items():
            if text is not None:
                book.writestr(name, text)
    return path


def test_chapters_of_an_epub(tmp_path):
    first, second = epub_document(make_epub(tmp_path / "book.epub")).chapters
    assert (first.title, second.title) == ("Chapter One", "Two")
    assert [clean(part) for part in first.text.split("\n\n") if part.strip()] == [
        "Chapter One",
        "It began.",
        "It went on & 漢.",
    ]


@pytest.mark.parametrize(
    "damage",
    [
        {"META-INF__container_dot_xml": None},
        {"META-INF__container_dot_xml": "<not xml"},
        {"META-INF__container_dot_xml": "<container/>"},
        {"OPS__book_dot_opf": "<package>"},
        {"OPS__a_dot_xhtml": None},
        {name.replace("/", "__").replace(".", "_dot_"): "<html/>" for name in PAGES},
        {"META-INF__encryption_dot_xml": "x", "META-INF__rights_dot_xml": "x"},
    ],
)
def test_a_broken_epub_is_one_clear_line(tmp_path, damage):
    with pytest.raises(RequestError) as caught:
        epub_document(make_epub(tmp_path / "book.epub", **damage))
    assert "book.epub" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("data", [b"", b"no zip", b"PK\x03\x04 cut"])
def test_no_epub_at_all(tmp_path, data):
    (tmp_path / "book.epub").write_bytes(data)
    with pytest.raises(RequestError, match="not an EPUB or is damaged"):
        epub_document(tmp_path / "book.epub")


ARRIVING = f"""Hello.
Dear friend, this came as a line.

# A title

Dr. Smith paid $3.50 at 10.30 a.m. on Jan. 5. He left. Why? she asked. The U.S. won. No. 5 is it!
And a wrapped line
goes on. Yes. No. **Bold words here. And more** of it.

* item one
* item two is longer. It has two.

😀

你好。我是小明！你呢？ {"word " * 100}end.

Last one."""


def arrive(text: str, sizes) -> list[tuple[str, str]]:
    arriving, found, at = ArrivingText(Packing("english"), lambda skipped: None), [], 0
    while at < len(text):
        size = next(sizes)
        found += arriving.feed(text[at : at + size])
        at += size
    return [(piece.text, piece.gap) for piece in found + arriving.finish()]


@pytest.mark.slow
def test_where_arriving_text_is_cut_changes_nothing():
    whole = arrive(ARRIVING, iter([len(ARRIVING)]))
    assert whole[0] == ("Hello.", START) and whole[2] == ("A title", PARAGRAPH)
    assert ("Dr. Smith paid $3.50 at 10.30 a.m. on Jan. 5.", PARAGRAPH) in whole
    for seed in range(60):
        sizes = random.Random(seed)
        assert arrive(ARRIVING, iter(lambda sizes=sizes: sizes.choice([1, 2, 3, 7, 30]), None)) == whole


def test_the_first_sentence_leaves_as_soon_as_the_second_begins():
    arriving = ArrivingText(Packing("english"), lambda skipped: None)
    assert arriving.feed("It was a dark night.") == []
    assert arriving.feed(" The") == []
    assert [piece.text for piece in arriving.feed(" wind")] == ["It was a dark night."]
    arriving = ArrivingText(Packing("english"), lambda skipped: None)
    assert [piece.text for piece in arriving.feed("It was a dark night.\n")] == ["It was a dark night."]


def test_text_that_comes_in_bytes_and_pauses():
    blocks = iter(["Schöne".encode()[:4], "Schöne".encode()[4:] + b" Welt.\n", b"\xff Bye now, all of you.", b""])
    found, waits = [], 0
    for piece in read_pieces(lambda: (time.sleep(0.02), next(blocks))[1], Packing("german"), lambda skipped: None):
        waits += piece is None
        found += [] if piece is None else [piece.text]
    assert found[0] == "Schöne Welt." and found[1].endswith("Bye now, all of you.") and waits


def test_reading_stops_where_the_pipe_breaks():
    def read() -> bytes:
        raise OSError

    assert [piece for piece in read_pieces(read, Packing(), lambda skipped: None) if piece] == []


def test_a_zip_that_claims_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("mlx_tts.files.budget.UNPACKED_BYTES", Limit(100, "bytes", "holds more than {} of text"))
    with pytest.raises(RequestError, match="holds more than 100 bytes of text"):
        epub_document(make_epub(tmp_path / "book.epub"))


def test_paragraphs_are_the_same_however_many_lines_are_looked_through_at_once(monkeypatch):
    chance = random.Random(0)
    parts = ("# A", "a", "\n", "\n\n", "- b", " ", "1. c", "\t", "#", "\r\n", "\f")
    for _ in range(300):
        text = "".join(chance.choices(parts, k=60))
        monkeypatch.setattr(cutting, "LINES_AT_ONCE", 1000)
        whole = cutting.split_paragraphs(text)
        monkeypatch.setattr(cutting, "LINES_AT_ONCE", chance.choice((0, 3, 20)))
        assert cutting.split_paragraphs(text) == whole


@pytest.mark.parametrize("short", ["Ch", "Figs", "Vol", "Eq", "approx", "Apt", "Kap", "chap", "cap"])
def test_a_short_form_before_a_number_ends_no_sentence(short):
    whole = f"She saw {short}. 3 and slept."
    assert split_sentences(whole, "english") == [whole]


def test_a_sentence_may_begin_with_a_number():
    assert len(split_sentences("She saw it. 3 people slept.", "english")) == 2
