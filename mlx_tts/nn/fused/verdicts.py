"""What a trial found out about the kernels on this machine, kept for a month in the user's cache folder.

A verdict belongs to one GPU, one system build, one MLX, one text of the kernels and one model's shapes. Low-power mode
and updates change what is faster, so no verdict stays for ever.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import mlx.core as mx

from mlx_tts.nn.fused import attention, gpu_source, product, resident_text, rows_product, sampling
from mlx_tts.nn.fused.kernel_form import FUSED, HALF, PLAIN, RESIDENT, KernelForm
from mlx_tts.runtime import folders

MONTH_SECONDS = 30 * 86_400
LARGEST_BYTES = 1 << 20
FORMS = {"plain": PLAIN, "half": HALF, "fused": FUSED, "resident": RESIDENT}


@dataclass(frozen=True)
class Verdict:
    """kernels: each checked one -> why it is left out, or None. faults: forms that failed as a whole -> why."""

    kernels: Mapping[str, str | None] = field(default_factory=dict)
    milliseconds: Mapping[str, float] = field(default_factory=dict)  # a frame, for each form
    faults: Mapping[str, str] = field(default_factory=dict)
    made: float = 0.0  # seconds since 1970

    @property
    def left_out(self) -> frozenset[str]:
        """Kernels that must not run here."""
        return frozenset(kernel for kernel, fault in self.kernels.items() if fault is not None)

    @property
    def form(self) -> KernelForm:
        """The fastest form that did not fail."""
        times = {name: value for name, value in self.milliseconds.items() if name in FORMS and name not in self.faults}
        return FORMS[min(times, key=lambda name: times[name])] if times else PLAIN


def machine() -> dict[str, str]:
    """What a verdict depends on besides the model."""
    found = mx.device_info() if hasattr(mx, "device_info") else {}
    texts = [gpu_source._METAL, gpu_source._CUDA, gpu_source._LOADS, product._FUNCTIONS, product._BODY]
    texts += [sampling._BODY, attention.BODY, attention.MERGE]
    texts += [rows_product.FUNCTIONS, rows_product.BODY, *resident_text.TEXTS]
    return {
        "device": str(found.get("device_name", "?")),
        "architecture": str(found.get("architecture", "?")),
        "system": f"{platform.system()} {platform.release()} {platform.version()} {platform.mac_ver()[0]}",
        "mlx": metadata.version("mlx"),
        "text": hashlib.sha256("".join(texts).encode()).hexdigest()[:16],
        "attention": os.environ.get("MLX_TTS_ATTENTION_KERNEL", ""),
    }


def cache_folder() -> Path:
    """kernels/ in the tool's cache folder."""
    return folders.cache_folder() / "kernels"


def path_of(shapes: Mapping[str, Any]) -> Path:
    """The file of the verdict on this machine for a model of these shapes."""
    text = json.dumps([machine(), shapes], sort_keys=True)
    return cache_folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"


def read(path: Path) -> Verdict | None:
    """The verdict in a file; None where there is none, or one that is old, damaged or somebody else's."""
    try:
        status = path.stat()
        mine = not hasattr(os, "getuid") or status.st_uid == os.getuid()
        if not mine or status.st_mode & 0o022 or status.st_size > LARGEST_BYTES:
            return None
        stored = json.loads(path.read_text(encoding="utf-8"))
        verdict = Verdict(
            {str(name): None if fault is None else str(fault) for name, fault in stored["kernels"].items()},
            {str(name): float(value) for name, value in stored["milliseconds"].items()},
            {str(name): str(fault) for name, fault in stored["faults"].items()},
            float(stored["made"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return verdict if 0 <= time.time() - verdict.made < MONTH_SECONDS else None


def write(path: Path, verdict: Verdict) -> None:
    """Whole or not at all, for this user alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=".verdict")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(verdict), file, indent=1)
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
