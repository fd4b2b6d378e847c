"""The code predictor for rows on the CPU, by NumPy alone, where it is small: a frame in half of MLX's time there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.generation.sampling import CodeSampling, sample_on_host
from mlx_tts.nn.row_steps import RowSteps, product


class CodeRows:
    """What `CodePredictor.__call__` computes. A row has the codes that it has alone."""

    def __init__(
        self,
        steps: RowSteps,
        heads: Sequence[nn.Module],
        tables: Sequence[nn.Module],
        vocabulary: int,
        project: Callable[[mx.array], mx.array],
    ):
        """heads: products; tables: embeddings, as `project` takes them."""
        self._steps, self._project = steps, project
        self._heads = [np.asarray(head.weight) for head in heads]
        embedded = [table(mx.arange(vocabulary)).astype(mx.float32) for table in tables]
        self._tables = [np.array(table) for table in embedded]  # plain: to expand a row costs more than all of the rest
        projects = project(embedded[0]) is not embedded[0]
        self._inputs = [np.array(project(table)) for table in embedded[:-1]] if projects else self._tables[:-1]

    def __call__(
        self, hidden: mx.array, first_embedding: mx.array, noise: mx.array | None, how: CodeSampling
    ) -> tuple[mx.array, mx.array]:
        wanted = [self._project(hidden), self._project(first_embedding), first_embedding]
        mx.eval(wanted, *([] if noise is None else [noise]))
        before, x, total = map(np.array, wanted)
        noises = None if noise is None else np.asarray(noise).reshape(len(x), len(self._heads), -1)
        self._steps.begin(len(x))
        codes = []
        self._steps(before)
        for at, (head, table) in enumerate(zip(self._heads, self._tables, strict=True)):
            codes.append(sample_on_host(product(self._steps(x), head), None if noises is None else noises[:, at], how))
            total += table[codes[-1]]
            if at < len(self._inputs):
                x = self._inputs[at][codes[-1]]
        return mx.array(np.stack(codes, axis=1).astype(np.uint32)), mx.array(total)
