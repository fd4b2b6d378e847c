"""What a family of models is, and the only list of them. Folder in, opened checkpoint out; checkpoint in, model out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mlx_tts.checkpoints.config_fields import read_json, shown
from mlx_tts.checkpoints.failures import as_model_error
from mlx_tts.errors import ModelError, RequestError
from mlx_tts.export.coreml.places import MANIFEST

if TYPE_CHECKING:
    from mlx_tts.speech import Capabilities, CheckedRequest, ModelInfo, SpeechRequest

# name -> "module:value" of the family. Modules are imported when a checkpoint asks for them.
FAMILIES = {
    "qwen3_tts": "mlx_tts.models.qwen3_tts.family:FAMILY",
    "magpie": "mlx_tts.models.magpie.family:FAMILY",
    "voxcpm2": "mlx_tts.models.voxcpm2.family:FAMILY",
}
# The same, of what a family can do with Core ML: packages made of a checkpoint, and speech with them.
COREML = {"qwen3_tts": "mlx_tts.models.qwen3_tts.coreml.form:FORM"}
ENGINES = ("mlx", "coreml")
Log = Callable[[str], None]


class OpenCheckpoint(Protocol):
    """A checkpoint's small files, read once. A family adds what its own parts need."""

    @property
    def folder(self) -> Path: ...
    @property
    def info(self) -> ModelInfo: ...


class Family(Protocol):
    """One architecture: how its checkpoints are found, described, checked against a request, loaded and converted.

    small_files and weights are patterns of the files to fetch; described_by: the small files that `open` cannot do
    without. archives: patterns of files that are published in their place and are unpacked once; of the catalogue's
    models those of the first pattern are fetched.
    """

    @property
    def name(self) -> str: ...
    @property
    def small_files(self) -> tuple[str, ...]: ...
    @property
    def weights(self) -> tuple[str, ...]: ...
    @property
    def archives(self) -> tuple[str, ...]: ...
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

    def load(self, checkpoint: Any, *, dtype: str | None, log: Log) -> Any:
        """The loaded model: a generation.synthesizer.Synthesizer. Called on the MLX thread."""
        ...

    def examine(self, synthesizer: Any) -> dict[str, Any] | None:
        """Check and time the family's GPU kernels on this machine; None where there is nothing to check."""
        ...

    def wait_for_kernels(self, synthesizer: Any, seconds: float) -> bool:
        """Wait for a check of the kernels that has begun; whether the next load would use what it found."""
        ...

    def unpack(self, archives: list[Path], destination: Path, *, log: Log) -> None:
        """Make a checkpoint of the family's archives; `destination` appears only when it is whole."""
        ...

    def convert(self, source: Any, destination: Path, *, log: Log, **options: Any) -> None:
        """Write a converted checkpoint; `destination` appears only when it is whole."""
        ...


class CoreMLForm(Protocol):
    """A family's models as Core ML packages."""

    def convert(self, source: Any, destination: Path, *, log: Log, **options: Any) -> list[list[str]]:
        """Write packages and check them; the table of the check, its head first. `destination` appears when whole."""
        ...

    def load(self, checkpoint: Any, *, log: Log) -> Any:
        """The same Synthesizer as Family.load gives, computed by Core ML."""
        ...

    def examine(self, checkpoint: Any) -> dict[str, Any]:
        """What Core ML on this machine makes of each package, for `mlx-tts doctor`."""
        ...


def family(name: str) -> Family:
    """The family of this name."""
    return _value(FAMILIES[name])  # type: ignore[no-any-return]


def coreml_form(name: str) -> CoreMLForm:
    """The Core ML form of a family; RequestError names those that have one."""
    if name not in COREML:
        raise RequestError(f"a {name} model has no form for Core ML; {', '.join(COREML)} models have: leave coreml out")
    return _value(COREML[name])  # type: ignore[no-any-return]


def is_coreml(folder: Path) -> bool:
    """Whether a folder holds Core ML packages, which MLX does not run."""
    return (folder / MANIFEST).is_file()


def _value(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def families() -> list[Family]:
    return [family(name) for name in FAMILIES]


def family_of(folder: Path, config: Mapping[str, Any]) -> Family:
    """The family that recognises a checkpoint's config; ModelError names those there are."""
    for candidate in families():
        if candidate.recognises(config):
            return candidate
    raise ModelError(
        f"{folder / 'config.json'} has model_type {shown(config.get('model_type'))}; "
        f"this program speaks with {', '.join(FAMILIES)} models"
    )


def archives_in(folder: Path) -> tuple[Family, list[Path]] | None:
    """The family whose archives lie in a folder, and these; None for a folder of another kind."""
    if (folder / "config.json").is_file():
        return None
    for candidate in families():
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
        raise ModelError(f"{folder} is no folder: give an alias, a repository id or a checkpoint's folder")
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


def load(checkpoint: OpenCheckpoint, *, dtype: str | None = None, log: Log | None = None, engine: str = "mlx") -> Any:
    """Load the weights, on the MLX thread. dtype: "float32" or "bfloat16"; None chooses by device and file. engine:
    one of ENGINES; "coreml" needs a folder of packages, and "mlx" one of weights."""
    from mlx_tts.runtime import first_start
    from mlx_tts.runtime.compiled_kernels import keep_compiled_kernels, let_caches_fill
    from mlx_tts.runtime.device import on_cuda
    from mlx_tts.runtime.memory import give_back_freed, limit_cache

    if on_cuda():
        keep_compiled_kernels()
        let_caches_fill()
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
