"""The name of a model -> a worker with that model loaded, and with the recogniser that listens, where one does."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from mlx_tts import __version__
from mlx_tts.api import TextToSpeech, load_in_best_form
from mlx_tts.batch.folder import Claims
from mlx_tts.batch.render import LineWorker, Verify
from mlx_tts.batch.roles import Role
from mlx_tts.batch.settings import BatchSettings, How
from mlx_tts.batch.tables import Done, Table
from mlx_tts.library import catalog, hub
from mlx_tts.models import families
from mlx_tts.samples import Samples
from mlx_tts.text.transcripts import count, differences, language_code


def open_worker(
    folder: Path,
    settings: BatchSettings,
    roles: Sequence[Role],
    model_name: str,
    how: How,
    done: Done,
    log: Callable[[str], None],
) -> LineWorker:
    """A worker of this machine for the lines of one model; close it."""
    model, rows = load_model(model_name, how.rows, how.offline, log)
    verify = verifier(settings, log)
    return LineWorker(
        folder, settings, roles, model, rows, Table(folder), Claims(folder), done, machine_of(model), verify
    )


def load_model(name: str, rows: int | None, offline: bool, log: Callable[[str], None]) -> tuple[TextToSpeech, int]:
    """The model, in the form of the kernels that a check on this machine found best, and its rows. It is fetched where
    it is not on disk."""
    folder = hub.fetch(catalog.find(name), offline=offline, log=log)
    checkpoint = families.open_checkpoint(folder)
    model = load_in_best_form(checkpoint, log)
    return model, model.serve_rows(rows)


def machine_of(model: TextToSpeech) -> str:
    """Machine, versions and form of the kernels: on machines of one kind files are equal to the byte."""
    from mlx_tts.runtime.device import gpu_info

    gpu = gpu_info()
    device = "CPU" if gpu is None else str(gpu.get("device_name", "GPU"))
    return (
        f"{platform.system()} {platform.machine()}, {device}, mlx {version('mlx')}, "
        f"mlx-tts {__version__}, {model.kernel_form}"
    )


def verifier(settings: BatchSettings, say: Callable[[str], None]) -> Verify | None:
    """The function, with its recogniser loaded once; None where nobody asked for it."""
    if settings.verify is None:
        return None
    from mlx_tts.audio.recogniser import CHECKS, open_recogniser

    def agrees(what: str) -> bool:
        say(f"{what}: fetching it")
        return True

    recogniser = open_recogniser(settings.verify, agrees, CHECKS)

    def verify(samples: Samples, sample_rate: int, text: str, language: str) -> tuple[str, int]:
        words = recogniser.heard(samples, sample_rate, language_code(language, text)).words
        return words, count(differences(text, words, language))

    return verify
