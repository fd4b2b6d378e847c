"""A case of VoxCPM -> what differs between this package and its golden data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from differences import difference

import mlx_tts
from mlx_tts import SpeechRequest, Voice
from mlx_tts.models.voxcpm2.codec.weights import load_decoder
from mlx_tts.models.voxcpm2.frames import read_rows
from mlx_tts.runtime import mlx_thread
from voxcpm2.materialise import materialise

FIRST_TOLERANCE, TOLERANCE, SOUND_TOLERANCE, CODEC_TOLERANCE = 1e-4, 5e-4, 1e-3, 1e-5
RATES = (16000, 24000, 32000, 44100)
CONTROL = "<|"  # official ids of a text with a control token are those that this package keeps apart


def compare(case: Path, scratch: Path) -> Iterator[tuple[str, list[str]]]:
    materialise(case, scratch / "folder")
    golden = np.load(case / "golden.npz")
    requests = json.loads((case / "requests.json").read_text(encoding="utf-8"))
    manifest = json.loads((case / "manifest.json").read_text(encoding="utf-8"))
    tokens = json.loads((case / "tokens.json").read_text(encoding="utf-8"))
    with mlx_tts.load(str(scratch / "folder")) as tts:
        yield "tokens", compare_tokens(tts, tokens)
        yield "codec", mlx_thread.run(compare_codec, tts, golden, manifest["stride"])
        for asked in requests:
            yield asked["name"], OneRequest(tts, golden, asked, manifest["stride"]).compare()


def compare_tokens(tts: Any, tokens: dict[str, list[int]]) -> list[str]:
    encode = tts._checkpoint.text.encode
    wrong = [text for text, ids in tokens.items() if CONTROL not in text and encode(text) != ids]
    controlled = [text for text in tokens if CONTROL in text and set(encode(text)) & set(range(101, 105))]
    return [f"{text!r} is read in another way" for text in wrong] + [f"{text!r} controls" for text in controlled]


def compare_codec(tts: Any, golden: Any, stride: int) -> list[str]:
    model = tts._synthesizer
    config = model._checkpoint.model.codec
    latents = mx.array(golden["codec/latents"].T[None])
    whole = np.array(model._decoder(latents)[0])
    found = difference("samples", len(whole), golden["codec/samples"])
    found += difference("sound", whole[::stride], golden["codec/wav"], CODEC_TOLERANCE)
    state, parts = model._decoder.make_state(), []
    for start, end in ((0, 1), (1, 3), (3, 9), (9, 20)):
        samples, state = model._decoder.step(latents[:, start:end], state)
        parts.append(np.array(samples[0]))
    found += difference("streamed sound", np.concatenate(parts)[::stride], golden["codec/wav"], CODEC_TOLERANCE)
    for rate in RATES:
        if f"codec/wav_{rate}" in golden:
            decoder = load_decoder(model._checkpoint.folder, config, rate)
            own = np.array(decoder(latents)[0])[:: 5 * stride]
            found += difference(f"sound at {rate}", own, golden[f"codec/wav_{rate}"], CODEC_TOLERANCE)
    audio = golden["audio"].astype(np.float32) / 32768
    padded = np.pad(audio, (0, -len(audio) % config.encoder_hop))
    encoded = np.array(model._encoder(mx.array(padded)[None])[0]).T
    return found + difference("encoded", encoded, golden["codec/encoded"], CODEC_TOLERANCE)


class OneRequest:
    """One request by the way that callers go, with the noise that the official code had."""

    def __init__(self, tts: Any, golden: Any, asked: dict[str, Any], stride: int):
        self.tts, self.golden, self.asked, self.stride = tts, golden, asked, stride
        self.model = tts._synthesizer

    def _golden(self, key: str) -> np.ndarray:
        return self.golden[f"{self.asked['name']}/{key}"]  # type: ignore[no-any-return]

    def _noise(self, _seed: int, _take: int, step: int, _shape: tuple[int, int]) -> mx.array:
        noise = self._golden("noise")
        return mx.array(noise[min(step, len(noise) - 1)].T)

    def compare(self) -> list[str]:
        own = self.model._loop.noise
        self.model._loop.noise = self._noise
        try:
            request = self.request()
            return mlx_thread.run(self._inside, request) + self._outside(request)
        finally:
            self.model._loop.noise = own

    def request(self) -> SpeechRequest:
        asked = self.asked
        return SpeechRequest(
            asked["text"],
            voice=self._voice(),
            seed=0,
            guard=False,
            max_frames=self._limit(),
            options={
                "steps": asked.get("inference_timesteps"),
                "guidance": asked.get("cfg_value"),
                "least_seconds": (asked.get("min_len", 2) + 2) / self.tts.info.frame_rate,
            },
        )

    def _limit(self) -> int | None:
        return self.asked.get("max_len")

    def _voice(self) -> Voice | None:
        reference, prompt = (self._patches(key, left) for key, left in (("reference", False), ("prompt", True)))
        if reference is None and prompt is None:
            return None
        return Voice(
            np.zeros(0, np.float32),
            transcript=self.asked.get("prompt_text"),
            reference_latents=reference,
            prompt_latents=prompt,
        )

    def _patches(self, key: str, left: bool) -> np.ndarray | None:
        if key not in self.asked:
            return None
        first, last = self.asked[key]
        audio = self.golden["audio"][first:last].astype(np.float32) / 32768
        return mlx_thread.run(self.model._patches, audio, left)  # type: ignore[no-any-return]

    def _inside(self, asked: SpeechRequest) -> list[str]:
        """The prompt, and what is computed before and after the first patch."""
        request, loop = self.tts.check(asked), self.model._loop
        prompt = self.model._prompt(request)
        found = difference("ids", prompt.ids, self._golden("tokens"))
        found += difference("audio mask", prompt.is_audio.astype(int), self._golden("audio_mask"))
        for key, own in (("reference", request.voice and request.voice.reference_latents),
                         ("prompt", request.voice and request.voice.prompt_latents)):  # fmt: skip
            if own is not None:
                found += difference(key, own, self._golden(key), CODEC_TOLERANCE)
        rows, _ = read_rows(loop.model, prompt)
        found += difference("embedded", np.array(rows[0]), self._golden("embedded"), FIRST_TOLERANCE)
        beginning = self.model.begin(self.model.prepare(request), 0)
        while True:
            try:
                next(beginning)
            except StopIteration as done:
                row = done.value
                break
        mu = loop.model.mu(row.lm, row.residual)
        for key, value in (("lm0", row.lm), ("residual0", row.residual), ("mu0", mu)):
            found += difference(key, np.array(value[0]), self._golden(key), FIRST_TOLERANCE)
        found += self._velocity(row, mu)
        loop.launch([row])
        for key, value in (("lm1", row.lm), ("residual1", row.residual)):
            found += difference(key, np.array(value[0]), self._golden(key), FIRST_TOLERANCE)
        return found

    def _velocity(self, row: Any, mu: mx.array) -> list[str]:
        """The estimator's two outputs at the first step that runs it."""
        diffusion = self.model._loop.diffusion
        estimator, steps = diffusion.estimator, row.utterance.settings.steps
        from mlx_tts.models.voxcpm2.diffusion import steps_left_out

        rows, conditions = estimator.conditions(mu, row.last)
        stacked = mx.stack([rows, mx.zeros_like(rows)], axis=1)
        time = diffusion.embedded(steps)[steps_left_out(steps)]
        own = estimator(self._noise(0, 0, 0, (0, 0))[None], stacked, conditions, time, diffusion._masks[2])
        return difference("velocity0", np.array(own[0]).transpose(0, 2, 1), self._golden("velocity0"), FIRST_TOLERANCE)

    def _outside(self, request: SpeechRequest) -> list[str]:
        """Patches, their number and the sound: whole, and streamed."""
        with self.tts.submit(request) as stream:
            samples = np.concatenate([chunk.samples for chunk in stream])
        found = difference("steps", len(stream.codes), self._golden("steps"))
        found += difference("first patch", stream.codes[0], self._golden("latents")[0], FIRST_TOLERANCE)
        found += difference("latents", stream.codes, self._golden("latents"), TOLERANCE)
        found += difference("samples", len(samples), self._golden("samples"))
        found += difference("sound", samples[:: self.stride], self._golden("wav"), SOUND_TOLERANCE)
        live = np.concatenate([chunk.samples for chunk in self.tts.stream(request)])
        return found + difference("streamed sound", live, samples)
