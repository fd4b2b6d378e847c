"""Ids in, rows of an embedding table out, of a table that stays in its file: no byte of the other rows is read."""

from __future__ import annotations

import json
import os
import struct
import weakref
from collections import OrderedDict
from pathlib import Path

import mlx.core as mx
import numpy as np
from mlx import nn

from mlx_tts.checkpoints.tensors import TensorFile
from mlx_tts.errors import ModelError

KEPT_BYTES = 4 << 20  # of rows that were read last: each reading lets other threads in, and waits for them


class StoredTensor:
    """The rows of one tensor of a safetensors file. It is read, not mapped: the pages around a mapped row would count
    as the process's own. The file stays open, so that rows and weights are of one file even if it is replaced."""

    def __init__(self, path: Path, name: str, tensor: mx.array):
        self.path, self.name, self.dtype = path, name, tensor.dtype
        self.rows, *self.shape = tensor.shape
        self.row_bytes = tensor.nbytes // max(1, self.rows)
        self.descriptor = os.open(path, os.O_RDONLY)
        weakref.finalize(self, os.close, self.descriptor)
        (header_bytes,) = struct.unpack("<Q", os.pread(self.descriptor, 8, 0))
        header = json.loads(os.pread(self.descriptor, header_bytes, 8))
        self.begin = 8 + header_bytes + header[name]["data_offsets"][0]
        self._kept: OrderedDict[int, bytes] = OrderedDict()

    def __getitem__(self, ids: np.ndarray) -> mx.array:
        """[...] ids -> [..., *shape of a row]"""
        data = b"".join(map(self._row, ids.ravel().tolist()))
        if len(data) != ids.size * self.row_bytes:
            raise ModelError(f"{self.path} ends inside {self.name}: fetch or copy it again")
        # numpy has no bfloat16, so bits travel as integers of the same size
        bits = np.frombuffer(data, f"<u{self.dtype.size}").reshape(*ids.shape, *self.shape)
        return mx.array(bits).view(self.dtype)

    def _row(self, number: int) -> bytes:
        row = self._kept.pop(number, None)
        if row is None:
            row = os.pread(self.descriptor, self.row_bytes, self.begin + number * self.row_bytes)
        self._kept[number] = row
        if len(self._kept) * self.row_bytes > KEPT_BYTES:
            self._kept.popitem(last=False)
        return row


class StoredEmbedding:
    """Computes what the `nn.Embedding` or `nn.QuantizedEmbedding` in whose place it stands does, number for number.

    No module: it has no parameters, so nothing evaluates, casts or counts the table.
    """

    def __init__(self, table: nn.Module, name: str, file: TensorFile):
        """table: checked against the file, where its parameters are called `name` and their own names."""
        self.parts = {
            part: StoredTensor(file.sources[f"{name}.{part}"], f"{name}.{part}", value)
            for part, value in table.parameters().items()
        }
        self.format = None
        if isinstance(table, nn.QuantizedEmbedding):
            self.format = table.group_size, table.bits, table.mode

    def __call__(self, ids: mx.array) -> mx.array:
        """[...] -> [..., D]"""
        wanted = np.asarray(ids)
        rows = self.parts["weight"].rows
        unexpected = wanted[(wanted < 0) | (wanted >= rows)]
        if unexpected.size:
            raise ModelError(
                f"the tokenizer gives text id {unexpected[0]}, the table has {rows} rows: fetch the checkpoint again"
            )
        found = {part: tensor[wanted] for part, tensor in self.parts.items()}
        if self.format is None:
            return found["weight"]
        return mx.dequantize(found["weight"], found["scales"], found.get("biases"), *self.format)
