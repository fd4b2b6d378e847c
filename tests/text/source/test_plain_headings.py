"""Chapters of books in plain text, by their usual headings, and none in other texts."""

import time

import pytest

from mlx_tts.text.source import plain_headings
from mlx_tts.text.source.documents import markdown_chapters, text_document

BODY = "It rained all day, and nobody went out.\nThe fox slept, and the hare looked out of the window again.\n\n" * 3


def titles(text: str) -> list[str | None]:
    """Of its chapters, which together are the text, word for word."""
    found = markdown_chapters(text)
    assert "".join(chapter.text for chapter in found) == text
    return [chapter.title for chapter in found]


def book(*headings: str, front: str = "") -> str:
    return front + "".join(f"{heading}\n\n{BODY}\n" for heading in headings)


@pytest.mark.parametrize(
    "headings",
    [
        ["CHAPTER I", "CHAPTER II"],
        ["Chapter 1", "Chapter 2"],
        ["CHAPTER ONE", "CHAPTER TWENTY-TWO", "CHAPTER THE LAST"],
        ["BOOK IX", "BOOK X"],
        ["PART ONE", "PART TWO"],
        ["LETTER I", "LETTER II"],
        ["STAVE I: MARLEY'S GHOST", "STAVE II: THE FIRST OF THE THREE SPIRITS"],
        ["Chapter I—The Fox", "Chapter II--The Hare", "Chapter III - The End"],
        ["CHAPTER IV. The Fox", "CHAPTER V. “Who is there?”"],
        ["Chapter I Mr. Fox, Mrs. Hare and St. John Drive Out", "Chapter II They Return"],
        ["CHAPTER I THE FOX", "CHAPTER II THE HARE"],
        ["CHAP. I", "CHAP. II"],
        ["THE FIRST BOOK", "THE SECOND BOOK"],
        ["BOOK FIRST—A JUST MAN", "BOOK SECOND—THE FALL"],
        ["Kapitel 1", "Kapitel 2"],
        ["Erstes Kapitel", "Zweites Kapitel"],
        ["1. Kapitel", "2. Kapitel"],
        ["Chapitre premier", "Chapitre II", "Chapitre troisième"],
        ["PREMIÈRE PARTIE", "DEUXIÈME PARTIE"],
        ["Capítulo primero. Que trata de la condición", "Capítulo II. Que trata de la salida"],
        ["CAPITOLO PRIMO", "CAPITOLO SECONDO"],
        ["Глава первая", "Глава вторая", "ГЛАВА III"],
        ["Часть 1", "Часть 2"],
        ["第一章 雨", "第二章 狐", "第十二章"],
        ["第１回", "第２回"],
        ["제1장", "제2장"],
    ],
)
def test_usual_headings(headings):
    assert titles(book(*headings)) == headings
    windows = book(*headings).replace("\n", "\r\n")
    assert titles(windows) == headings


def test_a_mark_behind_the_number_is_not_in_the_title():
    assert titles(book("CHAPTER I.", "   CHAPTER II.", "_Chapter III._")) == ["CHAPTER I", "CHAPTER II", "Chapter III"]


def test_a_title_on_the_next_line_or_in_a_paragraph_of_its_own():
    found = titles(
        book("CHAPTER I.\nDown the Rabbit-Hole", "CHAPTER II\n\nThe Pool of Tears", "CHAPTER III\n\n\nTHE END.")
    )
    assert found == ["CHAPTER I. Down the Rabbit-Hole", "CHAPTER II. The Pool of Tears", "CHAPTER III. THE END"]


@pytest.mark.parametrize("first", ["“Tom!”", "No answer.", "[Illustration]", "It rained,", "* * *"])
def test_a_short_first_paragraph_is_no_title(first):
    assert titles(book(f"CHAPTER I\n\n{first}", f"CHAPTER II\n\n{first}")) == ["CHAPTER I", "CHAPTER II"]


def test_a_long_title_has_several_lines():
    long = "Capítulo II. Que trata de la primera salida que de su tierra hizo el\ningenioso don Quijote"
    assert titles(book("Capítulo primero", long))[1] == " ".join(long.split())


def test_a_title_of_four_lines_below_its_number():
    long = "Mr. Beebe, Mr. Emerson,\nMiss Lavish,\nand Miss Lucy Drive Out to See a View; Italians\nDrive Them."
    assert titles(book("Chapter V", f"Chapter VI\n{long}"))[1] == "Chapter VI. " + " ".join(long.rstrip(".").split())


def test_what_stands_before_the_first_heading_is_a_chapter_without_a_title():
    assert titles(book("CHAPTER I", "CHAPTER II", front="THE FOX\n\nby A. Hare\n\n")) == [
        None,
        "CHAPTER I",
        "CHAPTER II",
    ]


def test_a_part_belongs_to_its_first_chapter():
    text = book("PART I. RAIN\n\nCHAPTER I", "CHAPTER II", "VOLUME II\n\nBOOK I\n\nCHAPTER I")
    assert titles(text) == ["PART I. RAIN, CHAPTER I", "CHAPTER II", "VOLUME II, BOOK I, CHAPTER I"]


def test_a_part_with_a_text_of_its_own_is_a_chapter():
    assert titles(book("PART I", "CHAPTER I", "CHAPTER II")) == ["PART I", "CHAPTER I", "CHAPTER II"]


CONTENTS = {
    "a paragraph each": "CHAPTER I. The Fox\n\nCHAPTER II. The Hare\n\nCHAPTER III. The End\n\n",
    "one paragraph": " CHAPTER I.   The Fox\n CHAPTER II.  The Hare\n CHAPTER III. The End\n\n",
    "three of a line each": "CHAPTER I. The Fox\nCHAPTER II. The Hare\nCHAPTER III. The End\n\n",
    "with a preface": f"CHAPTER I. The Fox\n\nCHAPTER II. The Hare\n\nCHAPTER III. The End\n\nPREFACE\n\n{BODY}",
    "other words": "CHAP. 1. The Fox\n\nCHAP. 2. The Hare\n\nCHAP. 3. The End\n\n",
}


@pytest.mark.parametrize("contents", CONTENTS.values(), ids=CONTENTS)
def test_a_table_of_contents_has_no_chapters(contents):
    front = f"THE FOX\n\nContents\n\n{contents}\n\n"
    assert titles(front + book("CHAPTER I.\nThe Fox", "CHAPTER II.\nThe Hare", "CHAPTER III.\nThe End")) == [
        None, "CHAPTER I. The Fox", "CHAPTER II. The Hare", "CHAPTER III. The End",
    ]  # fmt: skip


def test_a_table_of_contents_with_lists_below_its_parts():
    front = (
        "PART I\n\n" + "  1. The Fox in the Rain\n" * 12 + "\nPART II\n\n" + "  2. The Hare in the Snow\n" * 12 + "\n"
    )
    assert titles(front + book("PART I\n\nCHAPTER I", "PART II\n\nCHAPTER II")) == [
        None, "PART I, CHAPTER I", "PART II, CHAPTER II",
    ]  # fmt: skip


def test_chapters_that_count_anew_in_each_part_are_no_table_of_contents():
    headings = ["CHAPTER I", "CHAPTER II", "CHAPTER I", "CHAPTER II"]
    assert titles(book(*headings)) == headings


def test_letters_within_a_chapter_are_no_chapters_and_those_before_are():
    text = book("LETTER I", "LETTER II", "CHAPTER I", "LETTER III", "CHAPTER II")
    assert titles(text) == ["LETTER I", "LETTER II", "CHAPTER I", "CHAPTER II"]


STORIES = ["THE SISTERS", "An Encounter", "Araby", "IVY DAY IN THE ROOM."]


@pytest.mark.parametrize("heading", ["Contents", "CONTENTS:", "Table of Contents", "_Inhalt_", "Оглавление"])
@pytest.mark.parametrize(
    "lines",
    [
        " The Sisters\n An Encounter\n Araby\n Ivy Day in the Room\n",
        "THE SISTERS\n\nAN ENCOUNTER\n\nARABY\n\nIVY DAY IN THE ROOM\n",
        "          PAGE\n  The Sisters    1\n  An Encounter ..... 12\n  Araby   30\n  Ivy Day in the Room  xl\n",
    ],
)
def test_titles_that_only_the_table_of_contents_shows(heading, lines):
    text = book(*STORIES, front=f"DUBLIN\n\n{heading}\n\n{lines}\n\n\n").replace("no", "NO")
    found = titles(text)
    assert found == [None, *(title.rstrip(".") for title in STORIES)]
    assert titles(text.replace("\n", "\r\n")) == found


def test_a_preface_and_a_finale_that_the_table_of_contents_has():
    contents = "Contents\n\nPREFACE\nCHAPTER I. The Fox\nCHAPTER II. The Hare\nFINALE\n\n"
    assert titles(book("PREFACE", "CHAPTER I.\nThe Fox", "CHAPTER II.\nThe Hare", "FINALE", front=contents)) == [
        None, "PREFACE", "CHAPTER I. The Fox", "CHAPTER II. The Hare", "FINALE",
    ]  # fmt: skip


def test_a_list_whose_lines_do_not_come_again_is_no_table_of_contents():
    front = "Contents\n\nApples\nPears\nPlums\nCherries\nNuts\n\n"
    assert titles(book("Apples", "Rain", "Snow", front=front)) == [None]
    assert titles("The contents were gone.\n\n" + BODY) == [None]


def test_the_notes_behind_an_act_belong_to_it():
    assert titles(book("ACT I.", "Act I", "ACT II.", "Act II")) == ["ACT I", "ACT II"]
    assert titles(book("ACT I. SCENE I", "ACT I. SCENE II")) == ["ACT I. SCENE I", "ACT I. SCENE II"]


def test_a_line_that_says_what_a_part_is_about_is_no_chapter():
    about = "Containing scenes of matrimonial felicity in different degrees of life; " * 4
    text = book("BOOK I\n\nChapter i", "Chapter ii") + f"BOOK II\n\n{about}\n\n" + book("Chapter i", "Chapter ii")
    assert titles(text) == ["BOOK I, Chapter i", "Chapter ii", "BOOK II, Chapter i", "Chapter ii"]


@pytest.mark.parametrize(
    "line",
    [
        "Chapter 5 of this book shows how.",
        "Part I played in it was small.",
        "Part. The moment is now.",
        "Book I Read It. He did not.",
        "Letter, Dr. Seward to Hon. Arthur Holmwood.",
        "LETTER FROM WENDELL PHILLIPS, ESQ.",
        "The first book was lost.",
        "The First Book Of His Life",
        "chapter ii",
        "Chapters 1 and 2",
        "Chapter",
        "Booking 3",
        "Act 4 is largely devoted to a satire. It is long.",
        "Chapter I'd rather",
        "SCENE II. A room",
        "Kapitel",
        "Glava 1",
        "一章",
    ],
)
def test_ordinary_lines_are_no_headings(line):
    assert titles(f"{line}\n\n{BODY}\n{line}\n\n{BODY}\n{line}\n\n{BODY}") == [None]


def test_a_heading_stands_alone():
    text = f"It is said in\nCHAPTER I\nthat it rains.\n\n{BODY}\nSee\nCHAPTER II\n\n{BODY}"
    assert titles(text) == [None]
    long = BODY.replace("\n", " ")
    assert titles(f"CHAPTER I\n{long}\n\nCHAPTER II\n{long}\n\n") == [None]


def test_one_heading_or_headings_close_together_cut_nothing():
    assert titles(book("CHAPTER I")) == [None]
    assert titles("CHAPTER I\n\nIt rained.\n\nCHAPTER II\n\nIt rained.\n\n") == [None]


def test_markdown_headings_come_first():
    text = f"# One\n\nCHAPTER I\n\n{BODY}\n# Two\n\nCHAPTER II\n\n{BODY}"
    assert titles(text) == ["One", "Two"]
    assert titles("# The Fox\n\n" + book("CHAPTER I", "CHAPTER II")) == [None, "CHAPTER I", "CHAPTER II"]


def test_numerals_alone_are_headings_where_they_count_from_one():
    assert titles(book("I", "II", "III.")) == ["I", "II", "III"]
    assert titles(book("I.\nThe Fox", "II.\nThe Hare", "III.\nThe End")) == [
        "I. The Fox", "II. The Hare", "III. The End"
    ]  # fmt: skip
    assert titles(book("I", "III", "IV")) == [None]
    assert titles(book("I", "II")) == [None]
    assert titles(book("I", "II", "III", front=BODY * 9)) == [None]  # an appendix


def test_numerals_may_have_marks_around():
    assert titles(book("=I.=\n=The Fox=", "=II.=\n=The Hare=", "=III.=")) == ["I. The Fox", "II. The Hare", "III"]


def test_prologue_and_epilogue():
    headings = ["PROLOGUE", "CHAPTER I", "CHAPTER II", "Epilogue"]
    assert titles(book(*headings)) == headings
    assert titles(book("CHAPTER I", "CHAPTER II", "EPILOGUE\n\nCHAPTER I"))[2:] == ["EPILOGUE, CHAPTER I"]


def test_parts_of_stories_are_not_the_stories():
    text = book("I. A SCANDAL", "I.", "II.", "III.", "II. THE LEAGUE", "III. A CASE", "IV. THE MYSTERY")
    assert titles(text) == ["I. A SCANDAL", "II. THE LEAGUE", "III. A CASE", "IV. THE MYSTERY"]


def test_numerals_within_chapters_are_no_chapters():
    assert titles(book("CHAPTER I", "I", "II", "III", "CHAPTER II")) == ["CHAPTER I", "CHAPTER II"]


def test_a_text_without_a_name_has_them_too():
    assert [chapter.title for chapter in text_document(book("CHAPTER I", "CHAPTER II")).chapters] == [
        "CHAPTER I", "CHAPTER II",
    ]  # fmt: skip


def test_a_long_text_is_looked_through_in_blocks(monkeypatch):
    text = "".join(f"CHAPTER {number}.\n\n{'It was late, and nobody was there. ' * 8}\n\n" for number in range(1, 40))
    whole = plain_headings.plain_cuts(text)
    assert len(whole) == 39
    for block in (1, 7, 100, 1000):
        monkeypatch.setattr(plain_headings, "BLOCK", block)
        assert plain_headings.plain_cuts(text) == whole


def test_lines_without_anything_hold_python_for_a_moment_only(monkeypatch):
    """Each look of a pattern keeps other threads, as a server's event loop, from going on."""
    took = []

    class Timed:
        def finditer(self, text, begin, end):
            started = time.thread_time()
            found = list(plain_headings.LINE.finditer(text, begin, end))
            took.append(time.thread_time() - started)
            return found

    assert list(plain_headings._matches(Timed(), " \n" * 45_000 + "a")) == []
    assert sorted(took)[-3] < 0.008  # 0.001 here; of all 90,000 characters at once 0.04
