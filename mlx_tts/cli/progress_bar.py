"""A share of the work in, a bar for one line of a terminal out. rich draws it, and is imported when one is shown."""

from __future__ import annotations

import sys

BAR = 20  # characters


def bar(share: float) -> str:
    """share: 0 to 1. In the colours and signs that standard error can show; without colours what is left is blank."""
    from rich.console import Console
    from rich.progress_bar import ProgressBar
    from rich.segment import Segment, Segments

    console = Console(file=sys.stderr, width=BAR)
    parts = list(console.render(ProgressBar(total=1.0, completed=min(1.0, share), width=BAR)))
    with console.capture() as drawn:
        console.print(Segments(Segment.adjust_line_length(parts, BAR)), end="")
    return drawn.get()
