"""Quotations and their speakers: the styles of five languages, and every word kept."""

import random

import pytest

from mlx_tts.text.cast.attribution import attribute
from mlx_tts.text.cast.cast_file import Cast, as_toml, read_cast, text_hash
from mlx_tts.text.cast.quotations import STYLES, paragraphs_of, style_of
from mlx_tts.text.cast.speech_words import BY_CODE
from mlx_tts.text.cutting.pieces import Chapter


def said(text: str, language: str = "auto") -> list[tuple[str | None, str]]:
    lines = attribute([Chapter(None, text)], language).lines
    return [(line.speaker, text[line.start : line.end]) for line in lines]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("english", "‘Don’t,’ said Ann. ‘It’s Bob’s.’", [("Ann", "‘Don’t,’"), ("Ann", "‘It’s Bob’s.’")]),
        ("english", "'Don't go,' said Ann, and left.", [("Ann", "'Don't go,'")]),
        ("english", '"Go," Mr. Fox said. He saw "a star" there.', [("Mr. Fox", '"Go,"'), (None, '"a star"')]),
        ("german", "„Komm“, sagte Anna. „Es regnet.“", [("Anna", "„Komm“"), ("Anna", "„Es regnet.“")]),
        ("german", "»Komm«, sagte der Müller leise.", [("der Müller", "»Komm«")]),
        ("french", "« Oui, dit Jean, je viens. »", [("Jean", "« Oui,"), ("Jean", "je viens. »")]),
        ("french", "— Oui, répondit Marie. Je viens.", [("Marie", "— Oui,"), ("Marie", "Je viens.")]),
        ("spanish", "—Hola —dijo Juan—. ¿Vienes?", [("Juan", "—Hola "), ("Juan", ". ¿Vienes?")]),
        ("spanish", "«Hola», dijo Juana.", [("Juana", "«Hola»")]),
        ("russian", "— Идём, — сказала Анна. — Пора.", [("Анна", "— Идём,"), ("Анна", "Пора.")]),
        ("russian", "Дождь.\n\n— Да? — спросил Иван.\n\n— Да.", [("Иван", "— Да?"), (None, "— Да.")]),
        ("russian", "«Идём», — сказал Иван.", [("Иван", "«Идём»")]),
    ],
)
def test_the_quotations_of_five_languages(language, text, expected):
    assert said(text, language) == expected


def test_a_quotation_over_two_paragraphs_has_one_speaker():
    text = "“One,” said Ann. “Two.\n\n“Three.”\n\n“Four,” said Bob."
    assert [speaker for speaker, _ in said(text)] == ["Ann", "Ann", "Ann", "Bob"]


def test_turns_of_two_and_what_is_not_sure():
    told = "It rained for days. " * 6
    text = f"“One,” said Ann.\n\n“Two,” said Bob.\n\n“Three.”\n\n“Four.”\n\n{told}\n\n“Five.”"
    lines = attribute([Chapter(None, text)]).lines
    assert [line.speaker for line in lines] == ["Ann", "Bob", "Ann", "Bob", None]
    assert lines[-1].confidence == 0 and lines[0].evidence == "said Ann"
    assert lines[0].confidence > lines[2].confidence >= 0.6


LONG = "It rained for days. " * 6  # what is told between two dialogues


@pytest.mark.parametrize(
    ("language", "text", "speakers"),
    [
        # Who says it.
        ("german", "»Komm«, sagte K. und ging. »Nun?« fragte K. dann.", ["K.", "K."]),
        ("english", "“Go,” said I. “No,” said Mr. J. Fox.", [None, "Mr. J. Fox"]),
        ("english", "“Go,” cried Fox’s nephew.\n\n“No,” said the nephew.", ["Fox’s nephew"] * 2),
        ("english", "“Go,” said Mrs. Ann Fox.\n\n“No,” said Mr. Fox.", ["Mrs. Ann Fox", "Mr. Fox"]),
        ("english", "“Go,” thundered Ann.\n\n“No,” Bob nodded.", ["Ann", "Bob"]),
        (
            "english",
            "“Go,” said my aunt. I went.\n\n“No,” said Bob.\n\n“Yes,” said my aunt.",
            ["my aunt", "Bob", "my aunt"],
        ),
        ("english", f"{LONG * 5}\n\n“Go,” said my lord.\n\n“No,” said Bob.", [None, "Bob"]),
        ("german", "»Komm«, grinste Hans.\n\n»Ja«, sagte die kleine Anna und ging.", ["Hans", "die kleine Anna"]),
        ("german", "Rollo, der schlief, wachte auf, und Hans sagte: »Komm!«", ["Hans"]),
        (
            "french",
            "— Oui, dit l’homme.\n\n— Non, lui dit Mr. Fox.\n\n« Tiens », se dit Jean.",
            ["l’homme", "Mr. Fox", "Jean"],
        ),
        (
            "spanish",
            "—Ven —dijo el niño llorando—. ¡Ven!\n\n—No —preguntó la niña al padre.",
            ["el niño", "el niño", "la niña"],
        ),
        (
            "spanish",
            "—Ven —saludó Juan.\n\nLevantóse un poco de viento, y Juan, viéndolo, dijo:\n\n—Ya.",
            ["Juan", "Juan"],
        ),
        ("russian", "— Иди, — гаркнул отец. — Живо!\n\n— Да, — спросил шёпотом Иван.", ["отец", "отец", "Иван"]),
        ("russian", "«Да, — подумал Иван. — Пора».\n\n— Вот, — сказал Иван и прибавил: — Иди.", ["Иван"] * 4),
        (
            "english",
            "“Go,” said the old sailor-man.\n\n“No,” the child responded.",
            ["the old sailor-man", "the child"],
        ),
        (
            "english",
            "“Go,” was Bob’s answer, and “No,” was all Ann could say.\n\n“Yes,” was my reply.",
            ["Bob", "Ann", None],
        ),
        (
            "english",
            "And Uncle Bob would say:\n\n“Go!”\n\nBut Ann’s remark was, at last—\n\n“No.”",
            ["Uncle Bob", "Ann"],
        ),
        ("english", "Ann rose. Ann went to the door and said:\n\n“Go!”", ["Ann"]),
        (
            "english",
            "Ann Fox sat.\n\n“Go,” said Ann.\n\n“No,” said Bob.\n\n“Go!” said Fox.",
            ["Ann", "Bob", "Ann"],
        ),
        ("german", "K. saß am Tisch. K. stand auf und sagte: »Komm!«", ["K."]),
        ("german", "»Komm«, sagte der junge Mann langsam.", ["der junge Mann"]),
        ("french", "— Eh bien ! Ned, lui demandai-je, viens-tu ?\n\n— Oui, fit observer Ned.", [None, None, "Ned"]),
        ("french", "— Oui, dit madame Fox.\n\n— Non, dit le père Jean.", ["madame Fox", "le père Jean"]),
        (
            "russian",
            "— Да, — спросила княгиня, улыбаясь.\n\n— Нет, — подхватил князь тихим голосом.",
            ["княгиня", "князь"],
        ),
        (
            "english",
            "“Go,” said Ann, who sat.\n\nAnn stood by Bob, and her first words were, “No, Bob.”",
            ["Ann", "Ann"],
        ),
        (
            "french",
            "— Oui, ricana Jean.\n\n— Non, demanda madame de Fox.\n\n— Si, hasarda madame Li.",
            ["Jean", "madame de Fox", "madame Li"],
        ),
        (
            "french",
            f"— Un, dit l’homme.\n\n— Deux, dit Zed.\n\n{'La pluie tombait. ' * 9}\n\n— Trois, dit-il.",
            ["l’homme", "Zed", "l’homme"],
        ),
        ("spanish", "Juan entró.\n\n—¿Vienes? —le preguntó Ana.\n\n—Sí —dijo Juan.", ["Ana", "Juan"]),
        (
            "russian",
            "— Да, — тихо позвала Маша. — Иди.\n\n— Нет, — отвечал штабс-капитан.",
            ["Маша", "Маша", "штабс-капитан"],
        ),
        ("english", "“Go,” said Mr. Fox.\n\nFox sat down. “No.”", ["Mr. Fox"] * 2),
        (
            "english",
            "“Go,” said the Colonel.\n\nColonel Fox sat. “No.”\n\n“Oh,” said the Colonel.",
            ["the Colonel"] * 3,
        ),
        # Where it is not understood who says it, nobody is guessed.
        ("english", "“Go,” cried a strange voice. Ann looked up.\n\n“No,” said Ann.", [None, "Ann"]),
        ("english", "“Go,” said Ann. A boy came, and his sister said: “No.”", ["Ann", None]),
        ("english", "“Go,” said Mrs. Fox. It was late, and then he said: “No.”", ["Mrs. Fox", None]),
        ("english", "“Go,” said Ann. She rose when a bird flew in and cried: “No.”", ["Ann", None]),
        ("english", "“Go,” said Ann. Bob looked up and added: “No.”\n\n“Yes,” said Bob.", ["Ann", "Bob", "Bob"]),
        ("english", "“Go,” said the one marked “A”.\n\n“No,” the brothers cried.\n\n“Yes,” said we.", [None] * 4),
        ("german", "»Komm«, sagte eine Stimme von draußen.\n\n»Nein«, sagte Anna.", [None, "Anna"]),
        ("russian", "— Иди! — крикнул детский голос. — Иди!\n\n— Да, — сказал ему Иван.", [None, None, "Иван"]),
        ("german", "Er fragte den Wirt und die Gäste fragte: »Komm?«", [None]),
        ("english", "“Is it?” Ann replied that it was. “Very well,” said Bob.", ["Bob", "Bob"]),
    ],
)
def test_who_says_it(language, text, speakers):
    assert [speaker for speaker, _ in said(text, language)] == speakers


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        (f"“One,” said Mr. Fox.\n\n{LONG}The door opened and a man came in.\n\n“Two,” he said.", ["Mr. Fox", None]),
        (f"“One,” said Mr. Fox.\n\n{LONG}John Hare sat there.\n\n“Two,” he said.", ["Mr. Fox", None]),
        (f"“One,” said Mrs. Fox.\n\nA woman came.\n\n{LONG}\n\n“Two,” she said.", ["Mrs. Fox", None]),
        (
            f"A woman came.\n\n{LONG}\n\n“One,” she said.\n\n“Sit down, Mrs. Fox,” said Ann.",
            ["Mrs. Fox", "Ann"],
        ),
        ("“One, Tom,” said Ann to me.\n\n“Two,” he said.\n\n“Three,” I said.", ["Ann", None, None]),
        (f"“One,” said Bob.\n\n{LONG}\n\nHe turned to Bob:\n\n“Two.”", ["Bob", None]),
        ("“One,” said Zed.\n\n“Two,” said Mr. Fox.\n\n“Three,” he said.", ["Zed", "Mr. Fox", None]),
        ("“One,” said Zed.\n\n“Two,” said Mrs. Fox.\n\n“Three,” she said.", ["Zed", "Mrs. Fox", None]),
        (
            f"“One,” said Zed.\n\n“Two,” said Xan.\n\n{LONG}It was Zed herself. It rained.\n\n“Three,” she said.",
            ["Zed", "Xan", "Zed"],
        ),
        (
            f"“One,” said Ann.\n\n“Two,” said Jane.\n\n{LONG}Ann’s grey eyes shone upon Jane.\n\n“Three,” she said.",
            ["Ann", "Jane", "Ann"],
        ),
        (
            "“One,” said Ann.\n\n“Two,” said Bob.\n\n“Three,” thought Ann.\n\n“Four,” said the other.",
            ["Ann", "Bob", "Ann", "Bob"],
        ),
        # "he" is nobody who comes in later, nobody who came in without a name, and nobody who is named besides "he".
        (
            f"{LONG}\n\n“One,” said Mrs. Hare.\n\n{LONG}\n\n“Two,” he said.\n\n{LONG}\n\n“Three,” said Mr. Fox.",
            ["Mrs. Hare", None, "Mr. Fox"],
        ),
        (f"“One,” said Mr. Fox.\n\n{LONG}A man came in. It was late.\n\n“Two,” he said.", ["Mr. Fox", None]),
        (f"“One,” said Mr. Fox.\n\n{LONG}\n\nMr. Fox sat. He went to Mr. Fox, and said:\n\n“Two.”", ["Mr. Fox", None]),
        # Usual names have a sex, "Ann's eyes" are hers, and somebody may come in.
        ("Bob sat with Ann.\n\n“One,” she said.\n\n“Two,” said Bob.\n\n“Three,” said Ann.", ["Ann", "Bob", "Ann"]),
        (
            f"“One,” said Ann.\n\n“Two,” said Jane.\n\n{LONG}\n\nAnn’s grey eyes shone.\n\n“Three,” she said.",
            ["Ann", "Jane", "Ann"],
        ),
        (
            f"“One,” said Ann.\n\n“Two,” said Jane.\n\n{LONG}She read when Ann came in.\n\n“Three,” she said.",
            ["Ann", "Jane", "Ann"],
        ),
        # Whoever goes on is who spoke last, where something was told since.
        (f"“One,” said Tom.\n\n“Two,” said Bob.\n\n{LONG}\n\n“Three,” he went on.", ["Tom", "Bob", "Bob"]),
        # Whoever comes in is whom the answer calls, and goes on to be "she".
        (
            f"{LONG}A woman came in.\n\n“One,” she said.\n\n“Sit down, Mrs. Fox.”\n\n{LONG}\n\n“Two,” she said.",
            ["Mrs. Fox", None, "Mrs. Fox"],
        ),
        # An earlier "he" stayed open before Mr. Fox was there, and this one goes on with it.
        (
            f"{LONG}\n\n“One,” he said.\n\n{LONG}\n\n“Two,” said Mr. Fox.\n\n{LONG}\n\n“Three,” he said.",
            [None, "Mr. Fox", None],
        ),
        # Whoever does not answer is not the one who goes on.
        (
            "“One?” asked Bob.\n\n“Two,” said Tom.\n\n“Three?” Bob asked.\n\nTom did not answer.\n\n“Four!” he said.",
            ["Bob", "Tom", "Bob", "Bob"],
        ),
        # The other is not the one who spoke last.
        ("“One?” asked Bob.\n\n“Two,” said Tom.\n\n“Three,” returned the other.", ["Bob", "Tom", "Bob"]),
    ],
)
def test_who_is_meant_by_a_pronoun(text, speakers):
    assert [speaker for speaker, _ in said(text, "english")] == speakers


@pytest.mark.parametrize(
    ("text", "speakers"),
    [
        # Those of another dialogue do not count, and a description may be one of the two.
        (
            f"“Zero,” said Zoe.\n\n{LONG}\n\n“One,” said Ann.\n\n“Two,” said Bob.\n\n“Three.”",
            ["Zoe", "Ann", "Bob", "Ann"],
        ),
        ("“One,” said Ann.\n\n“Two,” said the boy.\n\n“Three.”\n\n“Four,” said Bob.", ["Ann", "the boy", "Ann", "Bob"]),
        # Whoever is called answers, though something is told in between.
        (
            f"“Go, Bob,” said Ann.\n\nBob went. {LONG}\n\n“I go,” said Bob.\n\n“Go!”\n\n{LONG}\n\n“Yes,” said Tom.",
            ["Ann", "Bob", "Ann", "Tom"],
        ),
        # Somebody else is there, who may speak.
        (
            "“One,” said Mrs. Fox.\n\n“Two,” he said.\n\n“Three,” said Miss Hare.\n\n“Four.”",
            ["Mrs. Fox", None, "Miss Hare", None],
        ),
        (f"“One,” said Ann.\n\n{LONG}\n\nAnn sat there, and I rose.\n\n“Two.”", ["Ann", None]),
        ("“One,” said the boy.\n\n“Two,” said Ann.\n\n“Three,” said Bob.\n\n“Four.”", ["the boy", "Ann", "Bob", None]),
        # Whoever tells the book is there, and is the only one who is named in quotations alone.
        (
            "“One, Tom,” said Ann to me.\n\n“Two,” I said.\n\nBob saw me. “Three?”\n\n“Four,” said Bob.",
            ["Ann", None, "Bob", "Bob"],
        ),
        ("“One,” said Ann to us.\n\n“Two.”\n\n“Three,” said Bob to me.\n\n“Four,” I said.", ["Ann", None, "Bob", None]),
    ],
)
def test_whose_turn_it_is(text, speakers):
    assert [speaker for speaker, _ in said(text, "english")] == speakers


def test_names_of_one_person_are_one_character():
    text = "“A,” said Sherlock Holmes. “B,” said Mr. Fox.\n\n“C,” said Holmes. “D,” said Mrs. Fox.\n\n“E,” Holmes said."
    found = {one.name: (one.aliases, one.sex, one.lines) for one in attribute([Chapter(None, text)]).characters}
    assert found == {
        "Sherlock Holmes": (("Holmes",), None, 3),
        "Mr. Fox": ((), "man", 1),
        "Mrs. Fox": ((), "woman", 1),
    }


MARKS = "Ann Bob said asked he she the old man rain. so, — – - “ ” \" ' ’ ‘ « » „ ` ? ! … : ; сказал Анна dit Jean"
WORDS_AND_MARKS = [
    *MARKS.split(),
    *("\n", "\n\n", "\r\n", " \n \n", "  ", "\t", "— ", "said Ann, ", "“Go,” ", "\u2028", "\x00", "😀"),
]


@pytest.mark.slow
def test_the_parts_are_the_text_whatever_it_is():
    chance = random.Random(1)
    for _ in range(10_000):
        pieces = chance.choices(WORDS_AND_MARKS, k=chance.randrange(1, 30))
        text = chance.choice((" ", "")).join(pieces)
        language = chance.choice(list(BY_CODE.values()))
        style, dashes = style_of([text])
        at, whole = 0, ""
        for paragraph in paragraphs_of(text, style, dashes, language):
            assert paragraph.start >= at and not text[at : paragraph.start].strip()
            whole += text[at : paragraph.start]
            at = paragraph.start
            for part in paragraph.parts:
                assert part.start == at < part.end
                whole += text[part.start : part.end]
                at = part.end
            assert at == paragraph.end
        assert whole + text[at:] == text and not text[at:].strip()
        assert style in STYLES


def test_lines_are_in_order_and_none_over_another():
    chance = random.Random(2)
    for _ in range(300):
        text = " ".join(chance.choices(WORDS_AND_MARKS, k=40))
        end = 0
        for line in attribute([Chapter(None, text)], chance.choice(list(BY_CODE))).lines:
            assert end <= line.start < line.end <= len(text)
            end = line.end


@pytest.mark.parametrize(
    ("names", "character"),
    [
        (("Ann", "ANN", "Ann"), "Ann"),
        (("the Hatter", "The Hatter", "the hatter", "the Hatter"), "the Hatter"),
        (("Mrs. Fox", "MRS. FOX", "Mrs. Fox"), "Mrs. Fox"),
        (("Holmes", "HOLMES", "Sherlock Holmes", "Sherlock HOLMES", "Sherlock Holmes"), "Sherlock Holmes"),
    ],
)
def test_a_name_in_capitals_is_the_same_character_in_a_cast_that_can_be_read(names, character, tmp_path):
    chapters = [Chapter(None, "\n\n".join(f'"Words," said {name}.' for name in names))]
    found = attribute(chapters, "english")
    assert [one.name for one in found.characters] == [character]
    cast = Cast(found.characters, None, found.lines, text_hash(chapters))
    (tmp_path / "cast.toml").write_text(as_toml(cast, chapters, "book.txt", "cast.toml"), "utf-8")
    (chapter,) = read_cast(tmp_path / "cast.toml").spoken_by(chapters)
    assert [span.voice for span in chapter.voices] == [character] * len(names)
