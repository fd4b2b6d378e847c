"""A Qwen3-TTS model and a recogniser -> the attention heads that tell best when its words are spoken.

python scripts/find_heads.py --model my-model --voice ryan --recogniser FOLDER

The model speaks a few sentences, and the recogniser (a folder with a model of faster-whisper) says when words begin.
Each head of each layer is measured against that, then the best heads of a layer together. With sentences of yours
(--text) every other one is for choosing, and the rest tell how good the choice is. Where it is good, the printed lines
can be put into the checkpoint's config.json: word times then come from these heads. Exit code 1: none is good.

A recogniser and the heads both set a word that follows a pause to the beginning of the pause, so both are measured
alike here; narration looks for the sound behind the pause.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the clone's package

SENTENCES = (
    "The old bridge was closed, so we walked along the river until it was dark.",
    "After the long winter, the farmers planted wheat in every field around the village.",
    "Please bring two cups of flour, a spoon of salt, and a little cold water.",
    "When the train finally arrived, most of the people had already gone home.",
    "My brother wanted a new coat, but he bought a pair of shoes and a hat.",
    "Nobody believed the story about the whale, although it was true in every detail.",
)
MEDIAN_SECONDS, MOST_SECONDS = 0.06, 0.25  # what good heads reach: the median, and 95 % of the words
TOGETHER = 4  # heads of a layer that are tried together at most


@dataclass(frozen=True)
class Spoken:
    """A sentence as it was made: its utterance and frames, and when the recogniser hears each word begin."""

    utterance: Any
    codes: np.ndarray
    heard: tuple[float, ...]


@dataclass(frozen=True)
class Measured:
    """Heads of a layer, by how much they look ahead, and how far off the words are then."""

    layer: int
    heads: tuple[int, ...]
    lead: float
    median: float
    most: float

    @property
    def good(self) -> bool:
        # Times are steps of 20 ms, whose differences are a rounding error beside the limit.
        return round(self.median, 3) <= MEDIAN_SECONDS and round(self.most, 3) <= MOST_SECONDS


def measured(layer: int, heads: tuple[int, ...], found: list[np.ndarray], heard: list[np.ndarray]) -> Measured:
    """found, heard: when each sentence's words begin by the heads, without a lead, and by the recogniser. The first
    word of a sentence begins with it, so it tells nothing."""
    off = np.concatenate([ours[1:] - theirs[1:] for ours, theirs in zip(found, heard, strict=True)])
    lead = float(-np.median(off))
    errors = np.abs(off + lead)
    return Measured(layer, heads, max(0.0, lead), float(np.median(errors)), float(np.percentile(errors, 95)))


def best_of(rows: list[Measured]) -> Measured:
    """The heads whose words are least off."""
    return min(rows, key=lambda row: row.median + row.most)


def begins(path: np.ndarray, places: Any, frame_seconds: float) -> np.ndarray:
    """When the path first reaches each word, in seconds."""
    return np.searchsorted(path, places.begins) * frame_seconds


def speak(tts: Any, voice: str | None, texts: Sequence[str], recogniser: Any) -> Iterator[Spoken]:
    """The sentences that the recogniser understands word for word."""
    import soxr

    from mlx_tts import SpeechRequest
    from mlx_tts.runtime import mlx_thread

    for text in texts:
        request = tts.check(SpeechRequest(text, voice=voice, language="english", seed=7))
        stream = tts.submit(request)
        samples = np.concatenate([chunk.samples for chunk in stream])
        segments, _ = recogniser.transcribe(
            soxr.resample(samples, tts.sample_rate, 16_000), language="en", word_timestamps=True
        )
        heard = [word.start for segment in segments for word in segment.words]
        if len(heard) == len(text.split()) and stream.codes is not None:
            synthesizer = tts._engine.synthesizer
            prepared = mlx_thread.run(lambda request=request, model=synthesizer: model.prepare(request))
            yield Spoken(prepared.utterance, stream.codes, tuple(heard))


class Search:
    """How far off the words are by any heads of a loaded model."""

    def __init__(self, tts: Any) -> None:
        self._tts = tts
        self._synthesizer = tts._engine.synthesizer

    def found(self, layer: int, heads: tuple[int, ...], spoken: list[Spoken]) -> list[np.ndarray]:
        """When each sentence's words begin, without a lead, in seconds."""
        from mlx_tts.models.qwen3_tts.alignment import monotonic_path, text_attention
        from mlx_tts.models.qwen3_tts.config import AlignmentConfig
        from mlx_tts.runtime import mlx_thread

        talker, look = self._synthesizer.talker, AlignmentConfig(layer, heads)
        times = []
        for one in spoken:
            attention = mlx_thread.run(lambda one=one: text_attention(talker, look, one.utterance, one.codes))
            path = monotonic_path(attention.seen)
            times.append(begins(path, one.utterance.places, 1 / self._tts.info.frame_rate))
        return times

    def measure(self, layer: int, heads: tuple[int, ...], spoken: list[Spoken]) -> Measured:
        return measured(layer, heads, self.found(layer, heads, spoken), [np.array(one.heard) for one in spoken])

    def layers(self, spoken: list[Spoken]) -> Iterator[Measured]:
        """The best heads of each layer."""
        config = self._synthesizer._config.talker_config
        for layer in range(config.num_hidden_layers):
            single = sorted(
                (self.measure(layer, (head,), spoken) for head in range(config.num_attention_heads)),
                key=lambda row: row.median + row.most,
            )
            order = [row.heads[0] for row in single]
            counts = range(2, min(TOGETHER, len(order)) + 1)
            yield best_of([single[0], *(self.measure(layer, tuple(sorted(order[:n])), spoken) for n in counts)])

    def held_out(self, best: Measured, spoken: list[Spoken]) -> Measured:
        """The same heads with the same lead on other sentences."""
        off = [
            ours[1:] - np.array(one.heard)[1:]
            for ours, one in zip(self.found(best.layer, best.heads, spoken), spoken, strict=True)
        ]
        errors = np.abs(np.concatenate(off) + best.lead)
        return replace(best, median=float(np.median(errors)), most=float(np.percentile(errors, 95)))


def line(row: Measured) -> str:
    heads = " ".join(map(str, row.heads))
    return f"| {row.layer} | {heads} | {row.lead:.2f} s | {row.median:.3f} s | {row.most:.3f} s |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--voice", nargs="*", help="the first of the model, where none is given")
    parser.add_argument("--text", type=Path, help="sentences, one a line; else six of our own")
    parser.add_argument("--recogniser", metavar="FOLDER", required=True)
    asked = parser.parse_args()
    from faster_whisper import WhisperModel

    import mlx_tts
    from mlx_tts.models.qwen3_tts.config import AlignmentConfig

    recogniser = WhisperModel(asked.recogniser, device="cpu", compute_type="int8", local_files_only=True)
    with mlx_tts.load(asked.model) as tts:
        model = tts._engine.synthesizer
        model._config = replace(model._config, alignment=AlignmentConfig(0, (0,)))  # so that places are told
        texts = asked.text.read_text(encoding="utf-8").splitlines() if asked.text else SENTENCES
        voices = asked.voice or [next(iter(tts.info.voices), None)]
        spoken = [one for voice in voices for one in speak(tts, voice, texts, recogniser)]
        if len(spoken) < 2:
            print("find_heads: the recogniser understood no sentence word for word: try another voice", file=sys.stderr)
            return 1
        print(f"{len(spoken)} sentences, {sum(len(one.heard) for one in spoken)} words\n")
        print("| layer | heads | looks ahead | median | 95 % within |\n|---|---|---|---|---|")
        rows, search = [], Search(tts)
        for row in search.layers(spoken[::2] if asked.text else spoken):
            rows.append(row)
            print(line(row), flush=True)
        best = best_of(rows)
        seen = search.held_out(best, spoken[1::2]) if asked.text else best
        if asked.text:
            print(f"\non the other {len(spoken) // 2} sentences:\n{line(seen)}")
    if not seen.good:
        print(f"\nno heads follow the words well enough ({MEDIAN_SECONDS} s, {MOST_SECONDS} s): words are estimated")
        return 1
    found = {"layer": best.layer, "heads": list(best.heads), "lead_seconds": round(best.lead, 3)}
    print("\n" + json.dumps({"alignment": found}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
