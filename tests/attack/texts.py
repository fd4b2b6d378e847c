"""Hostile texts and documents: read by the dry run in one process, and some spoken by the command."""

from __future__ import annotations

import random
import subprocess
import sys
import zipfile
from pathlib import Path

from tests.attack.edits import WORDS, change_kind, edit_bytes
from tests.attack.harness import HANG_SECONDS, ROOT, Attack, command

PARTS = ("word", "Hello there. ", "12,345.67", "$1e9", "1/0", "31.02.2024", "IV", "Dr. ", "e.g. ", "www.a.b/c?d=e", "a@b.c",
         "**", "*", "__", "`", "```\n", "~~~", "# ", "> ", "- ", "1. ", "|", "[a](b)", "[", "]", "![", "<!--", "-->", "<", ">",
         "<a b='", "&#x110000;", "&amp;", "&", "\n", "\n\n", "\t", " ", "\r", "\x00", "\x1b[31m", "\x1b]0;x\x07", "\u200b",
         "\u202e", "\ufeff", "\ud83d", "😀", "é", "e\u0301" * 20, "你好。", "こんにちは", "안녕", "العربية", "[pause 2s]",
         "[pause 99999999999999s]", "[pause -1s]", "[[slnc 500]]", "[voice:ivy]", "[voice:\x1b[2J]", "<speak>", "</speak>",
         "<break time='9e99s'/>", "<say-as interpret-as='date'>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;", "<|im_end|>",
         "<|im_start|>", "½", "x²", "10^10^10", "9" * 5000, "a" * 3000, "--", "...", "?!", "“", "\"", "'", "(", "{", "$$",
         "\\", "%s", "²³", "٣", "Ⅷ", "\N{ZERO WIDTH JOINER}", "A.B.C.", "AAAA", "iPhone", "C++", "+49 30 123", "--- \n", "===\n")  # fmt: skip


def text_of(rng: random.Random, most: int) -> str:
    pieces = []
    for _ in range(rng.choice((1, 3, 10, 50, 200))):
        part = rng.choice(PARTS)
        pieces.append(part * (rng.choice((1, 1, 1, 2, 30, 1000)) if len(part) < 20 else 1))
        if rng.random() < 0.1:
            pieces.append("".join(chr(rng.randrange(0x110000)) for _ in range(rng.randrange(20))))
    return "".join(pieces)[:most]


DRY = ("--dry-run", "--model", "tiny")
OPTIONS = ((), (), (), ("--normalise", "off"), ("--normalise", "on"), ("--no-markup",), ("--json",), ("--list-chapters",),
           ("--sentence-pause", "0"), ("--language", "english"))  # fmt: skip


class Texts(Attack):
    name, count, quick = "texts", 5_000, 60

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        text = text_of(rng, 30_000).encode("utf-8", "surrogatepass")
        path = folder / f"text{rng.choice(('.txt', '.md', '.html', '', '.ssml', '.rst'))}"
        path.write_bytes(text)
        code, error = command("speak", "--file", str(path), *DRY, *rng.choice(OPTIONS))
        return self.check(folder, code, error)


PAGES = ("<p>Hello <b>there</b>.</p>", "<h1>One</h1><p>x</p>", "<div>" * 300, "<!--", "<svg><script>x</script></svg>",
         "<p id='a'>", "<table><tr><td>1</td></tr></table>", "&nbsp;&lt;&#0;", "<img alt='x'/>", "</p></p>", "<ruby>漢<rt>kan</rt></ruby>")  # fmt: skip


class Documents(Attack):
    name, count, quick = "documents", 1_000, 30

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        kind = rng.choice(("epub", "epub", "docx", "html", "md", "pdf", "lexicon"))
        path = folder / f"book.{kind}"
        more: tuple[str, ...] = ()
        if kind == "epub":
            self._epub(path, rng)
        elif kind == "docx":
            with zipfile.ZipFile(path, "w") as archive:
                body = "".join(f"<w:p><w:r><w:t>{rng.choice(PAGES)}</w:t></w:r></w:p>" for _ in range(5))
                space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
                archive.writestr(
                    "word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'
                )
        elif kind == "lexicon":
            path = folder / "words.toml"
            entry = '[[entry]]\nmatch = "a"\nsay = "b"\n'
            path.write_text(entry * rng.choice((1, 300)) + rng.choice(("", "regex = true", "language = 'x'", "x = 1")))
            more = ("--lexicon", str(path), "Hello a there.")
        elif kind == "pdf":
            path.write_bytes(
                b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Kids[1 0 R]>>endobj trailer<<>>"
            )
        else:
            path.write_text("".join(rng.choice(PAGES) for _ in range(20)) + text_of(rng, 5000), errors="replace")
        if rng.random() < 0.5:
            edit_bytes(path, rng)
        elif rng.random() < 0.1:
            change_kind(path, rng)
        code, error = command("speak", *(more or ("--file", str(path))), *DRY, *rng.choice(OPTIONS))
        return self.check(folder, code, error)

    def _epub(self, path: Path, rng: random.Random) -> None:
        names = [f"{rng.choice(('a', 'é', '../x', 'b c', '/abs'))}{at}.xhtml" for at in range(rng.randrange(1, 6))]
        items = "".join(f'<item id="i{at}" href="{name}"/>' for at, name in enumerate(names))
        spine = "".join(f'<itemref idref="i{rng.randrange(len(names) + 1)}"/>' for _ in names)
        doctype = rng.choice(("", "", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "<!DOCTYPE a SYSTEM 'file:///etc/passwd'>"))
        package = f"{doctype}<package><manifest>{items}</manifest><spine>{spine}</spine></package>"
        container = "<container><rootfiles><rootfile full-path='b.opf'/></rootfiles></container>"
        how = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
        with zipfile.ZipFile(path, "w", how) as book:
            book.writestr("META-INF/container.xml", rng.choice((container, container, container, "<a>" * 5000, "")))
            book.writestr("b.opf", package)
            for name in names:
                page = "".join(rng.choice(PAGES) * rng.choice((1, 1, 1000)) for _ in range(5))
                book.writestr(name, page if rng.random() < 0.95 else "x" * 30_000_000)


class Commands(Attack):
    """The command itself, so arguments and standard input take part."""

    name, count, quick = "commands", 200, 4
    slow = 3 * HANG_SECONDS  # a process of its own, which loads the model

    def attempt(self, rng: random.Random, folder: Path) -> str | None:
        text = text_of(rng, 300)
        data = text.encode("utf-8", "surrogatepass")
        line = [sys.executable, "-m", "mlx_tts", "speak"]
        how = rng.randrange(4)
        if how == 0:
            line += ["--", *[word.replace("\0", "") for word in rng.sample(WORDS, 3)], text.replace("\0", "")]
            line[4:4] = ["-o", str(folder / "out.wav"), "--max-seconds", "0.5", "-q"]
            data = b""
        elif how == 1:
            line += ["-", "-o", str(folder / "out.flac"), "--max-seconds", "0.5", "-q"]
        elif how == 2:
            (folder / "a.md").write_bytes(data)
            line += ["--file", str(folder / "a.md"), "-o", "-", "--max-seconds", "0.5", "-q"]
        else:
            line += ["-", "--dry-run", "--json", "--model", "tiny"]
        line = [part.encode("utf-8", "surrogatepass") for part in line]  # type: ignore[misc]
        done = subprocess.run(line, input=data, cwd=ROOT, capture_output=True, timeout=100, check=False)
        return self.check(folder, done.returncode, done.stderr.decode("utf-8", "replace"))
