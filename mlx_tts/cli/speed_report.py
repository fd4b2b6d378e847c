"""A measured model in, out: the report that `mlx-tts bench --report` prints, and the address that sends it.

The report says what the machine, the versions and the model are and how fast it spoke: nothing of the user, no path, no
name of a folder. `scripts/matrix.py` makes the table of machines from such reports.
"""

from __future__ import annotations

import json
import platform
import re
import statistics
from collections.abc import Sequence
from importlib import metadata
from typing import Any
from urllib.parse import urlencode

from mlx_tts.api import TextToSpeech
from mlx_tts.cli.measurement import Run, chip
from mlx_tts.library.catalog import ModelSpec

SCHEMA = 1


def report(model: TextToSpeech, spec: ModelSpec, runs: Sequence[Run]) -> dict[str, Any]:
    """Times are medians over the runs; seconds, milliseconds and decimal gigabytes as the names say."""
    from mlx_tts import __version__
    from mlx_tts.runtime.device import backend
    from mlx_tts.runtime.memory import active_bytes, peak_bytes, total_bytes

    info, factors = model.info, [run.whole / run.audio for run in runs]
    bits = re.match(r"\d+", info.quantisation)
    return {
        "schema": SCHEMA,
        "mlx_tts": __version__,
        "mlx": metadata.version("mlx"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.mac_ver()[0] or platform.release().split('-')[0]}",
        "chip": chip(),
        "memory_gib": round(total_bytes() / 2**30, 1),
        "backend": backend(),
        "model": "a folder" if spec.folder and spec.kind is None else spec.name,  # a folder's name is the user's own
        "family": info.family,
        "size": info.size,
        "bits": int(bits[0]) if bits else 16,
        "form": model.kernel_form,
        "frame_rate": info.frame_rate,
        "weights_gb": round(active_bytes() / 1e9, 3),
        "runs": len(runs),
        "seconds_of_speech": round(statistics.median([run.audio for run in runs]), 2),
        "real_time_factor": round(statistics.median(factors), 4),
        "real_time_factor_least": round(min(factors), 4),
        "real_time_factor_most": round(max(factors), 4),
        "first_sound_ms": round(1e3 * statistics.median([run.first for run in runs]), 1),
        "peak_memory_gb": round(peak_bytes() / 1e9, 3),
    }


def how_to_send(found: dict[str, Any]) -> str:
    """A line for people: where the report is wanted."""
    address = issue_address(found)
    return f"Please send it: {address}" if address else "Please paste it into an issue: 'How fast it is here'."


def issue_address(found: dict[str, Any]) -> str | None:
    """A web address that opens an issue with the report filled in; None where the install names no repository."""
    for line in metadata.metadata("mlx-tts").get_all("Project-URL") or []:
        name, _, address = line.partition(",")
        if name.strip().lower() == "repository":
            query = urlencode({"template": "speed.yml", "row": json.dumps(found)})
            return f"{address.strip().rstrip('/')}/issues/new?{query}"
    return None
