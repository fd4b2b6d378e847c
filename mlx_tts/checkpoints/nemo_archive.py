"""A .nemo archive -> its config, artifacts and tensors. Nothing of it is run, and nothing is unpacked by name."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from mlx_tts.checkpoints.torch_zip import read_torch_zip
from mlx_tts.errors import ModelError
from mlx_tts.files import budget
from mlx_tts.shortened import reason_of, shown

CONFIG, WEIGHTS = "model_config.yaml", "model_weights.ckpt"
ARTIFACT = "nemo:"  # begins the config's references to other members
MOST_REASON = 160  # characters of what is wrong with a config
EXPANSION_FLOOR = 64_000_000
BLOCK = 1 << 20


@dataclass(frozen=True)
class NemoArchive:
    """path: the tar, not compressed. members: name -> where its bytes stand. The last member of a name counts."""

    source: Path
    path: Path
    members: dict[str, tuple[int, int]]
    config: dict[str, Any] = field(repr=False)

    def read(self, name: str) -> bytes:
        """The bytes of an artifact; name: as the config has it, with or without `nemo:`."""
        name = name.removeprefix(ARTIFACT)
        if name not in self.members:
            raise ModelError(f"{self.source} has no {shown(name, 80)}, which its config names: fetch it again")
        start, size = self.members[name]
        if size > budget.DICTIONARY_BYTES.allowed:
            raise ModelError(budget.DICTIONARY_BYTES.refusal(self.source))
        with self.path.open("rb") as file:
            file.seek(start)
            return file.read(size)

    @cached_property
    def tensors(self) -> dict[str, np.ndarray]:
        """All tensors by name, mapped from the archive."""
        if WEIGHTS not in self.members:
            raise ModelError(f"{self.source} has no {WEIGHTS}: fetch it again")
        try:
            return read_torch_zip(self.path, *self.members[WEIGHTS])
        except ModelError as error:
            raise ModelError(str(error).replace(str(self.path), str(self.source))) from None


@contextmanager
def open_nemo(path: Path) -> Iterator[NemoArchive]:
    """Open an archive, expanded to a temporary file first where it is compressed. ModelError for what is not one."""
    with TemporaryDirectory(prefix="mlx-tts-") as scratch:
        plain = _expanded(path, Path(scratch))
        members = _members(path, plain)
        if CONFIG not in members or members[CONFIG][1] > budget.YAML_BYTES.allowed:
            raise ModelError(f"{path} has no {CONFIG} of an ordinary size: fetch it again")
        start, size = members[CONFIG]
        with plain.open("rb") as file:
            file.seek(start)
            config = read_yaml(file.read(size), path)
        yield NemoArchive(path, plain, members, config)


def _expanded(path: Path, scratch: Path) -> Path:
    """The path itself, or that of its content where it is a gzip."""
    try:
        with path.open("rb") as file:
            if file.read(2) != b"\x1f\x8b":
                return path
        most = path.stat().st_size * budget.NEMO_RATIO.allowed + EXPANSION_FLOOR
        target, written = scratch / "archive.tar", 0
        with gzip.open(path) as packed, target.open("wb") as out:
            while block := packed.read(BLOCK):
                written += len(block)
                if written > most:
                    raise ModelError(budget.NEMO_RATIO.refusal(path))
                out.write(block)
        return target
    except (OSError, EOFError, zlib.error) as error:
        raise ModelError(f"{path} cannot be read ({error}): fetch it again") from None


def _members(source: Path, plain: Path) -> dict[str, tuple[int, int]]:
    members: dict[str, tuple[int, int]] = {}
    size, count = plain.stat().st_size, 0
    try:
        with tarfile.open(plain, "r:") as tar:
            for member in tar:
                count += 1
                if count > budget.NEMO_MEMBERS.allowed:
                    raise ModelError(budget.NEMO_MEMBERS.refusal(source))
                name = member.name.removeprefix("./")
                if member.isdir() and name in (".", ""):
                    continue
                plain_file = member.isreg() and not member.issparse() and member.offset_data + member.size <= size
                if not plain_file or member.size < 0 or not _is_plain(name):
                    raise ModelError(
                        f"{source} has a member {shown(member.name, 80)} that no model has: fetch it again"
                    )
                members[name] = (member.offset_data, member.size)
    except (tarfile.TarError, OSError, EOFError, ValueError, OverflowError, MemoryError, RecursionError) as error:
        raise ModelError(f"{source} is not a whole archive ({reason_of(error, 80)}): fetch it again") from None
    return members


def _is_plain(name: str) -> bool:
    """Whether a name is that of a file at the top of the archive, and cannot lead to another folder on any system."""
    return bool(name) and name not in (".", "..") and name.isprintable() and not set(name) & set('/\\:*?"<>|')


def read_yaml(data: bytes, where: Path) -> dict[str, Any]:
    """The mapping in a YAML document, of plain values alone; ModelError for anything else."""
    import yaml

    try:
        text = data.decode("utf-8")
        _check_yaml(text)
        config = yaml.load(text, _yaml_loader())
        plain = _plain(config, [budget.YAML_NODES.allowed])
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, TypeError, RecursionError, OverflowError) as error:
        reason = reason_of(error, MOST_REASON)
        raise ModelError(f"{where} has a damaged {CONFIG} ({reason}): fetch it again") from None
    if not isinstance(plain, dict):
        raise ModelError(f"{where} has a {CONFIG} that holds no settings: fetch it again")
    return plain


def _yaml_loader() -> Any:
    """PyYAML's own is ten times slower, and not every system has the other."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _check_yaml(text: str) -> None:
    """ValueError for what takes long to build though it is short: many or deep nodes, merged mappings, long numbers."""
    import yaml

    depth = nodes = 0
    for event in yaml.parse(text, _yaml_loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        nodes += isinstance(event, yaml.NodeEvent)
        budget.YAML_NODES.check_value(nodes)
        budget.YAML_DEPTH.check_value(depth)
        if isinstance(event, yaml.ScalarEvent) and event.implicit[0]:
            if event.value == "<<":
                raise ValueError("merged mappings, which no config has")
            budget.YAML_PLAIN_CHARACTERS.check_value(len(event.value))


def _plain(value: Any, left: list[int]) -> Any:
    """A copy with aliases expanded, so that it can be written as JSON."""
    left[0] -= 1
    if left[0] < 0:
        raise ValueError(budget.YAML_NODES.refusal())
    if isinstance(value, dict):
        return {_key(key): _plain(entry, left) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry, left) for entry in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise ValueError(f"a {type(value).__name__} in it")


def _key(key: Any) -> str:
    if not isinstance(key, (str, int)):
        raise ValueError("a key that is not a name")
    return str(key)
