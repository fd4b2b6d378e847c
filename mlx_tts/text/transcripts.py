"""A transcript and its recording's length -> what is wrong with it, or None. An in-context clone needs every word."""

from __future__ import annotations

from mlx_tts.text.cutting.pace import expected_seconds
from mlx_tts.text.language_guess import foreign_to

SHORTEST, LONGEST = 0.5, 1.9  # times the ordinary pace: hurried speech, and slow speech with pauses
INSTEAD = "give exactly the words of the recording, or leave the transcript out to clone by the speaker vector alone"


def transcript_fault(transcript: str, seconds: float) -> str | None:
    """Whether the words cover the recording; a clone that is told fewer or more words than it hears collapses."""
    expected = expected_seconds(transcript)
    if SHORTEST * expected <= seconds <= LONGEST * expected:
        return None
    what = "not all of the recording" if seconds > expected else "more than the recording holds"
    return (
        f"the transcript seems to be {what} (its words take about {expected:.0f} s, the recording {seconds:.0f} s): "
        + INSTEAD
    )


def language_fault(transcript: str, language: str | None) -> str | None:
    """Whether the words are in another language than the one that was asked for."""
    if language in (None, "auto"):
        return None
    found = foreign_to(transcript, [str(language)])
    if found is None:
        return None
    return f"the transcript reads like {found.capitalize()}, not {str(language).capitalize()}: check --language"
