"""Well-formed bombs: input of every kind that keeps to its format and makes all the work it can. Documents are here."""

from __future__ import annotations

import math
import os
import random
import resource
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from mlx_tts.files import budget
from tests.attack.checkpoints import Checkpoints
from tests.attack.data_bombs import lexicon, patterns, request, subtitles, voice_file, wave_header, yaml
from tests.attack.harness import HANG_SECONDS, Attack, command

# Bytes of a bomb at most: the short run of the test suite sets it lower, for a bomb of megabytes takes half a minute.
LARGEST = "MLX_TTS_ATTACK_LARGEST_BOMB"
START_SECONDS = 3.0  # of a child's processor: to start, and to be ended

DRY = ("--dry-run", "--list-chapters", "--model", "tiny")
TAGS = (
    "p",
    "b",
    "div",
    "span",
    "a",
    "i",
    "table",
    "td",
    "li",
    "h1",
    "sup",
    "ruby",
    "rt",
    "font",
    "pre",
    "svg",
    "option",
    "form",
)
CONTAINER = "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>"
SPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
Maker = Callable[[random.Random, Path, int], "tuple[int, str] | str | None"]


def page(rng: random.Random, size: int) -> str:
    """One or two elements again and again: open, closed, empty, with attributes, or one with many."""
    first, second = rng.choice(TAGS), rng.choice(TAGS)
    forms = (f"<{first}>a", f"<{first}>a</{first}>", f"<{first}/>", f"<{first}><{second}>a</{first}>", f"</{first}>",
             f"<{first} id=x class='y z'>a</{first}>", f"<{first}>a</{second}>", f"<{first}></{first}><{second}>", "<!--a-->", "&amp;")  # fmt: skip
    how = rng.randrange(9)
    if how == 8:
        return (
            f"<{first} "
            + rng.choice(("a='>' ", 'a=">" ', "b=' > ' "))
            + "".join(f"a{at} " for at in range(size // 7))
            + ">a"
        )
    if how == 0:
        return f"<{first} " + "".join(f"a{at} " for at in range(size // 7)) + ">a"
    if how == 1:
        return "<p>" + "".join(f"<{first} c={at}>" for at in range(rng.randrange(1000))) + "<p>a" * (size // 4)
    if how == 2:
        return "".join(f"<{first} id=x{at}>a</{first}>" for at in range(size // 20))
    form = rng.choice(forms) + rng.choice(("", "a", rng.choice(forms)))
    return form * (size // len(form))


def _spoken(folder: Path, kind: str, text: str) -> tuple[int, str]:
    path = folder / f"bomb.{kind}"
    path.write_text(text)
    return command("speak", "--file", str(path), *DRY)


def html(rng: random.Random, folder: Path, size: int) -> tuple[int, str]:
    return _spoken(folder, "html", "<html>" + page(rng, size))


def markdown(rng: random.Random, folder: Path, size: int) -> tuple[int, str]:
    signs = ("# a\n", "* a\n", "> ", "|a|b\n|-|-\n", "[a]: b\n", "[^a]: b\n", "```\n", "a\n---\n", "<div>", "<!--\n", "\\",
             "*a", "[", "![a](", "_a_ ", "`", "&#1;", "- [ ] a\n", "1. a\n", "    a\n")  # fmt: skip
    sign = rng.choice(signs)
    return _spoken(folder, "md", sign * (size // len(sign)))


def ssml(rng: random.Random, folder: Path, size: int) -> tuple[int, str]:
    signs = ("<p>a</p>", "<mark name='a'/>", "<break/>", "<s>", "<x/>", "&amp;", "<prosody rate='2'>", "<sub alias='b'>a</sub>",
             "<say-as interpret-as='date'>1/2/2020</say-as>", "<phoneme alphabet='ipa' ph='a'>b</phoneme>", "<!--a-->")  # fmt: skip
    sign = rng.choice(signs)
    return _spoken(folder, "ssml", "<speak>" + sign * (size // len(sign)) + "</speak>")


def epub(rng: random.Random, folder: Path, size: int) -> tuple[int, str]:
    _epub(folder / "bomb.epub", rng, size)
    return command("speak", "--file", str(folder / "bomb.epub"), *DRY)


def docx(rng: random.Random, folder: Path, size: int) -> tuple[int, str]:
    _docx(folder / "bomb.docx", rng, size)
    return command("speak", "--file", str(folder / "bomb.docx"), *DRY)


def _epub(path: Path, rng: random.Random, size: int) -> None:
    pages = {f"{at}.xhtml": page(rng, size // rng.choice((1, 1, 5))) for at in range(rng.choice((1, 1, 2, 9)))}
    items = "".join(
        f"<item id='i{at}' href='{name}' properties='{rng.choice(('', 'nav'))}'/>" for at, name in enumerate(pages)
    )
    spine = "".join(f"<itemref idref='i{at}'/>" for at in range(len(pages)))
    how = rng.randrange(5)
    if how == 0:
        items += "<item id='x' href='0.xhtml' properties='nav'/>" * (size // 50)
    elif how == 1:
        spine *= size // 100 + 1
    extra = "<a b='' c=''/>" * (size // 15) if how == 2 else "<a>" * 500 + "</a>" * 500 if how == 3 else ""
    package = f"<package>{extra}<manifest>{items}</manifest><spine>{spine}</spine></package>"
    with zipfile.ZipFile(path, "w", rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_STORED))) as book:
        for name, text in {"META-INF/container.xml": CONTAINER, "b.opf": package, **pages}.items():
            book.writestr(name, text)
        for at in range(size // 500 if how == 4 else 0):
            book.writestr(f"x{at}", "")


def _docx(path: Path, rng: random.Random, size: int) -> None:
    sign = rng.choice(("<w:p><w:r><w:t>a</w:t></w:r></w:p>", "<w:p/>", "<w:tr><w:tc><w:p/></w:tc></w:tr>", "<w:br/>"))
    body = sign * (size // len(sign))
    if rng.random() < 0.3:
        body = "<w:p>" * (deep := rng.randrange(1, 1500)) + body + "</w:p>" * deep
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{SPACE}"><w:body>{body}</w:body></w:document>')


class Bombs(Attack):
    """Every kind has its turn. A limit of processor seconds of the child counts as an end within the budget; the caller
    itself and all of its children have limits of their own here."""

    name, count, quick = "bombs", 1_000, 24
    slow = HANG_SECONDS + budget.PARSER_SECONDS.most + START_SECONDS

    def prepare(self, place: Path) -> None:
        models = Checkpoints()
        models.prepare(place)
        self.model = models.bases[1]
        self.kinds: dict[str, Maker] = {
            made.__name__: made
            for made in (epub, html, markdown, docx, ssml, lexicon, patterns, yaml, subtitles, request, voice_file)
        } | {"wave_header": self._sound}

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        name = list(self.kinds)[self.number % len(self.kinds)]
        most = math.log10(float(os.environ.get(LARGEST, 10**6.8)))
        own, children = time.process_time(), _children()
        ended = self.kinds[name](rng, folder, int(10 ** rng.uniform(3, most)))
        own, children = time.process_time() - own, _children() - children
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        self.figures |= {f"{name}, s": own, f"{name}, s of its children": children, "MB of a child": memory / 1e6}
        if isinstance(ended, tuple):
            ended = self.check(folder, *ended)
        if ended is None and own > HANG_SECONDS:
            ended = f"it took {own:.1f} s of the processor"
        if ended is None and children > budget.PARSER_SECONDS.most + START_SECONDS:
            ended = f"its children took {children:.1f} s of the processor"
        if ended is None and memory > budget.PARSER_BYTES.most:
            ended = f"a child took {memory / 1e6:.0f} MB"
        return ended and f"{name}: {ended}"

    def _sound(self, rng: random.Random, folder: Path, size: int) -> tuple[int, str]:
        (folder / "me.wav").write_bytes(wave_header(rng, size))
        return command(
            *("clone", "Hi.", "--voice-sample", str(folder / "me.wav"), "--model", str(self.model), "--max-seconds", "0.08"),
            *("-q", "-o", str(folder / "out.wav")),
        )  # fmt: skip


def _children() -> float:
    """Processor seconds of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
