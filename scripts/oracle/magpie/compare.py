"""A case of Magpie -> what differs between this package and its golden data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from differences import difference

import mlx_tts
from magpie.materialise import materialise
from mlx_tts import Sampling, SpeechRequest, Voice
from mlx_tts.models.magpie.alignment import Alignment
from mlx_tts.models.magpie.decoding import Decoding
from mlx_tts.models.magpie.local_transformer import Guidance, local_logits
from mlx_tts.runtime import mlx_thread

TOLERANCE = 1e-4
WAV_FRAMES = 16  # of a request's codes, whose sound is golden
LONG_WORDS = 45  # from here on the reference cuts an English text into sentences
SENTENCE_END = re.compile(r"(?<=[.?!])\s+")


def compare(case: Path, scratch: Path) -> Iterator[tuple[str, list[str]]]:
    materialise(case, scratch)
    golden = np.load(case / "golden.npz")
    requests = json.loads((case / "requests.json").read_text(encoding="utf-8"))
    manifest = json.loads((case / "manifest.json").read_text(encoding="utf-8"))
    tokenizers = json.loads((case / "tokenizers.json").read_text(encoding="utf-8"))
    with mlx_tts.load(str(scratch / "folder")) as tts:
        yield "tokenizers", _tokenizers(tts, tokenizers)
        yield "codec", _codec(tts, golden)
        for asked in requests:
            yield asked["name"], OneRequest(tts, golden, asked, manifest["stride"]).compare()


def _tokenizers(tts: Any, golden: dict[str, Any]) -> list[str]:
    text = tts._checkpoint.text
    found = [] if text.offsets == golden["offsets"] else [f"offsets are {text.offsets}"]
    found += [] if text.eos == golden["eos"] else [f"the end is {text.eos}"]
    for name, tokens in golden["tokens"].items():
        if tokens != "byt5" and text.tokenizers[name].tokens != tokens:
            found.append(f"the table of {name} differs")
    for vector in golden["vectors"]:
        if text.encode_with(vector["text"], vector["tokenizer"]) != vector["ids"]:
            found.append(f"{vector['tokenizer']} reads {vector['text']!r} in another way")
    return found


def _codec(tts: Any, golden: Any) -> list[str]:
    codes = golden["codec/codes"]
    found = difference("sound", tts.decode_codes(codes)[::3], golden["codec/wav"], TOLERANCE)
    found += difference("streamed sound", mlx_thread.run(_streamed, tts, codes)[::3], golden["codec/wav"], TOLERANCE)
    audio = golden["audio"].astype(np.float32) / 32768
    latents = mlx_thread.run(lambda: np.array(tts._synthesizer._encoder.latents(mx.array(audio)[None])[0]))
    found += difference("latents", latents[: len(golden["codec/latent"])], golden["codec/latent"], TOLERANCE)
    return found + difference("encoded codes", tts.encode_audio(audio, tts.sample_rate), golden["codec/encoded"])


def _streamed(tts: Any, codes: np.ndarray) -> np.ndarray:
    model, parts = tts._synthesizer, []
    state = model.decoder_state(None)
    for start, end in ((0, 1), (1, 3), (3, 12), (12, len(codes))):
        ((samples, state),) = model.decode([(codes[start:end], state)]).read()
        parts.append(samples)
    return np.concatenate(parts)


def sentences(text: str) -> list[str]:
    """How the reference cuts an English text before it speaks it; a short one is left whole."""
    if len(text.split()) < LONG_WORDS:
        return [text]
    parts = SENTENCE_END.split(text.replace("-", " ").replace("*", "").strip())
    return [part[:1].upper() + part[1:] for part in parts if part]


@dataclass
class RecordingAlignment(Alignment):
    """An alignment that keeps what it saw and made."""

    scores: list[np.ndarray] = field(default_factory=list)
    priors: list[np.ndarray] = field(default_factory=list)

    def follow(self, scores: np.ndarray) -> None:
        super().follow(scores)
        self.scores.append(scores)
        assert self.prior is not None
        self.priors.append(self.prior)


@dataclass
class OneRequest:
    tts: Any
    golden: Any
    asked: dict[str, Any]
    stride: int

    def __post_init__(self) -> None:
        self.voice = self._voice()

    def compare(self) -> list[str]:
        found = self._prompt() + mlx_thread.run(self._first_step)
        for cache, key in (("recomputed", "codes"), ("cached", "codes_cached")):
            if self._has(key):
                found += self._codes(cache, key)
        if self._has("attended"):
            found += mlx_thread.run(self._alignment)
        if self._has("wav"):
            found += self._sound()
        return found

    def _has(self, key: str) -> bool:
        return f"{self.asked['name']}/{key}" in self.golden

    def _golden(self, key: str) -> np.ndarray:
        return self.golden[f"{self.asked['name']}/{key}"]  # type: ignore[no-any-return]

    @property
    def _ids(self) -> list[np.ndarray]:
        """The golden ids of each piece, without what fills the shorter ones up."""
        return [row[row >= 0] for row in np.atleast_2d(self._golden("text_ids"))]

    def _requests(self, cache: str) -> list[SpeechRequest]:
        """The request, or those of its pieces."""
        asked, parameters = self.asked, self.asked.get("parameters", {})
        options = {
            "cache": cache,
            "guidance": None if asked.get("cfg", True) else 1.0,
            "local_transformer": "on" if asked.get("local", True) else "off",
            "passes": asked.get("maskgit_steps"),
            "prior": parameters.get("apply_attention_prior"),
            "end_rule": parameters.get("eos_detection_method"),
        }
        if "ignore_finished_sentence_tracking" in parameters:
            options["watch_end"] = not parameters["ignore_finished_sentence_tracking"]
        stack = self.tts._synthesizer._loop.stack
        steps = parameters.get("max_decoder_steps", self.tts._checkpoint.model.inference.max_decoder_steps) // stack
        pieces = sentences(asked["text"])
        return [
            SpeechRequest(
                piece,
                voice=self.voice,
                language=asked.get("language", "en"),
                sampling=Sampling(temperature=0),
                seed=0,
                max_frames=steps * stack,
                options=options,
                more=number + 1 < len(pieces),
            )
            for number, piece in enumerate(pieces)
        ]

    def _voice(self) -> str | Voice:
        if "speaker" in self.asked:
            return self.tts.voices[self.asked["speaker"]]  # type: ignore[no-any-return]
        audio = self.golden["audio"][: self.asked["context_samples"]].astype(np.float32) / 32768
        return Voice(np.zeros(0, np.float32), self.tts.encode_audio(audio, self.tts.sample_rate), "", family="magpie")

    def _prompt(self) -> list[str]:
        requests = [self.tts.check(request) for request in self._requests("cached")]
        text, found = self.tts._checkpoint.text, []
        if len(requests) != len(self._ids):
            return [f"{len(requests)} pieces, golden has {len(self._ids)}"]
        for number, (request, ids) in enumerate(zip(requests, self._ids, strict=True)):
            found += difference(f"text ids of piece {number}", text.encode(request.text, request.language), ids)
        prompt = self.tts.prompt(requests[0])
        if len(requests) == 1:
            found += difference("encoding", prompt.encoded, self._golden("encoded"), TOLERANCE)
        if self._has("context"):
            found += difference("context", prompt.context, self._golden("context"), TOLERANCE)
        return found

    def _row(self, request: SpeechRequest) -> Any:
        model = self.tts._synthesizer
        beginning = model.begin(model.prepare(self.tts.check(request)), 0)
        while True:
            try:
                next(beginning)
            except StopIteration as done:
                return done.value

    def _first_step(self) -> list[str]:
        """Hidden states, logits of the parallel heads and of the local transformer, before anything is drawn."""
        loop = self.tts._synthesizer._loop
        model = loop.model
        row = self._row(self._requests("cached")[0])
        settings = row.utterance.settings
        hidden = Decoding.step([row.decoding], loop.start, [None])
        found = difference("hidden state", np.array(hidden), self._golden("hidden0"), TOLERANCE)
        logits = np.array(model.final_proj(hidden))[:, :: self.stride]
        found += difference("logits", logits, self._golden("logits0"), TOLERANCE)
        if self._has("local0") and model.config.local_type == "autoregressive":
            codes = mx.array(self._first_codes(loop)[None])
            local = local_logits(model, hidden, Guidance.of([settings.guidance]), codes)
            own = np.stack([np.array(slot[0])[:: self.stride] for slot in local])
            found += difference("local logits", own, self._golden("local0"), TOLERANCE)
        return found

    def _first_codes(self, loop: Any) -> np.ndarray:
        """All codes of the first step, those behind an end too."""
        row = self._row(self._requests("cached")[0])
        loop.launch([row])
        return np.array(row.last)

    def _codes(self, cache: str, key: str) -> list[str]:
        """By the way that callers go: through the queue, piece by piece."""
        after, parts, offsets = None, [], []
        for request in self._requests(cache):
            with self.tts.submit(replace(request, after=after), silent=True) as stream:
                for _ in stream:
                    pass
            before, after = after, stream.continuation
            offsets.append(left_offset(before, after))
            parts.append(np.zeros((0, self.tts.info.codebooks)) if stream.codes is None else stream.codes)
        found = difference(key, np.concatenate(parts), self._golden(key))
        if key == "codes" and self._has("frames"):
            found += difference("frames", [len(part) for part in parts], self._golden("frames"))
            found += difference("offsets", offsets, self._golden("left_offset"))
        return found

    def _alignment(self) -> list[str]:
        """The attended positions of every step, with the scores and priors that lead to them."""
        loop = self.tts._synthesizer._loop
        attended: list[int] = []
        steps: list[int] = []
        scores: list[np.ndarray] = []
        priors: list[np.ndarray] = []
        after = None
        for request in self._requests("recomputed"):
            row = self._row(replace(request, after=after))
            own = row.alignment
            row.alignment = recording = RecordingAlignment(own.window, own.epsilon, own.lookahead)
            batch = loop.open_batch()
            for _ in range(request.max_frames or 0):
                if batch.step([row]).read()[0] is None:
                    break
            after = row.continuation().stored()
            attended += recording.path
            scores += recording.scores
            priors += recording.priors
            steps.append(row.step)
        found = difference("attended", attended, self._golden("attended"))
        found += difference("steps", steps, self._golden("steps"))
        for what, own in (("prior", priors), ("scores", scores)):
            if self._has(what):
                wanted = self._golden(what)
                rows = np.full((len(own), wanted.shape[1]), -1.0)
                for number, values in enumerate(own):
                    rows[number, : len(values)] = values
                found += difference(what, rows, wanted, TOLERANCE)
        return found

    def _sound(self) -> list[str]:
        """The streamed sound of the first frames; the codes of the request are golden too."""
        (request,) = self._requests("recomputed")
        wanted = self._golden("wav")
        samples = np.concatenate([chunk.samples for chunk in self.tts.stream(request)])
        found = difference("streamed sound", samples[: len(wanted)], wanted, TOLERANCE)
        whole = self.tts.decode_codes(self._golden("codes")[:WAV_FRAMES])
        return found + difference("sound", whole, wanted, TOLERANCE)


def left_offset(before: dict[str, np.ndarray] | None, after: dict[str, np.ndarray]) -> int:
    """Where a piece's window begins in the whole text, by what the piece before it and the piece itself left."""
    if before is None:
        return 0
    ended, ends = (int(left["end_and_attended"][0]) for left in (before, after))
    return ended - min(ends - ended, len(before["ids"]))
