"""Text and frames in, faults out: whether a take of speech runs away, loops, falls silent or ends too early.

Knows no model: it sees a text, codes [K] a frame, and how loud the decoded frames are. What a model itself tells of a
take, and whether its words are those of the text, is judged in `signs.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlx_tts.samples import Samples
from mlx_tts.speech import GuardReport
from mlx_tts.text.cutting.pace import expected_seconds

SLOWEST, FLOOR_SECONDS = 2.0, 1.5  # the budget: so many times the ordinary pace, and room for a breath
SHORT_SECONDS, SHORT_SLOWEST, SHORT_FLOOR = 1.0, 2.5, 1.2  # texts of fewer than about five tokens: the worst case
INSTRUCTED = 1.5  # an instruction may ask for slow speech
FASTEST = 0.45  # a take this much shorter than the ordinary pace left something out
LEAST_SECONDS = 0.3  # no word is shorter

REPEATED_SECONDS = 2.0  # one first code held so long is a stuck model; sung vowels end sooner
LOOP_SECONDS, LOOP_ROUNDS, LONGEST_PERIOD_SECONDS = 2.4, 4, 2.0  # the same frames again and again
WINDOW_SECONDS, LEAST_DISTINCT = 4.0, 6  # speech uses dozens of first codes in four seconds, a drone a few
ALIKE_TAKES = 3  # with the same slight fault: then it is not the take's
SILENT_DB, QUIET_DB, SILENT_SECONDS = -55.0, -45.0, 2.5  # silence of a frame, of a whole take, and the longest pause


def frame_budget(text: str, frame_rate: float, instructed: bool = False) -> int:
    """The most frames speech of `text` may have."""
    expected = expected_seconds(text)
    slowest, floor = (SHORT_SLOWEST, SHORT_FLOOR) if expected < SHORT_SECONDS else (SLOWEST, FLOOR_SECONDS)
    return math.ceil(frame_rate * (floor + slowest * expected) * (INSTRUCTED if instructed else 1.0))


def least_frames(text: str, frame_rate: float) -> int:
    """Speech of `text` with fewer frames ended far too early."""
    return math.ceil(frame_rate * max(LEAST_SECONDS, FASTEST * expected_seconds(_spoken(text))))


def _spoken(text: str) -> str:
    """What is surely spoken: signs and capitals may take time, or none."""
    return "".join(c for c in text.lower() if c.isalnum() or c == " ")


@dataclass(frozen=True)
class Fault:
    """reason: for people. good_frames: how many frames of the take are worth keeping. is_slight: whether it is hardly
    more than good takes have."""

    reason: str
    good_frames: int
    is_slight: bool = False


@dataclass
class QualityMonitor:
    """Watches one take: `on_frame` as each is made, `on_audio` when some is decoded, `on_end` when the model ends it.

    Each returns what is wrong, or None. frame_samples: samples a frame. limit: frames allowed, None: from the text.
    """

    text: str
    frame_rate: float
    frame_samples: int
    limit: int
    first_codes: list[int] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)
    silent_codes: set[int] = field(default_factory=set)
    silent_run: int = 0

    def on_frame(self, frame: NDArray[Any]) -> Fault | None:
        """The next frame: codes [K], or latents of any shape."""
        code = _token(frame)
        self.first_codes.append(code)
        # Codes whose sound was silent before in this take tell of silence before it is decoded.
        self.silent_run = self.silent_run + 1 if code in self.silent_codes else 0
        return self._looping() or self._silence(self.silent_run) or self._overrun()

    def on_audio(self, samples: Samples) -> Fault | None:
        """The sound [N] of the next whole frames, which have all been seen."""
        frames = samples.reshape(-1, self.frame_samples)
        power = np.mean(np.square(frames, dtype=np.float64), axis=1)
        for level in 10 * np.log10(power + 1e-12):
            if level < SILENT_DB:
                self.silent_codes.add(self.first_codes[len(self.levels)])
            self.levels.append(float(level))
        silent = 0
        while silent < len(self.levels) and self.levels[-1 - silent] < SILENT_DB:
            silent += 1
        return self._silence(silent)

    def on_end(self) -> Fault | None:
        """The model ended the take after what was seen."""
        frames = len(self.first_codes)
        least = least_frames(self.text, self.frame_rate)
        if frames < min(least, self.limit):
            return Fault(f"ended after {frames / self.frame_rate:.1f} s, far too early", frames)
        if self.levels and max(self.levels) < QUIET_DB:
            return Fault("said nothing that can be heard", 0)
        return None

    def _overrun(self) -> Fault | None:
        frames = len(self.first_codes)
        if frames < self.limit:
            return None
        return Fault(f"ran past the {self.limit / self.frame_rate:.1f} s that its text allows", frames)

    def _silence(self, run: int) -> Fault | None:
        if run < self.frame_rate * SILENT_SECONDS:
            return None
        return Fault(f"fell silent for {SILENT_SECONDS:g} s", self._frames_heard(run))

    def _frames_heard(self, silent: int) -> int:
        """What is left without a silent end, but for a breath of it."""
        seen = len(self.levels) if self.levels and self.levels[-1] < SILENT_DB else len(self.first_codes)
        return max(0, seen - silent + 2) if seen > silent else 0

    def _looping(self) -> Fault | None:
        codes = self.first_codes
        held = math.ceil(self.frame_rate * REPEATED_SECONDS)
        if len(codes) >= held and len(set(codes[-held:])) == 1:
            return Fault("held one sound", _before(len(codes), held))
        least = math.ceil(self.frame_rate * LOOP_SECONDS)
        for period in range(2, round(self.frame_rate * LONGEST_PERIOD_SECONDS) + 1):
            length = max(least, LOOP_ROUNDS * period)
            if len(codes) >= length and codes[-length:-period] == codes[-length + period :]:
                return Fault("repeated itself", _before(len(codes), length - period))
        window = math.ceil(self.frame_rate * WINDOW_SECONDS)
        if len(codes) >= window and len(set(codes[-window:])) < LEAST_DISTINCT:
            return Fault("droned on", _before(len(codes), window))
        return None


def _token(frame: NDArray[Any]) -> int:
    """What frames are compared by: the first code, or latents as a whole."""
    if np.issubdtype(frame.dtype, np.integer):
        return int(frame.flat[0])
    return hash(np.ascontiguousarray(frame, np.float16).tobytes())


def _before(frames: int, bad: int) -> int:
    """A little of what went wrong is kept: the sound that is held or repeated began as speech."""
    return max(0, frames - bad + 2)


def is_of_the_text(faults: Sequence[Fault]) -> bool:
    """Whether three takes or more have the same slight fault: then the text makes every good take look so. Of 500
    ordinary pieces two kept such a fault after all tries, and a recogniser heard both right."""
    return len(faults) >= ALIKE_TAKES and all(fault.is_slight and fault.reason == faults[0].reason for fault in faults)


def better(take: int, other: int, text: str, frame_rate: float) -> bool:
    """Whether of two takes in fault the one with `take` good frames is nearer to what the text needs."""
    wanted = max(1.0, expected_seconds(text) * frame_rate)

    def distance(frames: int) -> float:
        return abs(math.log(max(frames, 0.1) / wanted))

    return distance(take) < distance(other)


def fade_out(samples: Samples, sample_rate: int, seconds: float = 0.03) -> Samples:
    """The same samples with their end brought to zero along a cosine: speech that is cut must not click."""
    length = min(len(samples), round(sample_rate * seconds))
    faded = np.array(samples, dtype=np.float32)
    if length:
        faded[-length:] *= 0.5 * (1 + np.cos(np.linspace(0, np.pi, length, dtype=np.float32)))
    return faded


def summary(reports: list[GuardReport]) -> GuardReport:
    """One report of all pieces: the takes beyond the first of each, and every fault."""
    if len(reports) == 1:
        return reports[0]
    faults = tuple(fault for report in reports for fault in report.faults)
    kept = next((report for report in reports if report.kept_fault is not None), reports[0])
    takes = 1 + sum(report.takes - 1 for report in reports)
    return GuardReport(takes, faults, kept.kept_fault, kept.kept_whole)
