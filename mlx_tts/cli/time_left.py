"""What was made of a speech so far, and in what time -> how long the rest will take."""

from __future__ import annotations

KNOWN_SECONDS = 20.0  # of finished speech after which its own pace weighs as much as the ordinary one


class TimeLeft:
    """expected_seconds: of all pieces that this run has to make, at an ordinary pace. Pieces that were there already do
    not count: they take no time. pieces: how many; rows: of them are made side by side."""

    def __init__(self, expected_seconds: float, pieces: int = 1, rows: int = 1):
        self._expected, self._pieces, self._rows = expected_seconds, max(1, pieces), min(rows, max(1, pieces))
        self._finished_expected = 0.0
        self._finished = 0.0

    def finished(self, expected_seconds: float, seconds: float) -> None:
        """A piece that this run made is over: how long it was expected to be, and how long it is."""
        self._finished_expected += expected_seconds
        self._finished += seconds

    @property
    def pace(self) -> float:
        """Seconds of this voice's speech for one expected second, cautious while little is known."""
        return (self._finished + KNOWN_SECONDS) / (self._finished_expected + KNOWN_SECONDS)

    def share(self, made_seconds: float) -> float:
        """How much of the work is done, 0 to 1. made_seconds: all speech generated, also of pieces not yet finished."""
        return min(1.0, made_seconds / max(self.total_seconds, made_seconds, 1e-6))

    @property
    def total_seconds(self) -> float:
        """About how much speech this run makes: what is finished as it is, the rest at the voice's own pace."""
        return self._finished + max(0.0, self._expected - self._finished_expected) * self.pace

    def seconds(self, elapsed: float, made_seconds: float) -> float | None:
        """Seconds of work that are left after `elapsed` seconds; None while nothing is made."""
        if made_seconds <= 0:
            return None
        return self._full_seconds(max(0.0, self.total_seconds - made_seconds)) * elapsed / made_seconds

    def _full_seconds(self, left: float) -> float:
        """How much speech all rows would make in the time that `left` seconds of it take.

        At the end rows run out of pieces. Fewer rows take less time for a frame, but not in proportion:
        the time goes with the square root of their number, between a device that is full and one that is idle. While
        the last rows end one by one within the length of a piece, that adds a sixth of it for each row.
        """
        if self._rows == 1:
            return left
        piece = self.total_seconds / self._pieces
        ending = self._rows * piece / 2  # what is left when the first row finds no piece any more
        if left >= ending:
            return left + self._rows * piece / 6
        return self._rows * piece * 2 / 3 * (left / ending) ** 0.75
