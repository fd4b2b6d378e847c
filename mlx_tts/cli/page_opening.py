"""Lines of a starting server -> standard output, and its page -> the browser."""

from __future__ import annotations

import sys
import threading
from urllib.parse import urlsplit

ADDRESS = "serving on "
EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # what a server listens on, but nobody can go to


def announce(line: str) -> None:
    print(line, flush=True)


def announce_and_open(line: str) -> None:
    """The same; when the line says where the server is, its page is opened."""
    announce(line)
    if line.startswith(ADDRESS):
        url = page_address(line.removeprefix(ADDRESS))
        # Some browsers run in the terminal and return when they are left, so the server does not wait for them.
        threading.Thread(target=_open, args=(url,), name="mlx-tts browser", daemon=True).start()


def page_address(url: str) -> str:
    """Where a browser of this machine finds the page of a server that listens there."""
    parts = urlsplit(url)
    host = EVERY_ADDRESS.get(parts.hostname or "")
    return f"{url}/" if host is None else f"{parts.scheme}://{host}:{parts.port}/"


def _open(url: str) -> None:
    import webbrowser

    if not webbrowser.open(url):
        print(f"no browser could be opened: go to {url} yourself", file=sys.stderr, flush=True)
