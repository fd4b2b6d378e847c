"""A zip archive from a stranger -> its parts: all sizes are limited, every damage is one clear error."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from mlx_tts.errors import RequestError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MOST_XML_BYTES = 20_000_000  # a package or a list of contents: thousands of times what books have
DAMAGE = (zlib.error, lzma.LZMAError, struct.error, EOFError, AssertionError, IndexError, ValueError)


class Archive:
    """name: for messages."""

    def __init__(self, archive: zipfile.ZipFile, path: Path, most_bytes: int):
        self._archive, self.path = archive, path
        self._left = self._most = most_bytes

    def __contains__(self, name: str) -> bool:
        return name in self._archive.NameToInfo

    def read(self, name: str, most_bytes: int | None = None) -> bytes:
        """zipfile gives no more than the size that is declared, so the declared size is what must be sane."""
        try:
            size = self._archive.getinfo(name).file_size
        except KeyError:
            raise RequestError(f"{self.path} is damaged: it has no part {name[:100]!r}") from None
        self._left -= size
        if self._left < 0 or size > (most_bytes or size):
            limit = self._most if self._left < 0 else most_bytes or 0
            raise RequestError(f"{self.path} holds more than {limit // 1_000_000} MB of text: that is not a book")
        return self._archive.read(name)

    def xml(self, name: str) -> Element:
        """Entities and external parts are refused; a document type alone is usual in old books."""
        from defusedxml import DefusedXmlException
        from defusedxml.ElementTree import fromstring

        try:
            return fromstring(self.read(name, MOST_XML_BYTES))
        except DefusedXmlException:
            raise RequestError(f"{self.path} is refused: its part {name[:100]!r} declares entities") from None
        except (ParseError, UnicodeError, LookupError) as error:
            raise RequestError(f"{self.path} is damaged: its part {name[:100]!r} is not XML ({error})") from None


@contextmanager
def open_archive(path: Path, kind: str, most_bytes: int) -> Iterator[Archive]:
    """RequestError for whatever is wrong with it, also while it is read."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield Archive(archive, path, most_bytes)
    except zipfile.BadZipFile:
        article = "an" if kind[0] in "AEIO" else "a"
        raise RequestError(f"{path} is not {article} {kind} or is damaged: it does not open as a zip archive") from None
    except DAMAGE as error:
        raise RequestError(f"{path} is a damaged {kind}: {str(error)[:100] or type(error).__name__}") from None
    except (OSError, RuntimeError, NotImplementedError) as error:  # zipfile's own: passwords, odd compression
        raise RequestError(f"{path} cannot be read: {str(error)[:200]}") from None
