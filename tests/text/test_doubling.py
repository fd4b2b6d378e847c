"""Parsers of strangers' files take time in proportion to the input: the slope of log time over log size is 1.2 at most.

Time is that of the processor. Sizes grow four times at a step; below 10 ms nothing can be told. Where a step looks
steep both sizes are measured again, several times and in turn, and the least counts: a busy moment meets both. In
the long run the first pattern of a parser goes on to its limit, and the others to the time that a call may take. The
garbage collector waits meanwhile: it looks at all that the tests before have left, more often the longer a call takes.
"""

import contextlib
import gc
import itertools
import math
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring

from mlx_tts.checkpoints.nemo_archive import read_yaml
from mlx_tts.errors import MlxTtsError
from mlx_tts.files.reading import UnreadableFileError, parse_json, read_toml
from mlx_tts.text.cutting.pieces import Chapter
from mlx_tts.text.markup.directives import read_ssml
from mlx_tts.text.normalise.lexicon import Lexicon, LexiconEntry, read_lexicon
from mlx_tts.text.reading import Reading
from mlx_tts.text.source.blocks import NO_ASIDES
from mlx_tts.text.source.documents import decode, markdown_chapters
from mlx_tts.text.source.docx import _blocks
from mlx_tts.text.source.html_document import html_blocks
from mlx_tts.text.source.markdown_document import markdown_document

pytestmark = pytest.mark.timed

MOST_SLOPE = 1.2
# A step that is steeper is judged once more from so many steps before it on. What no longer fits the processor's caches
# takes up to twice as long a byte (a tag of 1 MB in expat), and that once: over three steps that is a slope of 1.17.
# What is quadratic is steep at each step.
STEPS_BEFORE = 2
TOLD_SECONDS = 0.01  # what is shorter is mostly noise
STEP = 4  # sizes grow by so much
Make = Callable[[int], str]


def repeated(pattern: str) -> Make:
    return lambda size: pattern * (size // len(pattern))


def numbered(form: str, begin: str = "", end: str = "") -> Make:
    return lambda size: begin + "".join(form % number for number in range(size // len(form))) + end


def all_of(*patterns: str, **special: Make) -> dict[str, Make]:
    return {pattern: repeated(pattern) for pattern in patterns} | special


@pytest.fixture(scope="module")
def works(tmp_path_factory) -> dict[str, Callable[[str], object]]:
    path = tmp_path_factory.mktemp("doubling") / "a.toml"

    def from_file(read: Callable[[Path], object]) -> Callable[[str], object]:
        def work(text: str) -> object:
            path.write_text(text, encoding="utf-8")
            re.purge()  # patterns that were compiled before would make a short lexicon cheaper than it is
            return read(path)

        return work

    return {
        "html": html_blocks,
        "markdown": lambda text: markdown_document(text, NO_ASIDES),
        "headings": markdown_chapters,
        "ssml": lambda text: read_ssml(f"<speak>{text}</speak>"),
        "directives": lambda text: Reading().passages(Chapter(None, text)),
        "docx": lambda text: _blocks(fromstring(f"<d>{text}</d>")),
        "yaml": lambda text: read_yaml(text.encode(), path),
        "toml": from_file(read_toml),
        "lexicon": from_file(read_lexicon),
        "json": parse_json,
        "encoding": lambda text: decode(text.encode("latin-1"), "a"),
    }


# Of each parser: its limit in characters, and what is short and was or may be slow.
CASES: dict[str, tuple[int, dict[str, Make]]] = {
    "html": (3_000_000, all_of(
        "<p>a", "<b>a</b>", "<br>", "<td>a", "a<sup>1</sup>", "<ul><li>a</ul>", "<pre>a</pre>", "<!--a-->", "&amp;",
        "&", "<p id=a>a", "</p>", "</b></i>", "<svg/>", "<table>a</table>", "<option>", "<dd>a", "<p/>",
        "<ruby>a<rt>b</ruby>", "<rt>a", "<span></i>", "<b><p>", "<i><table>a", "<title/>", "<p hidden>a", " ", "\n",
        attributes=numbered("a%d ", "<p ", ">a"), values=numbered("a%d=''", "<p ", ">a"),
        distinct=lambda size: "<p>" + "".join(f"<b c={n}>" for n in range(900)) + "<p>a" * (size // 4))),
    "markdown": (1_000_000, all_of(
        "# a\n", "* a\n", "- a\n  - b\n", "> ", "1. a\n", "    a\n", "```\n", "|a|b|\n", "|a\n|-\n|b\n", "[a]: b\n",
        "[^a]: b\n", "a\n---\n", "<p>a\n\n", "$$\n", "\\a", "a  \n", "[", "*a*", "> > > > a\n", "- \n", "|-|\n",
        references=numbered("[a%d]: b\n"), notes=numbered("[^%d]: x\n\n"), quotes=lambda size: ">" * size,
        table=lambda size: "|" + "a|" * (size // 10) + "\n|" + "-|" * (size // 10) + "\n" + "|\n" * (size // 5))),
    "headings": (3_000_000, all_of("# a\n", "```\n", "```\na\n", "#", "#\ta  \n", "~~~\n")),
    "ssml": (5_000_000, all_of(
        "<p>a</p>", "<mark name='a'/>", "<s>a</s>", "<break/>", "<prosody rate='x'>a</prosody>", "&amp;", "<!--a-->",
        names=numbered("<a%d/>"), attributes=numbered("a%d='' ", "<p ", "/>"))),
    "directives": (1_000_000, all_of(
        "[sad]", "[/sad]", "[sad]a[/sad]", "[odd]", "[odd]a[/odd]", "[", "[a", "[pause 1s]", "[voice:a]", " [sad]",
        "\n\n[sad]", "[[", "[sad][", "[ab ", "[/", "[a]{b}", "a\n \n", "[sad]\n",
        names=numbered("[a%d]"), ends=numbered("[/a%d]"),
        nested=lambda size: "[sad]" * (size // 11) + "[/sad]" * (size // 11),
        open=lambda size: "[sad]" + "a\n\n" * (size // 3),
        spaces=lambda size: " " * size + "[sad]", quotes=lambda size: "[sad]\"" * (size // 6))),
    "docx": (5_000_000, all_of("<p><t>a</t></p>", "<tr><tc><p><t>a</t></p></tc></tr>", "<br/>", "<p/>",
        nested=lambda size: "<p>" * (deep := size // 40) + "<t>a</t>" * deep + "</p>" * deep)),
    "yaml": (1_000_000, all_of(
        "a: b\n", "- a\n", "[a,", "# a\n", "? ", " ", flow=lambda size: "x: [" + "a," * (size // 2) + "]",
        keys=numbered("a%d: b\n"), folded=lambda size: "x: '" + "\n\n" * (size // 2) + "'",
        quoted=lambda size: "x: '" + "a " * (size // 2) + "'")),
    "toml": (4_000_000, all_of(
        "[[a]]\nb=1\n", "# a\n", "\n", keys=numbered("a%d=1\n"), dotted=lambda size: "a." * (size // 2) + "a=1",
        below=numbered("a.b.c.d%d=1\n"), inline=numbered("b%d=1,", "a={", "c=1}"),
        array=lambda size: "a=[" + "1," * (size // 2) + "]", word=lambda size: "a" * size + "=1")),
    "lexicon": (10_000_000, {"entries": numbered('[[entry]]\nmatch="a%d"\nsay="b"\n')}),
    "json": (4_000_000, all_of("[", "[1,", '{"a":', ones=lambda size: "[" + "1," * (size // 2) + "1]")),
    "encoding": (10_000_000, all_of("\xe9", "a\xe9", "a")),
}  # fmt: skip


DEAR = ("markdown", "lexicon", "html")  # more than two seconds of the processor


def seconds(work, text: str) -> float:
    gc.disable()
    try:
        start = time.process_time()
        with contextlib.suppress(MlxTtsError, UnreadableFileError):
            work(text)
        return time.process_time() - start
    finally:
        gc.enable()


def slope(small: float, large: float) -> float:
    """Of the times at two sizes, one STEP times the other."""
    return math.log(max(large, 1e-6) / max(small, 1e-6)) / math.log(STEP)


def measured_again(work, make: Make, sizes: tuple[int, int], rounds: int) -> float:
    """The slope by the least times of so many rounds, of sizes that may lie any number of steps apart.

    A size that is too short to tell is called as often as can be told.
    """
    texts = [make(size) for size in sizes]
    calls = [math.ceil(TOLD_SECONDS / max(seconds(work, text), TOLD_SECONDS / 1000)) for text in texts]
    found = [
        [sum(seconds(work, text) for _ in range(count)) / count for text, count in zip(texts, calls, strict=True)]
        for _ in range(rounds)
    ]
    small, large = (max(min(column), 1e-6) for column in zip(*found, strict=True))
    return math.log(large / small) / math.log(sizes[1] / sizes[0])


def sizes_up_to(limit: int) -> list[int]:
    """From about 1 kB to just below the limit, each STEP times the one before."""
    steps, last = int(math.log(limit / 1000, STEP)), limit * 99 // 100
    return [last // STEP**step for step in range(steps, -1, -1)]


def check_slope(work, name: str, make: Make, limit: int, call_seconds: float, most: int, rounds=(2, 4, 8)) -> None:
    """Each step whose smaller size takes long enough to tell, at most so many, up to calls of about `call_seconds`."""
    sizes = sizes_up_to(limit)
    for _ in range(3):  # the first calls import and compile
        before = seconds(work, make(sizes[0]))
    for size, larger in itertools.pairwise(sizes):
        if before * STEP > call_seconds or not most:
            return
        now = seconds(work, make(larger))
        if before >= TOLD_SECONDS:
            most -= 1
            found = slope(before, now)
            for count in rounds:
                if found > MOST_SLOPE:
                    found = min(found, measured_again(work, make, (size, larger), count))
            if found > MOST_SLOPE:
                found = measured_again(work, make, (size // STEP**STEPS_BEFORE, larger), rounds[-1])
            assert found <= MOST_SLOPE, f"{name!r} from {size:,} to {larger:,} characters: slope {found:.2f}"
        before = now


@pytest.mark.slow
@pytest.mark.parametrize("parser", [pytest.param(p, marks=pytest.mark.slow) if p in DEAR else p for p in CASES])
def test_a_few_sizes(parser, works):
    """Each second pattern, once where it can first be told, up to a fifth of the limit."""
    limit, patterns = CASES[parser]
    for name, make in list(patterns.items())[::2]:
        check_slope(works[parser], name, make, min(limit // 5, 100_000), 0.15, 1)


@pytest.mark.long
@pytest.mark.parametrize(
    ("parser", "pattern"), [(parser, name) for parser, (_, all_) in CASES.items() for name in all_]
)
def test_up_to_the_limit(parser, pattern, works):
    """A second for each pattern, as long as it takes for the first of a parser."""
    limit, patterns = CASES[parser]
    first = pattern == next(iter(patterns))
    check_slope(works[parser], pattern, patterns[pattern], limit, 20.0 if first else 1.0, 20)


@pytest.mark.parametrize(
    ("parser", "text", "line"),
    [
        ("html", "<p " + "".join(f"a{n} " for n in range(1100)) + ">a", "a tag with more than 1,000 attributes"),
        ("html", "<p " + "".join(f"a{n}=''" for n in range(1100)) + ">a", "a tag with more than 1,000 attributes"),
        ("markdown", "|" + "a|" * 300 + "\n|" + "-|" * 300 + "\n" + "|\n" * 300, "more than 20,000 empty cells"),
        ("ssml", "<p " + "".join(f"a{n} = '>' " for n in range(1100)) + "/>", "a tag with more than 1,000 attributes"),
        ("docx", "<p>" * 900 + "<t>a</t>" * 900 + "</p>" * 900, "more than 10 times"),
    ],
)
def test_what_is_short_and_takes_long_is_refused(parser, text, line, works):
    with pytest.raises(MlxTtsError, match=line):
        works[parser](text)


@pytest.mark.slow
def test_what_is_honest_is_read(works):
    """A description of many words in a tag, a wide table with empty cells, and boxes in boxes."""
    assert works["html"]('<p title="' + "word " * 3000 + '">a')[0].text == "a"
    wide = "|" + "a|" * 30 + "\n|" + "-|" * 30 + "\n" + "|b\n" * 300
    assert len(works["markdown"](wide).chapters[0].text) > 300
    assert works["ssml"]("<p xml:lang='en'>a = 'b'</p>" * 1100)[0][0].text
    assert works["docx"]("<p>" * 4 + "<t>a</t>" + "</p>" * 4)


@pytest.mark.slow
def test_a_quadratic_parser_is_seen():
    """The check itself: it goes red for a parser that looks back at all it has read."""

    def quadratic(text: str) -> None:
        for at in range(0, len(text), 40):
            text[:at].count("b")

    with pytest.raises(AssertionError, match=r"slope [12]\.\d"):
        check_slope(quadratic, "a", repeated("a"), 1_000_000, 4.0, 1, rounds=(1,))


@pytest.mark.slow
def test_a_pattern_that_looks_for_ever_ends_in_time():
    """The engine of `re` would take years for it."""
    slow = Lexicon([LexiconEntry("(.*)(.*)(.*)(.*)(.*)[0-9]", "x", regex=True)])
    start = time.process_time()  # by which the engine measures, too
    with pytest.raises(MlxTtsError, match=r"the lexicon's pattern .* takes more than 500 ms .*MLX_TTS_BUDGET=2"):
        slow.settle("x" * 4000, "english")
    assert time.process_time() - start < 1.5
