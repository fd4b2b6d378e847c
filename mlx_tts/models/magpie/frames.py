"""Prepared utterances in, frames of codes out: the only decode loop. Nothing else calls the decoder."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.generation.sampling import gumbel_noise
from mlx_tts.generation.seeds import frame_key
from mlx_tts.models.magpie.alignment import Alignment, EncodedPiece, MagpieContinuation
from mlx_tts.models.magpie.config import GenerationSettings
from mlx_tts.models.magpie.decoding import Decoding
from mlx_tts.models.magpie.gpu_step import DecoderSteps, LocalSampler
from mlx_tts.models.magpie.local_transformer import Guidance, StepSampling, codes_sampled, sample_codes
from mlx_tts.models.magpie.network import BOS, EOS, SPECIAL_CODES, Magpie
from mlx_tts.runtime.device import policy
from mlx_tts.samples import Codes


@dataclass(frozen=True)
class Utterance:
    """One text ready for the loop. context: [1, T, D], what stands before the audio: the voice. text, language: what
    the ids were read from."""

    passage: EncodedPiece
    context: mx.array
    settings: GenerationSettings
    seed: int
    text: str = ""
    language: str = ""


@dataclass
class Launch:
    """One step of a row on its way: codes and the parallel heads' choices [slots], attention [ids]; None where there is
    no prior, or where the row's alignment has taken it in."""

    codes: mx.array
    parallel: mx.array
    attention: mx.array | None


@dataclass
class MagpieRow:
    """An utterance on its way: `step` steps of take `take` were read, and `sent` are made or on their way. A step makes
    a stack of frames.

    queue: frames that were made and not yet given. promised: how many of them earlier steps of the engine will take.
    """

    utterance: Utterance
    take: int
    decoding: Decoding
    alignment: Alignment | None
    x: mx.array  # [1, 1, D]: what the decoder reads next
    step: int = 0
    sent: int = 0
    last: mx.array | None = None  # [slots]: the codes of the step that was sent last
    launches: deque[Launch] = field(default_factory=deque)
    queue: deque[Codes] = field(default_factory=deque)
    promised: int = 0
    over: bool = False
    ready: bool = True

    def continuation(self) -> MagpieContinuation:
        """What the next piece takes."""
        window = self.utterance.passage.window
        attended = self.alignment.attended if self.alignment else window.attended
        return self.utterance.passage.continuation(attended)


def first_end(sampled: NDArray[np.bool_], heads: NDArray[np.bool_], method: str) -> int | None:
    """Where EOS stands in the codes [S, C] that were sampled and in the heads' choices -> the first frame that ends."""
    for frame, (own, likely) in enumerate(zip(sampled, heads, strict=True)):
        sources = (likely, own) if "multinomial" in method else (likely,)
        if method.endswith("any"):
            ends = any(source.any() for source in sources)
        elif method.endswith("all"):
            ends = any(source.all() for source in sources)
        else:
            ends = any(bool(source[0]) for source in sources)
        if ends:
            return frame
    return None


class FrameLoop:
    """What the loop of one model needs. Holds no utterance."""

    def __init__(self, model: Magpie):
        self.model = model
        self.stack = model.config.frame_stacking_factor
        self.eos = model.codebook_size + EOS
        self.masks = {name: self._mask(name) for name in ("early", "later", "forced")}
        self._unguided: tuple[int, tuple[mx.array, ...]] = (0, ())  # of the length of context used last
        self.start = model.embed_frames(mx.full((1, 1, model.slots), model.codebook_size + BOS))
        mx.eval(self.start)
        device = policy()
        self._decode = DecoderSteps(model.decoder) if device.few_launches else None
        in_order = model.config.local_type == "autoregressive"
        self._sample = LocalSampler(model) if device.few_launches and in_order and "local" in model else None
        # A GPU is given the next step before it has sampled the codes of this one: it never waits for the host.
        self.ahead = device.looks_ahead
        self._alike: tuple[list[GenerationSettings], Guidance, StepSampling] | None = None

    def _mask(self, kind: str) -> mx.array:
        """[V], added to logits. early: before speech may end; forced: it must."""
        K = self.model.codebook_size
        mask = np.zeros(K + SPECIAL_CODES, np.float32)
        mask[K:] = -np.inf
        if kind == "forced":
            mask[:] = -np.inf
        if kind != "early":
            mask[self.eos] = 0
        return mx.array(mask)

    def unguided_context(self, length: int) -> tuple[mx.array, ...]:
        """Keys and values of the second row before its audio, one array a layer: the same for every voice and text."""
        if self._unguided[0] != length:
            self._unguided = length, self._read_unguided(length)
        return self._unguided[1]

    def _read_unguided(self, length: int) -> tuple[mx.array, ...]:
        caches = self.model.make_caches()
        empty = mx.zeros((1, length, self.model.config.embedding_dim), self.model.dtype)
        decoder = self.model.decoder
        x, mask = decoder.placed(empty, 0), caches[0].mask(length)
        for layer, cache in zip(decoder.layers, caches, strict=True):
            x = layer(x, cache, mask)
        kept = tuple(cache.kv[:, :, :, :length] for cache in caches if cache.kv is not None)
        mx.eval(kept)
        return kept

    def begin(self, utterance: Utterance, take: int = 0) -> Generator[int, None, MagpieRow]:
        """Read the voice's context; yields its positions."""
        settings, window = utterance.settings, utterance.passage.window
        alignment = Alignment(window, settings.epsilon, settings.lookahead) if settings.prior else None
        decoding = Decoding(self.model, utterance.passage.memory(self.model), settings, self._decode)
        prior = None if alignment is None else alignment.prior
        second = None if settings.guidance is None else self.unguided_context(utterance.context.shape[1])
        decoding.begin(utterance.context, second, prior)
        yield utterance.context.shape[1]
        return MagpieRow(utterance, take, decoding, alignment, self.start)

    def open_batch(self) -> FrameLoop:
        """Rows share nothing, each has its own state: the loop itself steps them."""
        return self

    def step(self, rows: Sequence[MagpieRow]) -> FrameStep:
        """Put one frame of each row on its way. A step of the model makes a stack of frames, so it runs when some row
        has none left; rows that would run dry within the stack run with it, so that they stay together."""
        if any(self._is_dry(row) for row in rows):
            due: dict[object, list[MagpieRow]] = {}
            for row in rows:
                if self._left(row) < self.stack and self.may_launch(row) and self._left(row) < self.stack:
                    due.setdefault(_kind(row.utterance.settings), []).append(row)
            for together in due.values():
                self.launch(together)
        for row in rows:
            row.promised += 1
        return FrameStep(self, tuple(rows))

    def _left(self, row: MagpieRow) -> int:
        """Frames that are made or on their way, and promised to nobody."""
        return len(row.queue) + self.stack * len(row.launches) - row.promised

    def _is_dry(self, row: MagpieRow) -> bool:
        """Where a row takes steps ahead, the next one is sent while frames of this one are left; not the second step,
        which would delay the first sound."""
        early = self.stack - 1 if self.goes_ahead(row) and row.sent > 1 else 0
        return not row.over and self._left(row) <= early

    # One step of a row: launch, follow, settle.

    def launch(self, rows: Sequence[MagpieRow]) -> None:
        """Put a step of each row on its way. Rows sample together where their local transformer runs alike."""
        model = self.model
        x = rows[0].x if len(rows) == 1 else mx.concatenate([row.x for row in rows])
        priors = [None if row.alignment is None else row.alignment.prior for row in rows]
        hidden = Decoding.step([row.decoding for row in rows], x, priors)
        attention = [row.decoding.attention() if row.alignment else None for row in rows]
        seen = [value for value in attention if value is not None]
        if self.ahead:
            mx.async_eval(hidden, *seen)  # on its own, so that the attention is there before the codes are
        for at, (row, attended) in enumerate(zip(rows, attention, strict=True)):
            if row.utterance.settings.watched and attended is not None and row.alignment is not None:
                row.alignment.follow(np.array(attended))  # its sampling depends on what is attended now
                attention[at] = None
        own = [row.utterance.settings for row in rows]
        noise = None
        if not all(settings.greedy for settings in own):
            keys = [frame_key(row.utterance.seed, row.take, row.sent) for row in rows]
            noise = gumbel_noise(keys, codes_sampled(model, own[0]) * model.vocabulary)
        masks = [self._forbidden(row) for row in rows]
        guidance, sampling = self._sampling(own, masks[0][None] if len(rows) == 1 else mx.stack(masks), noise)
        if self._sample is not None and own[0].local:
            sampled, heads, x = self._sample(hidden, guidance, sampling)
        else:
            parallel = guidance(model.final_proj(hidden)).reshape(len(rows), model.slots, -1)
            sampled = sample_codes(model, hidden, parallel, guidance, sampling, own[0])
            heads = mx.argmax(parallel + sampling.forbidden[:, None], axis=-1)
            x = model.embed_frames(sampled[:, None])
        mx.async_eval(sampled, heads, *seen)
        for at, row in enumerate(rows):
            row.launches.append(Launch(sampled[at], heads[at], attention[at]))
            row.x, row.last, row.sent = x[at : at + 1], sampled[at], row.sent + 1

    def _sampling(
        self, own: list[GenerationSettings], forbidden: mx.array, noise: mx.array | None
    ) -> tuple[Guidance, StepSampling]:
        """How rows with these settings sample; most steps are like the one before."""
        if self._alike is None or self._alike[0] != own:
            self._alike = (
                own,
                Guidance.of([settings.guidance for settings in own]),
                StepSampling.of(own, forbidden, noise),
            )
        return self._alike[1], replace(self._alike[2], forbidden=forbidden, noise=noise)

    def _forbidden(self, row: MagpieRow) -> mx.array:
        settings, alignment = row.utterance.settings, row.alignment
        if settings.watched and alignment is not None:
            if alignment.must_end:
                return self.masks["forced"]
            if not alignment.may_end:
                return self.masks["early"]
        return self.masks["early" if row.sent * self.stack < settings.least_frames else "later"]

    def _room(self, row: MagpieRow) -> int:
        """Steps that fit behind the voice's context into the decoder's positions."""
        return self.model.config.decoder.max_length_causal_mask - row.utterance.context.shape[1]

    def may_launch(self, row: MagpieRow) -> bool:
        """Whether the row takes another step, as far as is known before the codes on their way are read. Waits for what
        the last step attended to, and where the row takes no step ahead, for its codes too."""
        if not self.goes_ahead(row):
            while row.launches:
                self.settle(row)
        for launch in row.launches:
            self._follow(row, launch)
        return not row.over and row.sent < self._room(row) and not self._piece_is_over(row)

    def goes_ahead(self, row: MagpieRow) -> bool:
        return self.ahead and not row.utterance.settings.watched

    @staticmethod
    def _piece_is_over(row: MagpieRow) -> bool:
        return row.alignment is not None and row.alignment.piece_is_over

    @staticmethod
    def _follow(row: MagpieRow, launch: Launch) -> None:
        if row.alignment is not None and launch.attention is not None:
            row.alignment.follow(np.array(launch.attention))
            launch.attention = None

    def settle(self, row: MagpieRow) -> None:
        """Wait for the first step on its way: its frames join the queue, and the row may be over."""
        if not row.launches:
            return
        launch, C = row.launches.popleft(), self.model.codebooks
        codes = np.array(launch.codes, dtype=np.int32).reshape(self.stack, C)
        self._follow(row, launch)
        heads = np.array(launch.parallel).reshape(self.stack, C)
        kept = first_end(codes == self.eos, heads == self.eos, row.utterance.settings.eos_method)
        row.queue.extend(codes[:kept])
        row.step += 1
        row.over = kept is not None or row.step >= self._room(row) or self._piece_is_over(row)
        if row.over:
            row.launches.clear()


@dataclass(frozen=True)
class FrameStep:
    """A frame of each row, some of them on their way."""

    loop: FrameLoop
    rows: tuple[MagpieRow, ...]

    def read(self) -> list[Codes | None]:
        frames: list[Codes | None] = []
        for row in self.rows:
            if not row.queue:
                self.loop.settle(row)
            row.promised -= 1
            frames.append(row.queue.popleft() if row.queue else None)
        return frames


def _kind(settings: GenerationSettings) -> tuple[bool, int]:
    """Rows of one kind sample their codes by the same operations."""
    return settings.local, settings.passes
