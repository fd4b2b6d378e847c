"""What rules have that say numbers in a case."""

from __future__ import annotations

from collections.abc import Callable

from mlx_tts.text.normalise.european import European


class InCases:
    """own: the words of the language. in_case: a number, a case and a gender -> the cardinal."""

    def __init__(self, own: European, in_case: Callable[..., str]):
        self.own = own
        self.in_case = in_case
