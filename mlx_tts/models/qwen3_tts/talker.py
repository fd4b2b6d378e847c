"""Summed text and codec embeddings in, the codes of a frame out: the talker and the code predictor.

The talker is the large transformer, whose hidden state and logits give a frame's first code. The code predictor is the
small one, which makes the frame's other codes of that state and of the first code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.generation.sampling import CodeSampling, sample
from mlx_tts.models.qwen3_tts.code_rows import CodeRows
from mlx_tts.models.qwen3_tts.config import CodePredictorConfig, TalkerConfig
from mlx_tts.nn.activations import silu
from mlx_tts.nn.cache import KVCache, RowCache, RowCaches, alone
from mlx_tts.nn.linear import ProductLinear, expand_for_prompts
from mlx_tts.nn.row_steps import RowStack, RowSteps, runs_by_rows
from mlx_tts.nn.transformer import Transformer
from mlx_tts.runtime.device import begin_early, policy


class CodePredictorModel(Transformer):
    """The transformer with one embedding table for each code it is fed (width: the talker's)."""

    def __init__(self, config: CodePredictorConfig, talker_width: int):
        super().__init__(config)
        self.codec_embedding = [
            nn.Embedding(config.vocab_size, talker_width) for _ in range(config.num_code_groups - 1)
        ]


class CodePredictor(nn.Module):
    """Everything under `talker.code_predictor.`; its caches live for one frame."""

    def __init__(self, config: CodePredictorConfig, talker_width: int):
        super().__init__()
        self.vocab_size = config.vocab_size
        self.num_code_groups = config.num_code_groups
        self.model = CodePredictorModel(config, talker_width)
        self.lm_head = [
            nn.Linear(config.hidden_size, config.vocab_size, bias=False) for _ in range(config.num_code_groups - 1)
        ]
        if config.hidden_size != talker_width:
            self.small_to_mtp_projection = nn.Linear(talker_width, config.hidden_size)
        self._rows: CodeRows | None = None

    def prepare_rows(self) -> None:
        """Take the form for rows on the CPU, where there is one: after all weights are laid out."""
        if runs_by_rows(self.model) and all(isinstance(head, ProductLinear) for head in self.lm_head):
            steps, tables = RowSteps(self.model, self.num_code_groups), self.model.codec_embedding
            self._rows = CodeRows(steps, self.lm_head, tables, self.vocab_size, self.project)

    def project(self, x: mx.array) -> mx.array:
        """[B, L, talker width] -> [B, L, D]; nothing to do where the widths are equal."""
        return self.small_to_mtp_projection(x) if "small_to_mtp_projection" in self else x

    def __call__(
        self, hidden: mx.array, first_embedding: mx.array, noise: mx.array | None, how: CodeSampling
    ) -> tuple[mx.array, mx.array]:
        """Sample codes 1 to K-1 of a frame.

        hidden, first_embedding: [B, talker width], the talker's normed state and the embedding of code 0.
        noise: [B, (K-1) * V] Gumbel noise, or None where all rows are greedy.
        Returns codes [B, K-1] and the sum of the embeddings of all K codes [B, talker width].
        """
        if self._rows is not None:
            return self._rows(hidden, first_embedding, noise, how)
        caches = [KVCache(capacity=self.num_code_groups) for _ in self.model.layers]
        x = mx.stack([hidden, first_embedding], axis=1)
        total, codes = first_embedding, []
        for i, (head, table) in enumerate(zip(self.lm_head, self.model.codec_embedding, strict=True)):
            logits = head(self.model(self.project(x), caches)[:, -1])
            row = None if noise is None else noise[:, i * self.vocab_size : (i + 1) * self.vocab_size]
            code = sample(logits, row, how)
            embedding = table(code)
            total = total + embedding
            codes.append(code)
            x = embedding[:, None]
            begin_early(x)
        return mx.stack(codes, axis=1), total


class TextProjection(nn.Module):
    """Text width to talker width: two biased products with SiLU between (`Qwen3TTSTalkerResizeMLP`)."""

    def __init__(self, config: TalkerConfig):
        super().__init__()
        self.linear_fc1 = nn.Linear(config.text_hidden_size, config.text_hidden_size)
        self.linear_fc2 = nn.Linear(config.text_hidden_size, config.hidden_size)

    def __call__(self, x: mx.array) -> mx.array:
        return self.linear_fc2(silu(self.linear_fc1(x)))


class TalkerModel(Transformer):
    """The transformer with its two embedding tables. Names are the checkpoint's."""

    def __init__(self, config: TalkerConfig):
        super().__init__(config)
        self.codec_embedding = nn.Embedding(config.vocab_size, config.hidden_size)
        self.text_embedding: Callable[[mx.array], mx.array]  # a loaded one is a `StoredEmbedding`
        self.text_embedding = nn.Embedding(config.text_vocab_size, config.text_hidden_size)


class Talker(nn.Module):
    """Everything under `talker.` in a checkpoint: transformer, text projection, first-code head, code predictor."""

    def __init__(self, config: TalkerConfig):
        super().__init__()
        self.config = config
        self.model = TalkerModel(config)
        self.text_projection = TextProjection(config)
        self.codec_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.code_predictor = CodePredictor(config.code_predictor_config, config.hidden_size)
        self._rows: RowStack | None = None

    def prepare_rows(self) -> None:
        """Take the forms for rows on the CPU, where there are any: after all weights are laid out."""
        self.code_predictor.prepare_rows()
        if runs_by_rows(self.model):
            self._rows = RowStack(self.model)

    @property
    def dtype(self) -> mx.Dtype:
        """The dtype that hidden states have."""
        return self.model.norm.weight.dtype

    def embed_text(self, ids: mx.array) -> mx.array:
        """[L] text ids -> [L, D]"""
        embedded = self.model.text_embedding(ids).astype(self.dtype)
        if policy().projects_text_as_prompt:
            return self.text_projection(embedded[None])[0]
        return self.text_projection(embedded)

    def embed_code(self, ids: mx.array) -> mx.array:
        """[...] first codes or control ids -> [..., D]"""
        return self.model.codec_embedding(ids)

    def embed_frames(self, codes: mx.array) -> mx.array:
        """[T, K] codes -> [T, D]: what a frame is to the talker, the sum of its codes' embeddings."""
        total = self.embed_code(codes[:, 0])
        for i, table in enumerate(self.code_predictor.model.codec_embedding):
            total = total + table(codes[:, i + 1])
        return total

    def make_cache(self, start: mx.array | None = None) -> list[KVCache]:
        """Empty caches, one a layer; they belong to the caller and die with its utterance."""
        return [KVCache(start) for _ in self.model.layers]

    def __call__(self, x: mx.array, caches: list[KVCache]) -> tuple[mx.array, mx.array]:
        """[B, L, D] -> logits of the last position [B, V] and its normed hidden state [B, D]"""
        hidden = self.model(x, caches)[:, -1]
        return self.codec_head(hidden), hidden

    def make_row(self) -> RowCaches:
        """The empty cache of one row, as `read_row` and `step_rows` take it."""
        return self.make_cache() if self._rows is None else self._rows.make_cache()

    def read_row(self, x: mx.array, cache: RowCaches) -> list[mx.array]:
        """Have one row read its next positions [L, D]. Returns what is to be waited for."""
        if isinstance(cache, RowCache):
            assert self._rows is not None
            self._rows.read(np.array(x), cache)
            return []
        layers = alone(cache)
        self.model(x[None], layers)
        return [layer.kv for layer in layers if layer.kv is not None]

    def step_rows(self, x: mx.array, rows: Sequence[RowCaches]) -> tuple[mx.array, mx.array]:
        """[B, 1, D], the caches of each row -> logits [B, V] and hidden states [B, D], on the CPU."""
        if self._rows is None:
            hidden = self.model.decode_rows(x, [alone(own) for own in rows if not isinstance(own, RowCache)])[:, -1]
        else:
            own = [own for own in rows if isinstance(own, RowCache)]
            hidden = mx.array(self._rows.step(np.array(x[:, 0]), own))
        return self.codec_head(hidden), hidden

    def fuse_projections(self) -> None:
        """Put products of one input side by side; the numbers stay the same."""
        self.model.fuse_projections()
        self.code_predictor.model.fuse_projections()
        expand_for_prompts(self.text_projection)
