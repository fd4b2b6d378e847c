"""Rows in, who of them goes first out: on a CPU a stream that nobody has heard yet goes before those that are ahead.

There each row of a step and each piece of sound takes its time. Nothing of a row depends on when it has its turn: its
frames and its sound are handed to its guard in the same order in any company.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlx_tts.generation.guarded import GuardedGeneration

LEAST_AHEAD_SECONDS = 0.15  # of sound that a listener keeps, however much others are helped first
PACE = 0.5  # of real time: what a frame of the listener's next sound may take


def is_hurried(generation: GuardedGeneration) -> bool:
    """Whether somebody hears nothing until this row has made its first sound."""
    delivery, take = generation.delivery, generation.take
    if not delivery.live or delivery.silent or take.over or take.decoded_chunks:
        return False
    return generation.stream.ahead_seconds == 0


def somebody_is_hurried(working: Sequence[GuardedGeneration], ready: Sequence[GuardedGeneration] = ()) -> bool:
    """Whether a hurried row comes nearer to its sound now: one that only waits for its text holds up nobody.
    ready: those that may have the next step."""
    return any(
        is_hurried(g) and (g in ready or g.take.is_under_way or g.may_read_prompt or g.due_frames) for g in working
    )


def first_sound_is_under_way(generation: GuardedGeneration) -> bool:
    """Whether all frames of a hurried row's first sound were sent to the device."""
    return is_hurried(generation) and generation.take.launched >= generation.piece_frames


def gives_way(generation: GuardedGeneration) -> bool:
    """Whether a row may wait a little: its listener has sound until its next piece is made, and some to spare."""
    if not generation.delivery.live or generation.take.over:
        return False
    missing = max(0, generation.piece_frames - len(generation.take.pending))
    needed = LEAST_AHEAD_SECONDS + PACE * missing / generation.info.frame_rate
    return generation.stream.ahead_seconds > needed
