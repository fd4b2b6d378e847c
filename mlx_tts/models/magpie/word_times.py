"""The attended position of each step -> when each word of the text was spoken."""

from __future__ import annotations

from collections.abc import Sequence

from mlx_tts.models.magpie.passage import Passage
from mlx_tts.speech import Mark


def word_marks(
    text: str, passage: Passage, path: Sequence[int], spaces: frozenset[int], step_seconds: float, seconds: float
) -> tuple[Mark, ...]:
    """A mark for each word, or none where words and ids cannot be matched: then the tokenizer left some out.

    path: the attended position of each step, in the whole text. spaces: the ids that stand between words. seconds: how
    long the speech is.
    """
    words = text.split()
    begins = _first_ids(passage, spaces)
    if not words or len(words) != len(begins) or not path:
        return ()
    offset = passage.window.offset
    starts = []
    for begin in begins:
        reached = (step for step, attended in enumerate(path) if attended - offset >= begin)
        starts.append(min(next(reached, len(path)) * step_seconds, seconds))
    ends = [*starts[1:], seconds]
    return tuple(
        Mark(word, round(start, 3), round(max(start, end), 3), level="word", estimated=True)
        for word, start, end in zip(words, starts, ends, strict=True)
    )


def _first_ids(passage: Passage, spaces: frozenset[int]) -> list[int]:
    """Where each word of the piece begins, among the ids of its window."""
    first = passage.window.ids - passage.window.own
    own = passage.ids[first:-1]  # without the end
    begins = []
    for at, number in enumerate(own):
        if number not in spaces and (at == 0 or own[at - 1] in spaces):
            begins.append(first + at)
    return begins
