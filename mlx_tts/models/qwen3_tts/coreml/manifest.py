"""coreml.json in, what it says of a folder of packages out; and the tables that the engine reads from the packages."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.checkpoints.config_fields import read_fields, read_json
from mlx_tts.errors import ModelError
from mlx_tts.export.coreml.packages import MANIFEST, blob_file, model_file
from mlx_tts.nn.activations import silu
from mlx_tts.shortened import shown

FORMAT = 1  # of the packages and of this file; raise it when an older reader would go wrong
CODEC_TABLE = "codec_table.npy"


@dataclass(frozen=True)
class Manifest:
    """packages: name -> bytes of its program and of its weights. parts: of the code decoder. heads: of the code
    predictor, names of outputs and which heads are in each. tables: name -> where its numbers lie in a package."""

    format: int
    source: str
    revision: str
    half: bool
    norm: str
    bits: int
    context: int
    parts: int
    heads: dict
    packages: dict
    tables: dict

    @property
    def code_decoder(self) -> list[str]:
        """The packages that hold the talker's layers, in order."""
        return [f"{name}.mlpackage" for name in decoder_names(self.parts)]

    def write(self, folder: Path) -> None:
        (folder / MANIFEST).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")


def decoder_names(parts: int) -> list[str]:
    return ["CodeDecoder"] if parts == 1 else [f"CodeDecoder{at + 1}" for at in range(parts)]


def package_bytes(package: Path) -> list[int]:
    return [model_file(package).stat().st_size, blob_file(package).stat().st_size]


def read_manifest(folder: Path) -> Manifest:
    """ModelError for a folder that is none, of another version, or not whole."""
    if not (folder / MANIFEST).is_file():
        raise ModelError(
            f"{folder} has no {MANIFEST}: `mlx-tts convert MODEL DEST --format coreml` makes a folder for this engine"
        )
    data = read_json(folder / MANIFEST)
    if data.get("format") != FORMAT:
        raise ModelError(
            f"{folder / MANIFEST} is of format {shown(data.get('format'))}, this version reads {FORMAT}: "
            f"convert the model again"
        )
    manifest = read_fields(Manifest, data, str(folder / MANIFEST))
    for name, sizes in manifest.packages.items():
        try:
            fits = package_bytes(folder / name) == list(sizes)
        except OSError:
            fits = False
        if not fits:
            raise ModelError(f"{folder / name} is not as it was made (missing or cut short): convert the model again")
    return manifest


class Tables:
    """The embedding tables of a folder, mapped from the packages: a row costs less than a call. Sums are float32."""

    def __init__(self, folder: Path, manifest: Manifest):
        self._stored = {name: _mapped(folder, where) for name, where in manifest.tables.items()}
        self._codebook = int(manifest.heads["vocabulary"])

    def embed_text(self, ids: mx.array) -> mx.array:
        """[L] text ids -> [L, D]"""
        x = mx.array(self._rows("text", np.asarray(ids)))
        for name in ("fc1", "fc2"):
            weight, bias = (np.asarray(self._stored[f"{name}_{part}"], np.float32) for part in ("weight", "bias"))
            x = x @ mx.array(weight.reshape(weight.shape[:2]).T) + mx.array(bias)
            x = silu(x) if name == "fc1" else x
        return x

    def embed_code(self, ids: mx.array) -> mx.array:
        """[...] first codes or control ids -> [..., D]"""
        return mx.array(self._rows("code", np.asarray(ids)))

    def embed_frames(self, codes: mx.array) -> mx.array:
        """[T, K] codes -> [T, D]"""
        rows = np.asarray(codes)
        total = self._rows("code", rows[:, 0])
        for at in range(rows.shape[1] - 1):
            total = total + self.rest_code(at, rows[:, at + 1])
        return mx.array(total)

    def rest_code(self, at: int, code: Any) -> NDArray[np.float32]:
        """[...] codes of codebook at + 1 -> [..., D]"""
        return self._rows("rest", np.asarray(code) + at * self._codebook)

    def _rows(self, name: str, ids: NDArray[Any]) -> NDArray[np.float32]:
        table = self._stored[name]
        if ids.size and not 0 <= ids.min() <= ids.max() < len(table):
            raise ModelError(f"id {ids.max()} is beyond the table {name} of {len(table)} rows: convert the model again")
        return np.asarray(table[ids], np.float32)


def _mapped(folder: Path, where: dict[str, Any]) -> NDArray[Any]:
    path = blob_file(folder / where["package"])
    shape, offset, dtype = tuple(where["shape"]), where["offset"], np.dtype(where["dtype"])
    try:
        return np.memmap(path, dtype, "r", offset, shape)
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"{path} holds no table of {shape} at {offset} ({error}): convert the model again") from None
