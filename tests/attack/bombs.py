"""Well-formed bombs: documents, markup, lexicons and configs that keep to their format and make all the work they can."""

from __future__ import annotations

import random
import tarfile
import zipfile
from io import BytesIO
from pathlib import Path

from tests.attack.harness import Attack, command, judge

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
PATTERNS = (
    "(a+)+$",
    "(a|a)*b",
    "(.*)(.*)(.*)(.*)(.*)[0-9]",
    "(?:a|b|ab)*c",
    r"(\w+\s?)*:",
    "(a?){30}a{30}",
    "(x+x+)+y",
    "a{1,999}b",
)


def page(rng: random.Random, size: int) -> str:
    """One or two elements again and again: open, closed, empty, with attributes, or one with many."""
    first, second = rng.choice(TAGS), rng.choice(TAGS)
    forms = (f"<{first}>a", f"<{first}>a</{first}>", f"<{first}/>", f"<{first}><{second}>a</{first}>", f"</{first}>",
             f"<{first} id=x class='y z'>a</{first}>", f"<{first}>a</{second}>", f"<{first}></{first}><{second}>", "<!--a-->", "&amp;")  # fmt: skip
    how = rng.randrange(8)
    if how == 0:
        return f"<{first} " + "".join(f"a{at} " for at in range(size // 7)) + ">a"
    if how == 1:
        return "<p>" + "".join(f"<{first} c={at}>" for at in range(rng.randrange(1000))) + "<p>a" * (size // 4)
    if how == 2:
        return "".join(f"<{first} id=x{at}>a</{first}>" for at in range(size // 20))
    form = rng.choice(forms) + rng.choice(("", "a", rng.choice(forms)))
    return form * (size // len(form))


class Bombs(Attack):
    """A limit of processor seconds of the child counts as an end within the budget; the caller's own time is checked."""

    name, count, quick = "bombs", 1_000, 24

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        kind = rng.choice(("epub", "epub", "epub", "html", "md", "docx", "ssml", "lexicon", "yaml"))
        size = int(10 ** rng.uniform(3, 6.8))
        path = folder / f"bomb.{kind}"
        more: tuple[str, ...] = ("--file", str(path), *DRY)
        if kind == "epub":
            self._epub(path, rng, size)
        elif kind == "docx":
            self._docx(path, rng, size)
        elif kind == "md":
            sign = rng.choice(
                (
                    "# a\n",
                    "* a\n",
                    "> ",
                    "|a|b\n|-|-\n",
                    "[a]: b\n",
                    "[^a]: b\n",
                    "```\n",
                    "a\n---\n",
                    "<div>",
                    "<!--\n",
                    "\\",
                    "*a",
                )
            )
            path.write_text(sign * (size // len(sign)))
        elif kind == "ssml":
            sign = rng.choice(
                ("<p>a</p>", "<mark name='a'/>", "<break/>", "<s>", "<x/>", "&amp;", "<prosody rate='2'>")
            )
            path.write_text("<speak>" + sign * (size // len(sign)) + "</speak>")
        elif kind == "lexicon":
            return self._lexicon(folder, rng, size)
        elif kind == "yaml":
            return self._yaml(folder, rng, size)
        else:
            path.write_text("<html>" + page(rng, size))
        return self.check(folder, *command("speak", *more))

    def _epub(self, path: Path, rng: random.Random, size: int) -> None:
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
        with zipfile.ZipFile(
            path, "w", rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_STORED))
        ) as book:
            for name, text in {"META-INF/container.xml": CONTAINER, "b.opf": package, **pages}.items():
                book.writestr(name, text)
            for at in range(size // 500 if how == 4 else 0):
                book.writestr(f"x{at}", "")

    def _docx(self, path: Path, rng: random.Random, size: int) -> None:
        sign = rng.choice(
            ("<w:p><w:r><w:t>a</w:t></w:r></w:p>", "<w:p/>", "<w:tr><w:tc><w:p/></w:tc></w:tr>", "<w:br/>")
        )
        body = sign * (size // len(sign))
        if rng.random() < 0.3:
            body = "<w:p>" * (deep := rng.randrange(1, 1500)) + body + "</w:p>" * deep
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("word/document.xml", f'<w:document xmlns:w="{SPACE}"><w:body>{body}</w:body></w:document>')

    def _lexicon(self, folder: Path, rng: random.Random, size: int) -> str | None:
        path = folder / "words.toml"
        if rng.random() < 0.6:
            entry = f"[[entry]]\nmatch = '{rng.choice(PATTERNS)}'\nsay = 'b'\nregex = true\n"
            path.write_text(entry * rng.choice((1, 1, 3, 50)))
        else:
            path.write_text(
                rng.choice(
                    ("a." * (size // 2) + "a=1", "a=" + "[" * size, "[[entry]]\nmatch='a'\nsay='b'\n" * (size // 60))
                )
            )
        text = rng.choice(("a", "ab", "word ", "x")) * rng.choice((10, 30, 300))
        return self.check(folder, *command("speak", text, "--dry-run", "--model", "tiny", "--lexicon", str(path)))

    def _yaml(self, folder: Path, rng: random.Random, size: int) -> str | None:
        merged = "a0: &a0 {k: 1}\n" + "".join(
            f"a{n}: &a{n} {{<<: [{','.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 10)
        )
        aliases = "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
        sized = min(size, 900_000)
        text = rng.choice((merged, aliases, "x: 1" + ":1" * (sized // 2), "x: " + "[" * sized, "".join(f"a{n}: b\n" for n in range(sized // 9)), "x: '" + "\n\n" * (sized // 2) + "'"))  # fmt: skip
        path, data = folder / "a.nemo", text.encode()
        with tarfile.open(path, "w") as archive:
            member = tarfile.TarInfo("model_config.yaml")
            member.size = len(data)
            archive.addfile(member, BytesIO(data))
        return judge(*command("convert", str(path), str(folder / "out")))
