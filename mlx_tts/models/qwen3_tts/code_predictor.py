"""A talker hidden state and its first code in, the frame's other codes out: the small transformer."""

from __future__ import annotations

import mlx.core as mx
from mlx import nn

from mlx_tts.generation.sampling import CodeSampling, sample
from mlx_tts.models.qwen3_tts.config import CodePredictorConfig
from mlx_tts.nn.cache import KVCache
from mlx_tts.nn.transformer import Transformer


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

    def project(self, x: mx.array) -> mx.array:
        """[B, L, talker width] -> [B, L, D]; nothing to do where the widths are equal."""
        return self.small_to_mtp_projection(x) if "small_to_mtp_projection" in self else x

    def __call__(
        self, hidden: mx.array, first_embedding: mx.array, noise: mx.array | None, how: CodeSampling
    ) -> tuple[mx.array, mx.array]:
        """Draw codes 1 to K-1 of a frame.

        hidden, first_embedding: [B, talker width], the talker's normed state and the embedding of code 0.
        noise: [B, (K-1) * V] Gumbel noise, or None where all rows are greedy.
        Returns codes [B, K-1] and the sum of the embeddings of all K codes [B, talker width].
        """
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
        return mx.stack(codes, axis=1), total
