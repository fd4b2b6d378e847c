"""NVIDIA's GGUF files of a model and of its codec -> the same config and tensors, by the names, as the archives have.

The model's keeps NeMo's names; convolutions of its feed-forward layers are stored tap by tap (`NAME.k0`, `NAME.k1`),
and the config stands in the settings. The codec's has its decoder alone, short names, and weights with their norm
multiplied in. A model's GGUF without a config, names verbatim and convolutions whole, is read where
`model_config.yaml` lies next to it. No GGUF holds dictionaries: they are the files of the unpacked archive, next to it
or in a folder there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.checkpoints.gguf import GgufFile, read_gguf
from mlx_tts.checkpoints.nemo_archive import ARTIFACT, CONFIG, MOST_ARTIFACT_BYTES, read_yaml
from mlx_tts.errors import ModelError
from mlx_tts.files.reading import UnreadableFileError, parse_json, read_bytes
from mlx_tts.models.magpie.codec.weights import DECODER, DIRECTION, NORM

ARCHITECTURE = "general.architecture"
CONFIGS = {"magpietts": "magpietts.config_json", "nemo-nano-codec": "nano_codec.config_json", "magpie": None}
CODEC = "nemo-nano-codec"
TAP = re.compile(r"(.+\.weight)\.k(\d{1,3})")
# Short names of the codec's tensors and NeMo's. What a program works out by itself has no name of NeMo.
BLOCKS = r"res_layers.\1.res_blocks.\2.res_blocks.\3."
CODEC_NAMES = (
    (r"dec\.(pre|post)\.([wb])", r"\1_conv.conv.\2"),
    (r"dec\.post_act\.alpha", "post_activation.activation.snake_act.alpha"),
    (r"dec\.act\.(\d+)\.alpha", r"activations.\1.activation.snake_act.alpha"),
    (r"dec\.up\.(\d+)\.([wb])", r"up_sample_conv_layers.\1.conv.\2"),
    (r"dec\.res\.(\d+)\.(\d+)\.(\d+)\.ia\.alpha", BLOCKS + "input_activation.activation.snake_act.alpha"),
    (r"dec\.res\.(\d+)\.(\d+)\.(\d+)\.sa\.alpha", BLOCKS + "skip_activation.activation.snake_act.alpha"),
    (r"dec\.res\.(\d+)\.(\d+)\.(\d+)\.ic\.([wb])", BLOCKS + r"input_conv.conv.\4"),
    (r"dec\.res\.(\d+)\.(\d+)\.(\d+)\.sc\.([wb])", BLOCKS + r"skip_conv.conv.\4"),
)
WORKED_OUT = re.compile(r"q\..*|.*\.alpha_inv")
UPSAMPLING = "up_sample_conv_layers."


@dataclass(frozen=True)
class GgufSource:
    """As `NemoArchive` for what imports a checkpoint."""

    file: GgufFile
    config: dict[str, Any] = field(repr=False)

    @property
    def source(self) -> Path:
        return self.file.path

    @cached_property
    def tensors(self) -> dict[str, np.ndarray]:
        """All tensors by NeMo's names."""
        try:
            return self._codec() if self.file.settings[ARCHITECTURE] == CODEC else self._model()
        except (ValueError, IndexError) as error:
            raise ModelError(f"{self.source} has tensors of other shapes ({error}): use the .nemo") from None

    def read(self, name: str) -> bytes:
        """The bytes of a dictionary, which lies next to the file or in a folder there."""
        return read_next_to(self.source, name.removeprefix(ARTIFACT))

    def _model(self) -> dict[str, np.ndarray]:
        tensors: dict[str, np.ndarray] = {}
        taps: dict[str, dict[int, np.ndarray]] = {}
        for name in self.file.names:
            if tap := TAP.fullmatch(name):
                taps.setdefault(tap[1], {})[int(tap[2])] = self.file.tensor(name)
            else:
                tensors[name] = self.file.tensor(name)
        for name, own in taps.items():
            if name in tensors or sorted(own) != list(range(len(own))):
                raise ModelError(f"{self.source} has not every tap of {name!r}: fetch it again")
            tensors[name] = np.stack([own[at] for at in range(len(own))], axis=-1)
        return tensors

    def _codec(self) -> dict[str, np.ndarray]:
        tensors: dict[str, np.ndarray] = {}
        for short in self.file.names:
            if WORKED_OUT.fullmatch(short):
                continue
            name, value = _codec_name(short, self.source), self.file.tensor(short).astype(np.float32)
            if name.endswith(".b"):
                tensors[f"{DECODER}{name[:-2]}.bias"] = value.reshape(-1)
            elif name.endswith(".w"):
                value = _grouped(value, short, self.source) if name.startswith(UPSAMPLING) else value
                norm = np.sqrt(np.square(value).sum(axis=(1, 2), keepdims=True))
                stem = f"{DECODER}{name[:-2]}"
                tensors[stem + NORM] = norm
                tensors[stem + DIRECTION] = np.where(norm > 0, value, 1)  # zeros have no direction, and no norm
            else:
                tensors[DECODER + name] = value
        return tensors


def open_gguf(path: Path) -> GgufSource:
    """Read a file's settings; ModelError for one of another kind."""
    file = read_gguf(path)
    kind = file.settings.get(ARCHITECTURE)
    if kind not in CONFIGS:
        told = ", ".join(CONFIGS)
        raise ModelError(f"{path} is a GGUF of {str(kind)[:40]!r}; read are {told}: use the .nemo of model and codec")
    key = CONFIGS[kind]
    if key is None or key not in file.settings:
        return GgufSource(file, read_yaml(read_next_to(path, CONFIG), path.parent / CONFIG))
    try:
        config = parse_json(str(file.settings[key]))
    except UnreadableFileError as error:
        raise ModelError(f"{path} has a config that {error}: fetch it again") from None
    if not isinstance(config, dict):
        raise ModelError(f"{path} has a config that holds no settings: fetch it again")
    return GgufSource(file, config)


def read_next_to(path: Path, name: str) -> bytes:
    """A file of the unpacked archive, in the folder of `path` or in one right below it."""
    if Path(name).name != name or name in ("", ".", "..") or not name.isprintable() or "\\" in name:
        raise ModelError(f"the config of {path} names a file outside of its folder ({name[:80]!r}): fetch it again")
    folders = (path.parent, *sorted(entry for entry in path.parent.iterdir() if entry.is_dir()))
    for folder in folders:
        try:
            return read_bytes(folder / name, MOST_ARTIFACT_BYTES)
        except FileNotFoundError:
            continue
        except UnreadableFileError as error:
            raise ModelError(f"{folder / name} {error}: unpack the .nemo next to {path.name} again") from None
    raise ModelError(f"{path.parent} has no {name[:80]!r}, which no GGUF holds: unpack the model's .nemo into it")


def _codec_name(short: str, where: Path) -> str:
    for pattern, name in CODEC_NAMES:
        if re.fullmatch(pattern, short):
            return re.sub(pattern, name, short)
    raise ModelError(f"{where} has a tensor {short[:80]!r} that no codec of this model has: use the codec's .nemo")


def _grouped(value: np.ndarray, short: str, where: Path) -> np.ndarray:
    """[in, out, k] of an upsampling in which two inputs make an output, written out with zeros -> [in, 1, k]"""
    inputs, outputs, _ = value.shape
    own = np.arange(inputs)
    if inputs != 2 * outputs or np.count_nonzero(value) != np.count_nonzero(value[own, own // 2]):
        raise ModelError(f"{where} has {short[:80]!r} of another form than the released codec: use the codec's .nemo")
    return value[own, own // 2][:, None]
