"""Prompts in, patches of latents out: the only decode loop. Nothing else calls the language models."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.kernels.core.forms import PLAIN, StepKernels, asked_form
from mlx_tts.kernels.stack_steps import PrefillStep
from mlx_tts.models.voxcpm2.config import GenerationSettings
from mlx_tts.models.voxcpm2.diffusion import Diffusion, noise_of
from mlx_tts.models.voxcpm2.gpu_step import GpuDiffusion, GpuNext
from mlx_tts.models.voxcpm2.network import VoxCPM
from mlx_tts.models.voxcpm2.prompt import Prompt
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.linear import expanded_for_stacks
from mlx_tts.runtime.device import policy

CPU_POSITIONS, GPU_POSITIONS = 256, 128  # of a prompt that are read at once: a GPU may hold 3.7 MB for each
ENCODED_AT_ONCE = 64  # patches of a prompt
Follow = Callable[..., tuple[mx.array, mx.array, mx.array]]  # see `follow`
Noise = Callable[[int, int, int, tuple[int, int]], mx.array]  # (seed, take, patch, shape) -> [P, D]


@dataclass(frozen=True)
class Utterance:
    """One text ready for the loop. target: its words. after: what the piece before left."""

    prompt: Prompt
    settings: GenerationSettings
    seed: int
    target: str = ""
    after: Any = None


@dataclass
class PatchRow:
    """An utterance on its way: about to make patch `step` of take `take`.

    lm, residual: [1, H], what both models say of the last position. last: [1, P, D], the patch before. ends_now and
    ends_next: whether speech stops with the patch that was launched last, and with the one after it. Which patch is the
    last one is known a step before it is made, so nothing is made in vain. made: the patches that were read.
    """

    utterance: Utterance
    take: int
    caches: tuple[list[KVCache], list[KVCache]]
    lm: mx.array
    residual: mx.array
    last: mx.array
    ends_next: mx.array
    ends_now: mx.array | None = None
    step: int = 0
    over: bool = False
    ready: bool = True
    made: list[NDArray[np.float32]] = field(default_factory=list)


@dataclass(frozen=True)
class PatchStep:
    """A patch [1, P, D] of each row on its way; None where the row has ended."""

    rows: tuple[PatchRow, ...]
    patches: list[mx.array | None]

    def read(self) -> list[NDArray[np.float32] | None]:
        read = [None if patch is None else np.array(patch, np.float32)[0] for patch in self.patches]
        for row, patch in zip(self.rows, read, strict=True):
            if patch is not None:
                row.made.append(patch)
        return read  # type: ignore[return-value]


def follow(
    model: VoxCPM, patches: mx.array, semantic: Sequence[list[KVCache]], residual: Sequence[list[KVCache]]
) -> tuple[mx.array, mx.array, mx.array]:
    """Patches [B, P, D] and the caches of both models for each row -> what both say of them [B, H], stop logits."""
    audio = model.encode(patches)
    lm = model.fsq_layer(model.base_lm.decode_rows(audio[:, None], semantic)[:, 0])
    fused = model.fused(lm, audio)
    return lm, model.residual_lm.decode_rows(fused[:, None], residual)[:, 0], model.stop_logits(lm)


def _ends(logits: mx.array) -> mx.array:
    """[B, 2] -> [B] bool; on equal logits speech goes on."""
    return mx.argmax(logits, axis=-1) == 1


def read_rows(model: VoxCPM, prompt: Prompt) -> tuple[mx.array, mx.array]:
    """What the semantic model reads, [1, n, H], and the encoding of the audio alone: 0 where text stands."""
    text = model.embed(prompt.ids.tolist())
    if not prompt.is_audio.any():
        return text[None], mx.zeros_like(text)[None]
    parts = []
    for start in range(0, len(prompt.patches), ENCODED_AT_ONCE):
        parts.append(model.encode(mx.array(prompt.patches[start : start + ENCODED_AT_ONCE])))
        mx.eval(parts[-1])
    place = np.maximum(np.cumsum(prompt.is_audio) - 1, 0)
    is_audio = mx.array(prompt.is_audio)[:, None]
    audio = mx.where(is_audio, mx.concatenate(parts)[mx.array(place)], 0)
    return mx.where(is_audio, audio, text)[None], audio[None]


class FrameLoop:
    """What the loop of one model needs. Holds no utterance. noise: where the random numbers of a patch come from.
    kernels: of a GPU; None: those that the environment asks for."""

    def __init__(self, model: VoxCPM, noise: Noise = noise_of, kernels: StepKernels | None = None):
        self.model, self.noise, self.device = model, noise, policy()
        fields = model.config.fields
        self.shape = fields.patch_size, fields.feat_dim
        self._read_at_once = GPU_POSITIONS if self.device.looks_ahead else CPU_POSITIONS
        self._use(kernels or StepKernels(asked_form() or PLAIN))

    @property
    def kernel_form(self) -> str:
        """Forms agree in what they compute, not in its last bits."""
        return self.kernels.form.name

    def use_kernel_form(self, name: str) -> None:
        """On a GPU: that of an earlier run, so that the rest of a speech is computed like its beginning."""
        if self.device.few_launches and name != self.kernel_form:
            self._use(self.kernels.in_form(name))

    def _use(self, kernels: StepKernels) -> None:
        model, fields = self.model, self.model.config.fields
        if kernels.form.stacks:
            model = expanded_for_stacks(model)
        sizes = model.estimator, fields.patch_size, 2 if model.config.joined else 1, model.config.mean_mode
        self.kernels = kernels
        self.diffusion: Diffusion = (GpuDiffusion if self.device.few_launches else Diffusion)(*sizes)
        self._follow: Follow = GpuNext(model) if self.device.few_launches else partial(follow, model)
        self._prompts = PrefillStep(model.base_lm), PrefillStep(model.residual_lm)

    def begin(self, utterance: Utterance, take: int = 0) -> Generator[int, None, PatchRow]:
        """Read the prompt, a block at a time; yields the positions read."""
        model, prompt = self.model, utterance.prompt
        rows, audio = read_rows(model, prompt)
        is_audio = mx.array(prompt.is_audio)[None, :, None]
        caches = model.make_caches()
        lm = residual = mx.zeros(())
        for start in range(0, len(prompt), self._read_at_once):
            block = slice(start, start + self._read_at_once)
            h = self._read(0, rows[:, block], caches[0])
            h = mx.where(is_audio[:, block], model.fsq_layer(h), h)
            residual = self._read(1, model.fused(h, audio[:, block]), caches[1])[:, -1]
            lm = h[:, -1]
            mx.eval(lm, residual, [cache.kv for own in caches for cache in own])
            yield h.shape[1]
        last = mx.array(prompt.last)[None]
        return PatchRow(utterance, take, caches, lm, residual, last, _ends(model.stop_logits(lm))[0])

    def _read(self, which: int, x: mx.array, caches: list[KVCache]) -> mx.array:
        """A block of a prompt through the semantic (0) or the residual model (1), normed."""
        step = self._prompts[which]
        with self.kernels.in_use():
            read = step.prefill(x, caches) if caches[0].length == 0 else None
        return step.model(x, caches) if read is None else step.model.norm(read)  # type: ignore[no-any-return]

    def open_batch(self) -> FrameLoop:
        """Rows share nothing, each has its own state: the loop itself steps them."""
        return self

    def step(self, rows: Sequence[PatchRow]) -> PatchStep:
        """Put one patch of each row on its way. Rows with equal numbers of diffusion steps share them."""
        together: dict[tuple[int, bool], list[int]] = {}
        for at, row in enumerate(rows):
            self.settle(row)
            if not row.over:
                together.setdefault(row.utterance.settings.form, []).append(at)
        patches: list[mx.array | None] = [None] * len(rows)
        for places in together.values():
            for at, patch in zip(places, self.launch([rows[at] for at in places]), strict=True):
                patches[at] = patch
        return PatchStep(tuple(rows), patches)

    def launch(self, rows: Sequence[PatchRow]) -> list[mx.array]:
        """Put one patch of each row on its way, and what follows from it. The rows have settings of one form."""
        with self.kernels.in_use():
            return self._launched(rows)

    def _launched(self, rows: Sequence[PatchRow]) -> list[mx.array]:
        model = self.model
        lm, residual, last = (
            mx.concatenate([getattr(row, name) for row in rows]) for name in ("lm", "residual", "last")
        )
        noise = mx.stack([self.noise(row.utterance.seed, row.take, row.step, self.shape) for row in rows])
        settings = [row.utterance.settings for row in rows]
        guidance = [own.guidance for own in settings]
        patches = self.diffusion(noise, model.mu(lm, residual), last, settings[0].steps, guidance)
        if self.device.looks_ahead:
            mx.async_eval(patches)  # the device begins while what follows is put together
        lm, residual, logits = self._follow(patches, [row.caches[0] for row in rows], [row.caches[1] for row in rows])
        ends = _ends(logits)
        # A slice that is made later would wait for all that was sent until then.
        of_rows = [[value[at : at + 1] for value in (lm, residual, patches, ends)] for at in range(len(rows))]
        mx.async_eval(of_rows)
        for row, own in zip(rows, of_rows, strict=True):
            row.lm, row.residual, row.last, ends_next = own
            row.ends_now, row.ends_next = row.ends_next, ends_next
            row.step += 1
        return [row.last for row in rows]

    def settle(self, row: PatchRow) -> None:
        """See whether the patch that was launched last is the row's last one. This waits for the one before it."""
        if row.ends_now is None:
            return
        stops = row.step >= row.utterance.settings.least_patches and bool(row.ends_now.item())
        room = self.model.config.fields.max_length - len(row.utterance.prompt)
        row.over = row.over or stops or row.step >= room
