"""Speakers, what is known of them, and a model's voices -> the voice of each, in the spans of chapters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from mlx_tts.errors import RequestError
from mlx_tts.library import catalog
from mlx_tts.library.catalog import voice_key
from mlx_tts.speech import SpeechRequest, Voice
from mlx_tts.text.cutting.pieces import Chapter

if TYPE_CHECKING:
    from mlx_tts.narration.plan import Check

KOKORO = re.compile(r"[a-z](?P<sex>[fm])_[a-z]+")  # its names say the sex
TOLD = 8  # speakers that a line lists


@dataclass(frozen=True)
class Casting:
    """What was asked for. voices, sexes: by the folded names of speakers. where: who says so, for messages."""

    voices: Mapping[str, str] = field(default_factory=dict)
    sexes: Mapping[str, str] = field(default_factory=dict)
    where: str = "this script"

    def voiced(
        self, chapters: Sequence[Chapter], presets: Sequence[str], narrator: str | Voice | None, check: Check
    ) -> tuple[list[Chapter], str]:
        """The chapters with voices in place of names, and a line that says who speaks as whom. A speaker whose name is
        a voice has that one; others without one get the presets in turn. RequestError for a voice that is not there."""
        lines = Counter(span.voice for chapter in chapters for span in chapter.voices)
        spoken = {name: self._named(name, presets) for name in lines}
        open_names = [
            (name, self.sexes.get(name.casefold()), lines[name]) for name, voice in spoken.items() if not voice
        ]
        taken = Counter({voice: lines[name] for name, voice in spoken.items() if voice})
        own = narrator if isinstance(narrator, str) and _is_narrated(chapters) else None
        if open_names and not presets:
            raise RequestError(
                f"{self.where} names no voice for {_listed([name for name, _, _ in open_names])}, and the model has no "
                "preset voices: name one of yours for each in a table or in the file of --cast"
            )
        proposed = propose(open_names, presets, own, taken)
        for name, voice in spoken.items():
            if voice:
                try:
                    check(SpeechRequest("...", voice, "auto"))
                except RequestError as error:
                    raise RequestError(f"{self.where}: the voice of {name}: {error}") from None
        final = {name: voice or proposed[name] for name, voice in spoken.items()}
        told = _listed([f"{name} by {voice}" for name, voice in final.items()])
        return [
            replace(chapter, voices=tuple(span._replace(voice=final[span.voice]) for span in chapter.voices))
            for chapter in chapters
        ], f"spoken: {told}" if final else "no line has a speaker: the narrator reads all"

    def _named(self, name: str, presets: Sequence[str]) -> str | None:
        voice = self.voices.get(name.casefold())
        return voice or next((preset for preset in presets if voice_key(preset) == voice_key(name)), None)


def propose(
    speakers: Sequence[tuple[str, str | None, int]],
    presets: Sequence[str],
    narrator: str | None,
    taken: Mapping[str, int] | None = None,
) -> dict[str, str]:
    """A preset for each of (name, sex, number of lines): of the speaker's sex where both are known, not the narrator's
    where there is another, and the one that has the fewest lines so far. taken: lines of voices that are given out."""
    load = Counter({voice_key(voice): count for voice, count in (taken or {}).items()})
    chosen: dict[str, str] = {}
    for name, sex, lines in speakers:
        others = [preset for preset in presets if narrator is None or voice_key(preset) != voice_key(narrator)]
        fitting = [preset for preset in others if sex and sex_of(preset) == sex]
        if pool := fitting or others or list(presets):
            chosen[name] = min(pool, key=lambda preset: load[voice_key(preset)])
            load[voice_key(chosen[name])] += max(lines, 1)
    return chosen


def sex_of(preset: str) -> str | None:
    """woman, man, or None where it is not known."""
    known = catalog.presets().get(voice_key(preset))
    if known is not None:
        return known.sex
    by_name = KOKORO.fullmatch(preset)
    return None if by_name is None else "woman" if by_name["sex"] == "f" else "man"


def _is_narrated(chapters: Sequence[Chapter]) -> bool:
    for chapter in chapters:
        at = 0
        for start, end, _ in (*chapter.voices, (len(chapter.text), len(chapter.text), "")):
            if any(map(str.isalnum, chapter.text[at:start])):
                return True
            at = end
    return False


def _listed(names: list[str]) -> str:
    more = len(names) - TOLD
    return ", ".join(names[:TOLD]) + (f" and {more} more" if more > 0 else "")
