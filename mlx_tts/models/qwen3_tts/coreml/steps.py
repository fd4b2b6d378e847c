"""Packages and tables in, frames of codes out: the talker and the code predictor of one row, a position at a time.

The counterpart of frames.py: the same prompt, sampling, seeds and noise; the products are Core ML's. `SpeechDecoder`
makes sound of the codes: the state of its stream is a value, tails of the layers, keys and values of the last
positions, and how many there were.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.errors import ModelError
from mlx_tts.export.coreml.evaluator import CACHES, Model, OpenModel
from mlx_tts.generation.sampling import RowSampling, gumbel_noise, penalise, sample
from mlx_tts.generation.seeds import frame_key
from mlx_tts.models.qwen3_tts.config import CodecDecoderConfig, TalkerConfig, TransformerConfig
from mlx_tts.models.qwen3_tts.coreml.manifest import Manifest, Tables
from mlx_tts.models.qwen3_tts.coreml.model_graphs import FRAME_COLUMNS
from mlx_tts.models.qwen3_tts.frames import MIN_FRAMES, CodeStep, forbidden_ids, surprise
from mlx_tts.models.qwen3_tts.rows import Utterance

MASK = -1e4
PROMPT_POSITIONS = 32  # read before the engine may look at something else
Vector = NDArray[np.float32]
Array = NDArray[Any]


@lru_cache(maxsize=1024)
def rotation(head_dim: int, theta: float, position: int) -> tuple[Vector, Vector]:
    """Cosine and sine [1, 1, head_dim / 2, 1] of RoPE at a position."""
    angles = position / theta ** (np.arange(0, head_dim, 2) / head_dim)
    cosine, sine = (part.astype(np.float32)[None, None, :, None] for part in (np.cos(angles), np.sin(angles)))
    return cosine, sine


class Decoder:
    """Packages that hold one stack of layers, and their sizes. columns: of the cache."""

    def __init__(self, models: Sequence[Model], config: TransformerConfig, columns: int):
        self.models, self.config, self.columns = models, config, columns

    def open_caches(self) -> list[Any]:
        return [model.open_cache() for model in self.models]

    def read(self, x: Vector, position: int, caches: Sequence[Any]) -> dict[str, NDArray[Any]]:
        """What is read at a position [D] -> the outputs of the last package. The caches get a new column."""
        cosine, sine = rotation(self.config.head_dim, self.config.rope_theta, position)
        mask = np.full((1, 1, 1, self.columns), MASK, np.float32)
        mask[..., :position] = 0
        given, found = x.reshape(1, -1, 1, 1), {}
        for model, cache in zip(self.models, caches, strict=True):
            found = dict(model.predict({"x": given, "mask": mask, "cosine": cosine, "sine": sine}, cache))
            for name in CACHES:
                cache.write(name, position, found[f"new_{name}"])
            given = np.array(found["hidden"], np.float32)
        return found


@dataclass
class CoreMLRow:
    """An utterance on its way: about to generate `frame` of take `take`; x [D] is read next, at `position`."""

    utterance: Utterance
    take: int
    caches: list[Any]
    x: Vector
    used: mx.array
    sampling: RowSampling
    context: int
    position: int = 0
    frame: int = 0
    text: mx.array | None = None
    surprises: list[NDArray[np.float32]] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        if self.position >= self.context:
            raise ModelError(
                f"this utterance is longer than the {self.context} positions that the packages hold: "
                f"speak it in shorter pieces, or convert the model with a larger --context"
            )
        if self.text is None:
            self.text = self.utterance.text_after(self.frame)
        return self.text is not None


@dataclass
class CoreMLLoop:
    """Stands where FrameLoop does. talker: the tables, which have the talker's three ways to embed."""

    talker: Tables
    config: TalkerConfig
    decoder: Decoder
    predictor: Decoder
    heads: dict[str, Any]
    kernel_form: str = "coreml"
    masks: tuple[mx.array, mx.array] = field(init=False)

    def __post_init__(self) -> None:
        self.masks = forbidden_ids(self.config)
        self._frame_caches = self.predictor.open_caches()  # whose old columns the mask hides

    @classmethod
    def open(cls, folder: Path, manifest: Manifest, config: TalkerConfig, open_model: OpenModel) -> CoreMLLoop:
        parts = [open_model(folder / name) for name in manifest.code_decoder]
        predictor = [open_model(folder / "MultiCodeDecoder.mlpackage")]
        return cls(
            Tables(folder, manifest),
            config,
            Decoder(parts, config, manifest.context),
            Decoder(predictor, config.code_predictor_config, FRAME_COLUMNS),
            manifest.heads,
        )

    def use_kernel_form(self, name: str) -> None: ...

    def begin(self, utterance: Utterance, take: int = 0) -> Generator[int, None, CoreMLRow]:
        """Read all of a prompt but its last position; yields how many were read."""
        prompt = np.array(utterance.prefill.astype(mx.float32))
        caches = self.decoder.open_caches()
        for at, x in enumerate(prompt[:-1]):
            self.decoder.read(x, at, caches)
            if (at + 1) % PROMPT_POSITIONS == 0:
                yield PROMPT_POSITIONS
        used = mx.zeros((1, self.config.vocab_size), mx.bool_)
        vocabularies = self.config.vocab_size, self.config.code_predictor_config.vocab_size
        sampling = RowSampling.of([utterance.params], *vocabularies)
        return CoreMLRow(utterance, take, caches, prompt[-1], used, sampling, self.decoder.columns, len(prompt) - 1)

    def open_batch(self) -> CoreMLLoop:
        """Rows share nothing: the loop itself steps them, one after the other."""
        return self

    def step(self, rows: Sequence[CoreMLRow]) -> CodeStep:
        faults = [None if row.frame else row.utterance.fault for row in rows]
        codes, surprises = zip(*[self._frame(row) for row in rows], strict=True)
        return CodeStep(
            [row.surprises for row in rows],
            mx.array(np.stack(codes)),
            mx.concatenate(list(surprises)),
            self.config.codec_eos_token_id,
            faults,
        )

    def _frame(self, row: CoreMLRow) -> tuple[NDArray[np.int32], mx.array]:
        """[K], [1, 3]: the codes of a row's next frame, and how the first surprised the model; the row is ready for
        the one after it."""
        vocabulary, rest = self.config.vocab_size, self.config.code_predictor_config.vocab_size
        noise = None
        if not row.sampling.greedy:
            width = vocabulary + (self.config.num_code_groups - 1) * rest
            noise = gumbel_noise([frame_key(row.utterance.seed, row.take, row.frame)], width)
        found = self.decoder.read(row.x, row.position, row.caches)
        forbidden = self.masks[row.frame >= MIN_FRAMES]
        raw = mx.array(found["logits"].reshape(1, -1).astype(np.float32)) + forbidden
        logits = penalise(raw, row.used, row.sampling.penalty)
        first = sample(logits, None if noise is None else noise[:, :vocabulary], row.sampling.first)
        row.used = row.used | (mx.arange(vocabulary, dtype=mx.uint32) == first[:, None])
        hidden = np.array(found["hidden"], np.float32).reshape(-1)
        rest_noise = None if noise is None else noise[:, vocabulary:]
        codes, embedding = self.rest_of_frame(hidden, int(np.array(first)[0]), rest_noise, row.sampling)
        assert row.text is not None
        row.x = embedding + np.array(row.text.astype(mx.float32))
        row.position, row.frame, row.text = row.position + 1, row.frame + 1, None
        return np.array(codes, np.int32), surprise(raw, first)

    def rest_of_frame(
        self, hidden: Vector, first: int, noise: mx.array | None, sampling: RowSampling, forced: Sequence[int] = ()
    ) -> tuple[list[int], Vector]:
        """The talker's state and code 0 -> all codes, and the sum of their embeddings. forced: codes to read in the
        place of those that are sampled, for comparisons."""
        vocabulary = self.config.code_predictor_config.vocab_size
        self.predictor.read(hidden, 0, self._frame_caches)
        codes = [first]
        x = total = np.array(self.talker.embed_code(mx.array([first])))[0]
        for at in range(self.config.num_code_groups - 1):
            found = self.predictor.read(x, at + 1, self._frame_caches)
            output, place = divmod(at, self.heads["in_each"])
            logits = found[f"logits_{output}"].reshape(-1, vocabulary)[place : place + 1]
            own = None if noise is None else noise[:, at * vocabulary : (at + 1) * vocabulary]
            code = int(np.array(sample(mx.array(logits.astype(np.float32)), own, sampling.rest))[0])
            codes.append(code)
            x = self.talker.rest_code(at, forced[at] if forced else code)
            total = total + x
        return codes, total


@dataclass(frozen=True)
class SoundState:
    """position: frames before. arrays: the package's inputs that carry what was before."""

    position: int
    arrays: dict[str, Array]


class SpeechDecoder:
    """table: all codebooks below each other, [codebooks * size, channels]."""

    def __init__(self, model: Model, config: CodecDecoderConfig, table: Array, shapes: dict[str, tuple[int, ...]]):
        self.model, self.config, self.table, self.shapes = model, config, table, shapes

    def make_state(self) -> SoundState:
        return SoundState(0, {name: np.zeros(shape, np.float32) for name, shape in self.shapes.items()})

    def step(self, codes: Array, state: SoundState) -> tuple[NDArray[np.float32], SoundState]:
        """[T, K] -> samples [T * 1,920]"""
        pieces = []
        for frame in codes:
            samples, state = self._frame(frame, state)
            pieces.append(samples)
        return np.concatenate(pieces) if pieces else np.zeros(0, np.float32), state

    def _frame(self, codes: Array, state: SoundState) -> tuple[NDArray[np.float32], SoundState]:
        config, position = self.config, state.position
        rows = codes.astype(np.int64) + np.arange(config.num_quantizers) * config.codebook_size
        x = np.asarray(self.table[rows], np.float32).sum(axis=0)
        past = config.sliding_window - 1
        mask = np.full((1, 1, 1, past), MASK, np.float32)
        mask[..., : min(position, past)] = 0  # a full window is used round and round: the order of keys does not matter
        cosine, sine = rotation(config.head_dim, config.rope_theta, position)
        inputs = {"x": x.reshape(1, -1, 1, 1), "mask": mask, "cosine": cosine, "sine": sine}
        found = self.model.predict({**inputs, **state.arrays})
        after = {name: np.array(found[f"next_{name}"]) for name in self.shapes if name not in CACHES}
        for name in CACHES:
            after[name] = state.arrays[name].copy()
            after[name][..., position % past] = found[f"new_{name}"][..., 0]
        return np.array(found["samples"], np.float32).reshape(-1), SoundState(position + 1, after)
