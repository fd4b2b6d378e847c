"""What a family of models is, and the list of the built-in ones. Folder -> opened checkpoint; checkpoint -> model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from mlx_tts.checkpoints.config_fields import as_model_error, read_json, told
from mlx_tts.errors import ModelError, RequestError
from mlx_tts.export.coreml.packages import MANIFEST
from mlx_tts.shortened import reason_of, shown

if TYPE_CHECKING:
    from mlx_tts.generation.synthesizer import Synthesizer
    from mlx_tts.models.convert_options import ConvertOptions
    from mlx_tts.speech import Capabilities, CheckedRequest, ModelInfo, SpeechRequest

Log = Callable[[str], None]
# name -> "module:value" of the family. Modules are imported when a checkpoint asks for them.
FAMILIES = {
    "qwen3_tts": "mlx_tts.models.qwen3_tts.family:FAMILY",
    "magpie": "mlx_tts.models.magpie.family:FAMILY",
    "voxcpm2": "mlx_tts.models.voxcpm2.family:FAMILY",
    "kokoro": "mlx_tts.models.kokoro.family:FAMILY",
}
GROUP = "mlx_tts.families"  # of entry points, by which other packages bring families: NAME = "module:FAMILY"


def value_at(place: str) -> Any:
    """The value of "module:name"; the module is imported now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True)
class LazyFamily:
    """A `Family` of the usual layout, whose parts are imported when they are needed: its package has checkpoint.py
    (open_checkpoint, KINDS), check.py (check_request), synthesizer.py (load) and, where it has them, conversion.py
    (convert), archives.py (import_archives) and coreml/ (see `LazyCoreML`).

    model_types: what config.json says in checkpoints of this family. The patterns of files are those of Family.
    """

    name: str
    package: str
    small_files: tuple[str, ...]
    described_by: tuple[str, ...]
    weights: tuple[str, ...]
    archives: tuple[str, ...] = ()
    model_types: tuple[str, ...] = ()

    def recognises(self, config: Mapping[str, Any]) -> bool:
        return config.get("model_type") in self.model_types

    def missing_files(self, folder: Path) -> list[str]:
        return [name for name in (*self.described_by, *self.weights) if not (folder / name).is_file()]

    def open(self, folder: Path, config: dict[str, Any]) -> Any:
        return self._part("checkpoint:open_checkpoint")(folder, config)

    def can(self, kind: str) -> Capabilities | None:
        return self._part("checkpoint:KINDS").get(kind)  # type: ignore[no-any-return]

    def check(self, checkpoint: Any, request: SpeechRequest) -> CheckedRequest:
        return self._part("check:check_request")(checkpoint, request)  # type: ignore[no-any-return]

    def load(self, checkpoint: Any, *, dtype: str | None, log: Log) -> Synthesizer:
        return self._part("synthesizer:load")(checkpoint, dtype=dtype, log=log)  # type: ignore[no-any-return]

    def unpack(self, archives: list[Path], destination: Path, *, log: Log) -> None:
        self._part("archives:import_archives")(archives, destination, log)

    def convert(self, source: Any, destination: Path, options: ConvertOptions, log: Log) -> str | None:
        if not find_spec(f"{self.package}.conversion"):
            raise _not_converted(self.name)
        return self._part("conversion:convert")(source, destination, options, log)  # type: ignore[no-any-return]

    @property
    def coreml_form(self) -> CoreMLForm | None:
        return LazyCoreML(f"{self.package}.coreml") if find_spec(f"{self.package}.coreml") else None

    def _part(self, place: str) -> Any:
        return value_at(f"{self.package}.{place}")


@dataclass(frozen=True)
class LazyCoreML:
    """A `CoreMLForm` whose package has conversion.py (convert) and engine.py (load, examine)."""

    package: str

    def convert(self, source: Any, destination: Path, options: ConvertOptions, log: Log) -> list[list[str]]:
        return value_at(f"{self.package}.conversion:convert")(source, destination, options, log)  # type: ignore[no-any-return]

    def load(self, checkpoint: Any, *, log: Log) -> Synthesizer:
        return value_at(f"{self.package}.engine:load")(checkpoint, log=log)  # type: ignore[no-any-return]

    def examine(self, checkpoint: Any) -> dict[str, Any]:
        return value_at(f"{self.package}.engine:examine")(checkpoint)  # type: ignore[no-any-return]


class OpenCheckpoint(Protocol):
    """A checkpoint's small files, read once. A family adds what its own parts need."""

    @property
    def folder(self) -> Path: ...
    @property
    def info(self) -> ModelInfo: ...


@runtime_checkable
class Family(Protocol):
    """One architecture: how its checkpoints are found, described, checked against a request, loaded and converted.

    small_files and weights are patterns of the files to fetch; described_by: the small files that `open` cannot do
    without. What only some families have stands in `HasArchives` and `Converts`.
    """

    @property
    def name(self) -> str: ...
    @property
    def small_files(self) -> tuple[str, ...]: ...
    @property
    def weights(self) -> tuple[str, ...]: ...
    @property
    def described_by(self) -> tuple[str, ...]: ...

    def recognises(self, config: Mapping[str, Any]) -> bool:
        """Whether a config.json is of this family."""
        ...

    def missing_files(self, folder: Path) -> list[str]:
        """What a folder lacks of the files that a checkpoint needs; empty when it is complete."""
        ...

    def open(self, folder: Path, config: dict[str, Any]) -> OpenCheckpoint:
        """Read the small files; ModelError says what is wrong with them. Imports no mlx."""
        ...

    def can(self, kind: str) -> Capabilities | None:
        """What its models of a kind can do, for the catalogue, which knows models that are not here. As far as the kind
        says it; None for a kind that it does not know."""
        ...

    def check(self, checkpoint: Any, request: SpeechRequest) -> CheckedRequest:
        """The request as this checkpoint will run it; RequestError says what it cannot do."""
        ...

    def load(self, checkpoint: Any, *, dtype: str | None, log: Log) -> Synthesizer:
        """The loaded model. Called on the MLX thread."""
        ...


@runtime_checkable
class HasArchives(Protocol):
    """A family whose checkpoints are published as archives, which are unpacked once. archives: patterns of their names;
    of the catalogue's models those of the first pattern are fetched."""

    @property
    def archives(self) -> tuple[str, ...]: ...

    def unpack(self, archives: list[Path], destination: Path, *, log: Log) -> None:
        """Make a checkpoint of the family's archives; `destination` appears only when it is whole."""
        ...


@runtime_checkable
class Converts(Protocol):
    """A family whose checkpoints can be made smaller."""

    def convert(self, source: Any, destination: Path, options: ConvertOptions, log: Log) -> str | None:
        """Write a converted checkpoint; `destination` appears only when it is whole. RequestError names an option that
        the family does not take. Returns what its user should know, where there is something."""
        ...


@runtime_checkable
class HasCoreML(Protocol):
    """A family whose models may be Core ML packages. coreml_form: None where they may not."""

    @property
    def coreml_form(self) -> CoreMLForm | None: ...


class CoreMLForm(Protocol):
    """A family's models as Core ML packages."""

    def convert(self, source: Any, destination: Path, options: ConvertOptions, log: Log) -> list[list[str]]:
        """Write packages and check them; the table of the check, its head first. `destination` appears when whole."""
        ...

    def load(self, checkpoint: Any, *, log: Log) -> Synthesizer:
        """The same as Family.load gives, computed by Core ML."""
        ...

    def examine(self, checkpoint: Any) -> dict[str, Any]:
        """What Core ML on this machine makes of each package, for `mlx-tts doctor`."""
        ...


def family(name: str) -> Family:
    """The family of this name: a built-in one, else one that another package brings."""
    return value_at(FAMILIES[name]) if name in FAMILIES else plugged()[0][name]  # type: ignore[no-any-return]


@cache
def plugged() -> tuple[dict[str, Family], list[str]]:
    """The families of other packages by name, and a line for each that cannot be used. Built-in names are kept.

    This imports the packages, so it is asked only where no built-in family will do.
    """
    from importlib.metadata import entry_points

    found: dict[str, Family] = {}
    faults = []
    for point in entry_points(group=GROUP):
        package = point.dist.name if point.dist is not None else point.value
        try:
            if point.name in FAMILIES:
                raise TypeError("that is the name of a family of mlx-tts")
            value = point.load()
            if not isinstance(value, Family) or value.name != point.name:
                raise TypeError(f"{point.value} is not a family with this name")
            found[point.name] = value
        except Exception as error:  # noqa: BLE001 (a stranger's module may raise anything)
            fault = f"{type(error).__name__}: {reason_of(error)}"
            faults.append(f"the package {package} has a family {shown(point.name)} that cannot be used ({fault})")
    return found, faults


def coreml_form(name: str) -> CoreMLForm:
    """The Core ML form of a family; RequestError names those that have one."""
    form = _coreml_form(family(name))
    if form is None:
        others = ", ".join(other.name for other in families() if _coreml_form(other) is not None)
        raise RequestError(f"a {name} model has no form for Core ML; {others} models have: leave coreml out")
    return form


def _coreml_form(found: Family) -> CoreMLForm | None:
    return found.coreml_form if isinstance(found, HasCoreML) else None


def is_coreml(folder: Path) -> bool:
    """Whether a folder holds Core ML packages, which MLX does not run."""
    return (folder / MANIFEST).is_file()


def families() -> list[Family]:
    """The built-in families."""
    return [family(name) for name in FAMILIES]


def recognising(config: Mapping[str, Any]) -> Family | None:
    """The family that recognises a checkpoint's config: a built-in one before one of another package."""
    for candidate in families():
        if candidate.recognises(config):
            return candidate
    return next((candidate for candidate in plugged()[0].values() if candidate.recognises(config)), None)


def family_of(folder: Path, config: Mapping[str, Any]) -> Family:
    """The family that recognises a checkpoint's config; ModelError names those there are."""
    found = recognising(config)
    if found is None:
        others, faults = plugged()
        raise ModelError(
            f"{folder / 'config.json'} has model_type {told(config.get('model_type'))}; "
            + "; ".join([f"this program speaks with {', '.join([*FAMILIES, *others])} models", *faults])
        )
    return found


def convert(checkpoint: OpenCheckpoint, destination: Path, options: ConvertOptions, log: Log) -> str | None:
    """Write a converted checkpoint, on the MLX thread; RequestError for a family that has no conversion. Returns what
    its user should know, where there is something."""
    found = family(checkpoint.info.family)
    if not isinstance(found, Converts):
        raise _not_converted(found.name)
    return found.convert(checkpoint, destination, options, log)


def _not_converted(name: str) -> RequestError:
    return RequestError(f"a {name} model cannot be converted: use it as it is")


def archive_family(name: str) -> HasArchives | None:
    """The family of this name, where its checkpoints are published as archives."""
    found = family(name)
    return found if isinstance(found, HasArchives) and found.archives else None


def archives_in(folder: Path) -> tuple[HasArchives, list[Path]] | None:
    """The family whose archives lie in a folder, and these; None for a folder of another kind."""
    if (folder / "config.json").is_file():
        return None
    for candidate in filter(None, map(archive_family, FAMILIES)):
        found = sorted({path for pattern in candidate.archives for path in folder.glob(pattern)})
        if found:
            return candidate, found
    return None


@contextmanager
def unpacked(folder: Path, log: Log) -> Iterator[Path]:
    """The folder itself, or for the time being one that is made of the archives in it."""
    from tempfile import TemporaryDirectory

    found = archives_in(folder)
    if found is None:
        yield folder
        return
    with TemporaryDirectory(prefix="mlx-tts-") as scratch:
        found[0].unpack(found[1], Path(scratch) / folder.resolve().name, log=log)
        yield Path(scratch) / folder.resolve().name


def read_config(folder: Path) -> dict[str, Any] | None:
    """The folder's config.json, or None where it is missing or damaged."""
    try:
        return read_json(folder / "config.json")
    except ModelError:
        return None


def open_checkpoint(folder: Path) -> OpenCheckpoint:
    """A checkpoint's small files, read once. Reads no weights and imports no mlx."""
    if not folder.is_dir():
        raise ModelError(f"{folder} is not a folder: give an alias, a repository id or a checkpoint's folder")
    if archives_in(folder) is not None:
        raise ModelError(f"{folder} holds archives: `mlx-tts convert {folder} DEST` makes a checkpoint of them")
    config = read_json(folder / "config.json")
    with as_model_error(folder):
        return family_of(folder, config).open(folder, config)


def check_request(checkpoint: OpenCheckpoint, request: SpeechRequest) -> CheckedRequest:
    """The checked request; RequestError says what this model cannot do. A checked one is returned as it is."""
    from mlx_tts.speech import CheckedRequest

    if isinstance(request, CheckedRequest):
        return request
    return family(checkpoint.info.family).check(checkpoint, request)


def load(
    checkpoint: OpenCheckpoint, *, dtype: str | None = None, log: Log | None = None, engine: str = "mlx"
) -> Synthesizer:
    """Load the weights, on the MLX thread. dtype: "float32" or "bfloat16"; None chooses by device and file. engine:
    "mlx" or "coreml"; "coreml" needs a folder of packages, and "mlx" one of weights."""
    from mlx_tts.runtime import first_start
    from mlx_tts.runtime.device import prepare_compilation
    from mlx_tts.runtime.memory import give_back_freed, limit_cache

    prepare_compilation()
    first_start.speak_soon(checkpoint.folder)
    limit_cache()
    name, folder = checkpoint.info.family, checkpoint.folder
    if engine == "mlx" and is_coreml(folder):
        raise ModelError(f"{folder} holds Core ML packages: `speak` them with --engine coreml, or name the checkpoint")
    with as_model_error(folder):
        if engine == "coreml":
            return coreml_form(name).load(checkpoint, log=log or _ignore)
        model = family(name).load(checkpoint, dtype=dtype, log=log or _ignore)
    give_back_freed()
    return model


def _ignore(_line: str) -> None: ...
