"""A zip archive from a stranger -> its parts: all sizes are limited, every damage is one clear error."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from mlx_tts.errors import RequestError
from mlx_tts.files import budget
from mlx_tts.shortened import reason_of, shown

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

RATIO_FLOOR = 1_000_000  # bytes: what is shorter may be packed as well as it likes
DAMAGE = (zlib.error, lzma.LZMAError, struct.error, EOFError, AssertionError, IndexError, ValueError)


class Archive:
    """Everything that is read of it counts against one budget: `unpacked` bytes, and `elements` of its pages."""

    def __init__(self, archive: zipfile.ZipFile, path: Path):
        self._archive, self.path = archive, path
        self.unpacked = self.elements = 0
        budget.MEMBERS.check(len(archive.NameToInfo), path)

    def __contains__(self, name: str) -> bool:
        return name in self._archive.NameToInfo

    def read(self, name: str, most: budget.Limit) -> bytes:
        """zipfile gives no more than the size that is declared, so the declared size is what must be sane."""
        try:
            part = self._archive.getinfo(name)
        except KeyError:
            raise RequestError(f"{self.path} is damaged: it has no part {shown(name, 100)}") from None
        self.unpacked += part.file_size
        most.check(part.file_size, self.path)
        budget.UNPACKED_BYTES.check(self.unpacked, self.path)
        if part.file_size > RATIO_FLOOR:
            budget.RATIO.check(part.file_size / max(part.compress_size, 1), self.path)
        return self._archive.read(part)

    def all_but(self, names: Collection[str]) -> Iterator[tuple[zipfile.ZipInfo, IO[bytes]]]:
        """All other parts, each opened in its turn, to be copied as they are."""
        for entry in self._archive.infolist():
            if entry.filename not in names and not entry.is_dir():
                with self._archive.open(entry) as part:
                    yield entry, part

    def page(self, name: str) -> str:
        """A page of HTML, its elements counted before anything is built of them."""
        text = self.read(name, budget.PAGE_BYTES).decode("utf-8", "replace")
        self.elements += text.count("<")
        budget.ELEMENTS.check(self.elements, self.path)
        return text

    def xml(self, name: str) -> Element:
        """Entities and external parts are refused; a document type alone is usual in old books."""
        from defusedxml import DefusedXmlException
        from defusedxml.ElementTree import fromstring

        try:
            data = self.read(name, budget.XML_BYTES)
            budget.XML_ELEMENTS.check(data.count(b"<") // 2, self.path)  # most begin and end
            return _shallow(fromstring(data), self.path)
        except DefusedXmlException:
            raise RequestError(f"{self.path} is refused: its part {shown(name, 100)} declares entities") from None
        except (ParseError, UnicodeError, LookupError) as error:
            raise RequestError(f"{self.path} is damaged: its part {shown(name, 100)} is not XML ({error})") from None


def _shallow(root: Element, path: Path) -> Element:
    """The same where it is not nested deeply: to look below each element would take quadratic time."""
    deepest, within = budget.DEPTH.allowed, [iter((root,))]
    while within:
        element = next(within[-1], None)
        if element is None:
            within.pop()
        else:
            within.append(iter(element))
            if len(within) > deepest:
                budget.DEPTH.check(len(within), path)
    return root


@contextmanager
def open_archive(path: Path, kind: str) -> Iterator[Archive]:
    """RequestError for whatever is wrong with it, also while it is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield Archive(archive, path)
    except zipfile.BadZipFile:
        article = "an" if kind[0] in "AEIO" else "a"
        raise RequestError(f"{path} is not {article} {kind} or is damaged: it does not open as a zip archive") from None
    except DAMAGE as error:
        raise RequestError(f"{path} is a damaged {kind}: {reason_of(error, 100) or type(error).__name__}") from None
    except (OSError, RuntimeError, NotImplementedError) as error:  # zipfile's own: passwords, odd compression
        raise RequestError(f"{path} cannot be read: {reason_of(error)}") from None
