"""NVIDIA's archives of a model and of its codec, .nemo or .gguf -> a folder of plain files that this program loads.

The folder has config.json (the archive's YAML with a `model_type` of ours; NeMo's is kept as `decoder_model_type`),
model.safetensors, codec/, and text/ with the dictionaries and frozen tables of symbols.

A model's GGUF keeps NeMo's names; convolutions of its feed-forward layers are stored tap by tap (`NAME.k0`, `NAME.k1`),
and the config stands in the settings. The codec's has its decoder alone, short names, and weights with their norm
multiplied in. A model's GGUF without a config, names verbatim and convolutions whole, is read where
`model_config.yaml` lies next to it. No GGUF holds dictionaries: they are the files of the unpacked archive, next to it
or in a folder there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.checkpoints.gguf import GgufFile, read_gguf
from mlx_tts.checkpoints.nemo_archive import ARTIFACT, CONFIG, NemoArchive, open_nemo, read_yaml
from mlx_tts.errors import ModelError
from mlx_tts.files import budget
from mlx_tts.files.reading import UnreadableFileError, parse_json, read_bytes
from mlx_tts.files.writing import atomic_folder
from mlx_tts.models.magpie.checkpoint import check_fit
from mlx_tts.models.magpie.codec.weights import DECODER, DIRECTION, NORM, TRAINING
from mlx_tts.models.magpie.config import MODEL_TYPE, codec_config, model_config
from mlx_tts.models.magpie.text.tokenizer import TABLES, Tokenizers
from mlx_tts.models.magpie.weights import DROPPED
from mlx_tts.shortened import shown

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
GGUF = ".gguf"


@dataclass(frozen=True)
class GgufSource:
    """A GGUF with the members of `NemoArchive` that `import_archives` asks for."""

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
                raise ModelError(f"{self.source} has not every tap of {shown(name)}: fetch it again")
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


Source = NemoArchive | GgufSource


def open_gguf(path: Path) -> GgufSource:
    """Read a file's settings; ModelError for one of another kind."""
    file = read_gguf(path)
    kind = file.settings.get(ARCHITECTURE)
    if kind not in CONFIGS:
        told = ", ".join(CONFIGS)
        raise ModelError(
            f"{path} is a GGUF of {shown(str(kind), 40)}; read are {told}: use the .nemo of model and codec"
        )
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
        raise ModelError(f"the config of {path} names a file outside of its folder ({shown(name, 80)}): fetch it again")
    folders = (path.parent, *sorted(entry for entry in path.parent.iterdir() if entry.is_dir()))
    for folder in folders:
        try:
            return read_bytes(folder / name, int(budget.DICTIONARY_BYTES.most))
        except FileNotFoundError:
            continue
        except UnreadableFileError as error:
            raise ModelError(f"{folder / name} {error}: unpack the .nemo next to {path.name} again") from None
    raise ModelError(f"{path.parent} has no {shown(name, 80)}, which no GGUF holds: unpack the model's .nemo into it")


def _codec_name(short: str, where: Path) -> str:
    for pattern, name in CODEC_NAMES:
        if re.fullmatch(pattern, short):
            return re.sub(pattern, name, short)
    raise ModelError(f"{where} has a tensor {shown(short, 80)} that no codec of this model has: use the codec's .nemo")


def _grouped(value: np.ndarray, short: str, where: Path) -> np.ndarray:
    """[in, out, k] of an upsampling in which two inputs make an output, written out with zeros -> [in, 1, k]"""
    inputs, outputs, _ = value.shape
    own = np.arange(inputs)
    if inputs != 2 * outputs or np.count_nonzero(value) != np.count_nonzero(value[own, own // 2]):
        raise ModelError(
            f"{where} has {shown(short, 80)} of another form than the released codec: use the codec's .nemo"
        )
    return value[own, own // 2][:, None]


def import_archives(paths: Iterable[Path], destination: Path, log: Callable[[str], None]) -> None:
    """Write the checkpoint; `destination` appears only when it is whole. ModelError for what is refused."""
    with ExitStack() as opened:
        archives = [
            open_gguf(path) if path.suffix == GGUF else opened.enter_context(open_nemo(path)) for path in sorted(paths)
        ]
        model = _the_one(archives, "text_tokenizers", "a model")
        codec = _the_one(archives, "audio_decoder", "its codec")
        config = {"model_type": MODEL_TYPE, "decoder_model_type": model.config.get("model_type")}
        config |= {name: value for name, value in model.config.items() if name != "model_type"}
        _check(model, codec, config)
        with atomic_folder(destination) as folder:
            (folder / "text").mkdir()
            (folder / "codec").mkdir()
            _write_text(model, config, folder / "text")
            _write_json(folder / "config.json", config)
            _write_json(folder / "codec" / "config.json", codec.config)
            log(f"writing {destination}")
            _write_tensors(model, folder, lambda name: not DROPPED.fullmatch(name))
            _write_tensors(codec, folder / "codec", lambda name: not name.startswith(TRAINING))


def _the_one(archives: list[Source], entry: str, what: str) -> Source:
    """The archive of the model or of the codec. A GGUF next to an archive of the same is left out: it rounds more."""
    found = [archive for archive in archives if entry in archive.config]
    whole = [archive for archive in found if archive.source.suffix != GGUF]
    if len(found) > len(whole) == 1:
        found = whole
    if len(found) != 1:
        names = ", ".join(archive.source.name for archive in archives) or "none"
        raise ModelError(f"there must be one archive of {what} next to the other, {len(found)} are there (of {names})")
    return found[0]


def _check(model: Source, codec: Source, config: dict[str, Any]) -> None:
    """Refuse what would not load, before anything is written."""
    codec_settings = codec_config(codec.config, codec.source)
    settings = model_config(config, model.source, codec_settings)
    shapes = {name: value.shape for name, value in model.tensors.items()}
    check_fit(settings, codec_settings, shapes, model.source.parent)
    rows = shapes["text_embedding.weight"][0] if "text_embedding.weight" in shapes else None
    tokenizers = Tokenizers(settings.text_tokenizers, settings.languages, model.read, rows, settings.nemo_version)
    tokenizers.offsets  # noqa: B018 (they are checked against the rows of the weights)
    if not codec.tensors:
        raise ModelError(f"{codec.source} has no weights: fetch it again")


def _write_text(model: Source, config: dict[str, Any], folder: Path) -> None:
    """The files that the config names, under their own names, and the tables of symbols."""
    for name in sorted(_artifacts(config)):
        plain = name.removeprefix(ARTIFACT)
        (folder / plain).write_bytes(model.read(plain))  # members' names are plain: nemo_archive refuses others
    tokenizers = Tokenizers(
        config["text_tokenizers"], {}, model.read, None, nemo_version=str(config.get("nemo_version", ""))
    )
    _write_json(folder / TABLES, tokenizers.frozen())


def _artifacts(value: Any) -> set[str]:
    """Every `nemo:NAME` in a config, at any depth."""
    if isinstance(value, dict):
        return set().union(*map(_artifacts, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(_artifacts, value)) if value else set()
    return {value} if isinstance(value, str) and value.startswith(ARTIFACT) else set()


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False), encoding="utf-8")


def _write_tensors(archive: Source, folder: Path, kept: Callable[[str], bool]) -> None:
    from safetensors.numpy import save_file

    tensors = {name: np.ascontiguousarray(value) for name, value in archive.tensors.items() if kept(name)}
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
