"""An EPUB file -> its chapters, with the standard library alone: a zip of XHTML, in the order of its spine."""

from __future__ import annotations

import posixpath
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from mlx_tts.errors import RequestError
from mlx_tts.text.cutting.pieces import Chapter

MOST_BYTES = 200_000_000  # of text unpacked: far above any book, far below what fills a memory
BLOCK_NAMES = "p div li ul ol dl dt dd h1 h2 h3 h4 h5 h6 blockquote section article aside tr table pre hr figure"
BLOCKS = frozenset(BLOCK_NAMES.split())
UNSPOKEN = frozenset(
    ("head", "script", "style", "rt", "rp", "nav", "svg", "math", "template")
)  # rt: readings above Japanese signs
HEADINGS = frozenset(("h1", "h2", "h3"))


def read_epub(path: Path) -> list[Chapter]:
    """Chapters with text in them; RequestError says what is wrong with the file."""
    try:
        with zipfile.ZipFile(path) as book:
            if "META-INF/encryption.xml" in book.namelist() and "META-INF/rights.xml" in book.namelist():
                raise RequestError(f"{path} is protected against copying and cannot be read")
            return _chapters(book, path)
    except zipfile.BadZipFile:
        raise RequestError(f"{path} is no EPUB or is damaged: it does not open as a zip archive") from None
    except KeyError as error:
        raise RequestError(f"{path} is a damaged EPUB: {error.args[0]}") from None
    except (ElementTree.ParseError, UnicodeError) as error:
        raise RequestError(f"{path} is a damaged EPUB: its list of chapters is no XML ({error})") from None
    except (OSError, RuntimeError, NotImplementedError, EOFError) as error:  # zipfile's own: passwords, odd compression
        raise RequestError(f"{path} cannot be read: {error}") from None


def _chapters(book: zipfile.ZipFile, path: Path) -> list[Chapter]:
    package = _package_name(book, path)
    root = ElementTree.fromstring(book.read(package))
    files = {item.get("id"): item.get("href") for item in root.iterfind(".//{*}manifest/{*}item")}
    chapters: list[Chapter] = []
    size = 0
    for reference in root.iterfind(".//{*}spine/{*}itemref"):
        href = files.get(reference.get("idref"))
        if href is None or reference.get("linear") == "no":
            continue
        name = posixpath.normpath(posixpath.join(posixpath.dirname(package), unquote(href.split("#")[0])))
        size += book.getinfo(name).file_size
        if size > MOST_BYTES:
            raise RequestError(f"{path} holds more than {MOST_BYTES // 1_000_000} MB of text: that is no book")
        page = _Page()
        page.feed(book.read(name).decode("utf-8", "replace"))
        page.close()
        if not page.text.strip():
            continue
        if page.title is None and chapters:  # a chapter that goes on in another file
            chapters[-1] = Chapter(chapters[-1].title, f"{chapters[-1].text}\n\n{page.text}")
        else:
            chapters.append(Chapter(page.title, page.text))
    if not chapters:
        raise RequestError(f"{path} has no text in it")
    return chapters


def _package_name(book: zipfile.ZipFile, path: Path) -> str:
    container = ElementTree.fromstring(book.read("META-INF/container.xml"))
    entry = container.find(".//{*}rootfile")
    name = entry.get("full-path") if entry is not None else None
    if name is None:
        raise RequestError(f"{path} is a damaged EPUB: its container names no package")
    return name


class _Page(HTMLParser):
    """XHTML -> text with a blank line between blocks; title: its first heading."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._unspoken = 0
        self._heading: list[str] | None = None
        self.title: str | None = None

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in UNSPOKEN:
            self._unspoken += 1
        if tag in BLOCKS:
            self._parts.append("\n\n")
        elif tag == "br":
            self._parts.append("\n")
        if tag in HEADINGS and self.title is None:
            self._heading = []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS or tag == "br":
            self._parts.append("\n\n" if tag in BLOCKS else "\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in UNSPOKEN:
            self._unspoken = max(0, self._unspoken - 1)
        if tag in BLOCKS:
            self._parts.append("\n\n")
        if tag in HEADINGS and self._heading is not None:
            self.title = " ".join("".join(self._heading).split()) or None
            self._heading = None

    def handle_data(self, data: str) -> None:
        if self._unspoken:
            return
        self._parts.append(" ".join(data.split("\n")))  # line ends in the source mean nothing
        if self._heading is not None:
            self._heading.append(data)
