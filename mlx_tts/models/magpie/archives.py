"""NVIDIA's archives of a model and of its codec, .nemo or .gguf -> a folder of plain files that this program loads.

The folder has config.json (the archive's YAML with a `model_type` of ours; NeMo's is kept as `decoder_model_type`),
model.safetensors, codec/, and text/ with the dictionaries and frozen tables of symbols.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from mlx_tts.checkpoints.nemo_archive import ARTIFACT, NemoArchive, open_nemo
from mlx_tts.errors import ModelError
from mlx_tts.files.writing import atomic_folder
from mlx_tts.models.magpie.checkpoint import check_fit
from mlx_tts.models.magpie.codec.weights import TRAINING
from mlx_tts.models.magpie.config import MODEL_TYPE, codec_config, model_config
from mlx_tts.models.magpie.gguf import GgufSource, open_gguf
from mlx_tts.models.magpie.text.tokenizers import TABLES, Tokenizers
from mlx_tts.models.magpie.weights import DROPPED

GGUF = ".gguf"
Source = NemoArchive | GgufSource


def import_archives(paths: Iterable[Path], destination: Path, log: Callable[[str], None]) -> None:
    """Write the checkpoint; `destination` appears only when it is whole. ModelError for what is refused."""
    with ExitStack() as opened:
        archives = [_opened(path, opened) for path in sorted(paths)]
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


def _opened(path: Path, opened: ExitStack) -> Source:
    return open_gguf(path) if path.suffix == GGUF else opened.enter_context(open_nemo(path))


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
    _check_codec(codec)


def _check_codec(codec: Source) -> None:
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
