"""What the site needs besides the pages: players for sounds, and links to files that are not pages."""

from __future__ import annotations

import re
from typing import Any

REPOSITORY = re.compile(r"\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")  # a link that leaves docs/
SOUND = re.compile(r"\[[^\]]*\]\((sounds/[\w-]+\.mp3)\)")


def on_page_markdown(markdown: str, config: Any, **_: Any) -> str:
    """A link to a sound is a player. One to a file that is not a page leads to the repository, if that is known."""
    markdown = SOUND.sub(r'<audio controls preload="none" src="\1"></audio>', markdown)
    address = (config.repo_url or "").rstrip("/")
    if address:
        return REPOSITORY.sub(lambda found: f"]({address}/blob/main/{found[1]}{found[2] or ''})", markdown)
    return re.sub(r"\[([^\]]*)\]\(\.\./[^)\s]+\)", r"\1", markdown)
