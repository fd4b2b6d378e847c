"""Names of files that agents give -> paths inside the user's folder; a planned text -> a new sound file there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlx_tts.audio.files import AudioWriter
from mlx_tts.audio.formats import format_of
from mlx_tts.audio.sinks import MasteredSink
from mlx_tts.errors import AudioError, MlxTtsError, RequestError
from mlx_tts.files.writing import check_writable, is_stream
from mlx_tts.mcp.planning import LoadedModels, Planned
from mlx_tts.narration.narrate import narrate
from mlx_tts.shortened import shortened, shown

if TYPE_CHECKING:
    from mlx_tts.api import TextToSpeech


def inside(folder: Path | None, name: str) -> Path:
    """The path with all links followed; RequestError where it leads out of the folder, or where there is no folder."""
    if folder is None:
        raise RequestError("files are not allowed here: start mlx-tts mcp with --folder DIR")
    try:
        path = (folder / Path(name).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError):
        raise RequestError(
            f"path is {shown(name, 100)}, which is not a file's name: give one inside {folder}"
        ) from None
    if not path.is_relative_to(folder.resolve()):
        raise RequestError(
            f"{shortened(name, 100)} is outside {folder}: give a path inside, or ask the user for --folder"
        )
    return path


@dataclass(frozen=True)
class SpokenFile:
    """A text that goes to a file. RequestError where the file exists or its ending is no format."""

    path: Path
    planned: Planned

    def __post_init__(self) -> None:
        format_of(self.path)
        self._must_be_new()
        check_writable(self.path)

    def _must_be_new(self) -> None:
        if self.path.exists() or is_stream(self.path):
            raise RequestError(f"{self.path} exists: choose another name")

    def write(self, models: LoadedModels, gives_up: Callable[[], bool]) -> float:
        """Speak it; seconds of speech. MlxTtsError where it was given up, and then there is no file."""
        with models.using(self.planned) as model:
            return self._write(model, gives_up)

    def _write(self, model: TextToSpeech, gives_up: Callable[[], bool]) -> float:
        planned = self.planned
        writer = AudioWriter(self.path, model.sample_rate)
        whole = False
        try:
            self._must_be_new()  # again: while the model was loaded, another call may have written it
            sink = MasteredSink(writer, model.sample_rate, planned.settings.target_lufs)
            with closing(
                narrate(model, planned.plan.request, iter(planned.plan.source), planned.plan.options)
            ) as parts:
                for part in parts:
                    if gives_up():
                        raise MlxTtsError("the client gave up: nothing was saved")
                    sink.begin_voice(part.piece.voice)
                    sink.write(part.samples)
            if not writer.samples_written:
                raise AudioError("the model ended at once and said nothing: try again")
            sink.finish()
            whole = True
        finally:
            if not whole:
                writer.discard()
        return writer.samples_written / model.sample_rate
