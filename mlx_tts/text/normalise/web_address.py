"""What stands behind the host in an address of the net: the pattern of it, and its parts as people read them."""

from __future__ import annotations

import re
from urllib.parse import unquote

# A path, a query ("?id=42") and a fragment ("#part-2"). Without a path, a question mark may be the sentence's: a query
# needs a name and its equals sign there.
BEHIND_HOST = (
    r"(?P<path>/(?:[^\s<>]{0,2000}[\w/=&%#~+-])?"
    r"|(?:\?(?=[\w.-]{1,40}=)|#(?=\w))[^\s<>]{0,2000}[\w/=&%#~+-])?"
)


def parts_behind_host(path: str | None) -> tuple[str, str]:
    """The path without the slashes around it, and the query and the fragment with their signs. Escaped letters, such as
    "caf%C3%A9", are read as the letters that they stand for."""
    behind = unescaped(path or "")
    rest = re.search(r"[?#]", behind)
    at = rest.start() if rest else len(behind)
    return behind[:at].strip("/"), behind[at:].rstrip("?#")


def unescaped(written: str) -> str:
    """The letters for "%C3%A9"; a run that is no text in UTF-8, or hides a blank or a mark, stays as it is written."""

    def letters(match: re.Match[str]) -> str:
        said = unquote(match[0], errors="replace")
        return said if re.fullmatch(r"[^\W_]+", said) else " " if match[0] == "%20" else match[0]

    return re.sub(r"(?:%[0-9A-Fa-f]{2}){1,40}", letters, written)
