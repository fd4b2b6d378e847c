"""The preset voices of the tiny model: one table for teacher, training, export and evaluation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Speaker:
    name: str
    teacher_voice: str  # the Kokoro-82M style it learns from
    gender: str
    accent: str

    @property
    def british(self) -> bool:
        return self.accent == "GB"


SPEAKERS = {
    speaker.name: speaker
    for speaker in (
        Speaker("hazel", "af_heart", "woman", "US"),
        Speaker("miles", "am_michael", "man", "US"),
        Speaker("ivy", "bf_emma", "woman", "GB"),
        Speaker("rowan", "bm_george", "man", "GB"),
    )
}

HIBARI_SPEAKER = "hazel"  # hibari was distilled from the same Kokoro voice, so it may speak for it cheaply

# What a step of the codec draws from: shares of the clips, among the groups that have audio.
CODEC_SHARES = {"synthetic": 0.66, "preset": 0.12, "human": 0.22}
# A decoder that is shipped already must not forget its own voices.
WARM_SHARES = {"synthetic": 0.58, "preset": 0.22, "human": 0.20}
# For codes that are only ever made of the teachers' own speech.
CLEAN_SHARES = {"synthetic": 0.75, "preset": 0.25}
HUMAN_PREFIX = "human-"
MANY_PEOPLE = "_others"  # ends the name of a file of recordings that holds many people


def group_of(name: str) -> str:
    if name in SPEAKERS:
        return "preset"
    return "human" if name.startswith(HUMAN_PREFIX) else "synthetic"
