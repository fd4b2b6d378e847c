"""Words and wishes -> the sound of them, part by part; short ones are kept, for letters and keys come again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mlx_tts.errors import RequestError
from mlx_tts.job.settings import SpeechSettings
from mlx_tts.library import catalog
from mlx_tts.mcp.planning import SPOKEN_BEFORE, LoadedModels, Planned, plan_text
from mlx_tts.narration.cancellation import Cancellation
from mlx_tts.samples import Samples
from mlx_tts.screen_reader.pace import Arriving, Pacing, RecentPace
from mlx_tts.screen_reader.wishes import Wishes, sex_of
from mlx_tts.text import languages

if TYPE_CHECKING:
    from mlx_tts.text.cutting.pieces import Piece

MOST_KEPT_BYTES = 16 << 20  # about three minutes of short texts
MOST_KEPT_CHARACTERS = 40
SILENT = 0.002  # a quieter beginning is not waited for
LEAD_SECONDS = 0.01  # that stay of it, so that no consonant is cut
VARIANTS = {"woman": "female", "man": "male"}


@dataclass(frozen=True)
class SoundPart:
    """Some sound of a text. expected_seconds: about how long the whole of it takes, exact where it was kept."""

    samples: Samples
    expected_seconds: float


class ScreenVoice:
    """Speaks for one screen reader. One thread makes sound; `open` and `voices` may be called by another before it.

    settings: the user's defaults. Their seed, or 0, makes the same words sound the same each time."""

    def __init__(self, settings: SpeechSettings, models: LoadedModels | None = None):
        self._settings = replace(settings, markup=False, seed=0 if settings.seed is None else settings.seed)
        self._models = models or LoadedModels()
        self._usual: Planned | None = None
        self._kept: OrderedDict[tuple[object, ...], Samples] = OrderedDict()
        self._kept_bytes = 0
        self._pace = RecentPace()

    def open(self) -> None:
        """Read the model's small files; MlxTtsError where it cannot speak. The weights follow in a thread."""
        self._usual = plan_text(self._settings, SPOKEN_BEFORE, plain=True)
        threading.Thread(target=self._load, args=(self._usual,), name="mlx-tts loading", daemon=True).start()

    def _load(self, usual: Planned) -> None:
        with self._models.using(usual):
            return  # it stays loaded

    @property
    def usual(self) -> Planned:
        assert self._usual is not None, "open it first"
        return self._usual

    @property
    def sample_rate(self) -> int:
        return self.usual.checkpoint.info.sample_rate

    @property
    def names(self) -> list[str]:
        """The voices that may be asked for; the usual one first."""
        usual, presets = self.usual.voice, self.usual.checkpoint.info.voices
        others = [name for name in presets if usual is None or catalog.voice_key(name) != catalog.voice_key(usual)]
        return [*([usual] if usual else []), *others]

    def voices(self) -> list[tuple[str, str, str]]:
        """Name, code of the language and variant of each voice."""
        spoken = [name for name in self.usual.checkpoint.info.languages if name != languages.AUTO]
        listed = []
        for name in self.names:
            known = catalog.presets().get(catalog.voice_key(name))
            own = languages.named(known.language) if known else None
            language = languages.find(own or (spoken[0] if spoken else languages.DEFAULT))
            listed.append((name, language.code if language else "en", VARIANTS.get(sex_of(name) or "", "none")))
        return listed

    def speak(self, text: str, wishes: Wishes, cancellation: Cancellation) -> Iterator[SoundPart]:
        """The sound of a text, without the silence before it, at the wished speed; its height and loudness are the
        player's part. MlxTtsError where it cannot be spoken; nothing for a text without words."""
        asked = self._asked(wishes)
        key = _key(asked, text)
        if (kept := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            yield SoundPart(kept, len(kept) / self.sample_rate)
            return
        try:
            planned = plan_text(asked, text, plain=True, opened=self.usual.checkpoint)
        except RequestError:
            if any(sign.isalnum() for sign in text):
                raise
            return
        made = []
        for samples in self._made(planned, wishes, cancellation):
            made.append(samples)
            yield SoundPart(samples, planned.seconds)
        if len(text) <= MOST_KEPT_CHARACTERS and made and not cancellation.is_cancelled:
            self._keep(key, np.concatenate(made))

    def prepare(self, words: Sequence[str], wishes: Wishes, cancellation: Cancellation) -> bool:
        """Make the first of these short texts that is not kept yet; False where all are."""
        asked = self._asked(wishes)
        for text in words:
            if _key(asked, text) not in self._kept:
                for _ in self.speak(text, wishes, cancellation):
                    pass
                return _key(asked, text) in self._kept or cancellation.is_cancelled
        return False

    def _asked(self, wishes: Wishes) -> SpeechSettings:
        usual = self._settings
        spoken = self.usual.checkpoint.info.languages
        return replace(
            usual,
            voice=wishes.voice(usual.voice, self.names),
            language=wishes.spoken_language(usual.language, spoken),
            speed=wishes.speed(usual.speed),
        )

    def _made(self, planned: Planned, wishes: Wishes, cancellation: Cancellation) -> Iterator[Samples]:
        from mlx_tts.narration.narrate import narrate

        plan = planned.plan
        options = replace(plan.options, low_latency=True)
        pacing = Pacing(self._pace, self.sample_rate, options.speed, wishes.height, planned.seconds / wishes.height)
        is_heard, lead = False, np.zeros(0, np.float32)

        def begun(piece: Piece, stream: Arriving) -> None:
            pacing.begun(stream)
            cancellation.watch(piece, stream)

        with (
            self._models.using(planned) as model,
            closing(narrate(model, plan.request, iter(plan.source), options, begun=begun)) as parts,
        ):
            for part in parts:
                samples = part.samples
                pacing.came(len(samples))
                if not is_heard:
                    heard = np.concatenate([lead, samples])
                    samples = _without_silence(heard, self.sample_rate)
                    lead = heard[max(0, len(heard) - int(LEAD_SECONDS * self.sample_rate)) :]
                    if len(samples):
                        is_heard = True
                        pacing.hold(len(samples))
                if cancellation.is_cancelled:
                    return
                if len(samples):
                    yield samples
        pacing.learn()

    def _keep(self, key: tuple[object, ...], samples: Samples) -> None:
        self._kept[key] = samples
        self._kept_bytes += samples.nbytes
        while self._kept_bytes > MOST_KEPT_BYTES:
            self._kept_bytes -= self._kept.popitem(last=False)[1].nbytes

    def close(self) -> None:
        self._models.close()


def _key(asked: SpeechSettings, text: str) -> tuple[object, ...]:
    return asked.voice, asked.language, asked.speed, text


def _without_silence(samples: Samples, sample_rate: int) -> Samples:
    loud = np.flatnonzero(np.abs(samples) > SILENT)
    return samples[max(0, int(loud[0]) - int(LEAD_SECONDS * sample_rate)) :] if len(loud) else samples[:0]
