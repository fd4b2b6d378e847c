"""The name of a model -> the loaded model for a long run, and what the result table says of this machine."""

from __future__ import annotations

import platform
from collections.abc import Callable
from importlib.metadata import version

from mlx_tts import __version__
from mlx_tts.api import TextToSpeech, load_in_best_form
from mlx_tts.library import catalog, hub
from mlx_tts.models import families


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
