"""A turn of a dialogue: the quotations of a paragraph, whose they are, how sure that is, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlx_tts.shortened import shortened
from mlx_tts.text.cast.quotations import Paragraph, Stretch

UNREAD = "unread"  # who is named at a verb of speech in a way that is not understood
SURE_ENOUGH = 0.6
TAG, BEAT, PRONOUN, TURN, FOCUS = 0.95, 0.75, 0.8, 0.7, 0.66


@dataclass
class SpeakerTurn:
    """The quotations of a paragraph, which mostly are one speaker's. before: the paragraph in front of it."""

    chapter: int
    paragraph: Paragraph
    before: str
    opening: str  # the last paragraphs that only tell, in front of this dialogue
    follows: bool  # whether the paragraph before is a turn, too
    continues: bool = False
    speaker: str = ""  # a character, NARRATOR; "?" and a sex or a relation; "=" and the number of a turn
    tag_part: int = 1_000_000  # the place of its tag among the paragraph's parts
    is_thought: bool = False
    goes_on: bool = False  # whether the verb says that somebody who spoke before speaks on
    is_strangers: bool = False  # whether its "he" may be somebody who came in without a name
    pronoun: str = ""  # what its tag said at first: a sex
    around: set[str] = field(default_factory=set)  # who is there for this pronoun, without those who come in later
    confidence: float = 0.0
    evidence: str = "nobody is named"
    others: dict[Stretch, tuple[str, str]] = field(default_factory=dict)  # those of somebody else in the paragraph
    unspoken: set[Stretch] = field(default_factory=set)

    @property
    def is_known(self) -> bool:
        return self.speaker[:1] not in ("", "?", "=")

    def set(self, speaker: str, confidence: float, evidence: str) -> None:
        self.speaker, self.confidence, self.evidence = speaker, confidence, shortened(" ".join(evidence.split()), 80)


def are_joined(turns: Sequence[SpeakerTurn], at: int, other: int) -> bool:
    """Whether nothing is told between these two turns."""
    return all(turn.follows for turn in turns[min(at, other) + 1 : max(at, other) + 1])
