"""What families of the usual layout share: their parts are imported when they are needed, and not before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlx_tts.generation.synthesizer import Synthesizer
    from mlx_tts.models.convert_options import ConvertOptions
    from mlx_tts.speech import Capabilities, CheckedRequest, SpeechRequest

Log = Callable[[str], None]


def value_at(place: str) -> Any:
    """The value of "module:name"; the module is imported now."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True)
class LazyFamily:
    """A `families.Family` whose package has checkpoint.py (open_checkpoint, KINDS), check.py (check_request),
    synthesizer.py (load), conversion.py (convert) and, where it has archives, archives.py (import_archives).

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

    def convert(self, source: Any, destination: Path, options: ConvertOptions, log: Log) -> None:
        self._part("conversion:convert")(source, destination, options, log)

    def _part(self, place: str) -> Any:
        return value_at(f"{self.package}.{place}")
