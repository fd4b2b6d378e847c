"""Which form of the kernels is fastest on this machine, and which kernels are faulty: measured once, kept for a month.

Whatever a kernel does, it does it to a child process with a time limit. The child writes a line of JSON before and
after each thing that it tries, so that a crash or a hang names its cause; it is then started again without that kernel,
or without that form.

A result belongs to one GPU, one system build, one MLX, one text of the kernels and one model's shapes. Low-power mode
and updates change what is faster, so no result stays for ever.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import mlx.core as mx

from mlx_tts.kernels.core.forms import FORMS, PLAIN, KernelForm
from mlx_tts.kernels.core.source import digest_of_all_text, gpu_language
from mlx_tts.runtime import folders
from mlx_tts.runtime.compiled_kernels import belongs_to_us_alone, write_whole

MONTH_SECONDS = 30 * 86_400
LARGEST_BYTES = 1 << 20
STEP_SECONDS = 60.0  # for one kernel or one form; what MLX compiles for CUDA has so long each
MOST_CHILDREN = 24  # each may lose one kernel


@dataclass(frozen=True)
class AutotuneResult:
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


def forms_to_try() -> list[str]:
    """The forms that this machine may have, the plain one first; none without a GPU."""
    language = gpu_language()
    if language is None:
        return []
    names = ["plain", "half", "fused"]
    if language == "cuda":
        names.append("resident")
    elif os.environ.get("MLX_TTS_ATTENTION_KERNEL") != "1":
        names.remove("fused")  # attention waits on Metal until it has been seen to work there
    return names


def machine() -> dict[str, str]:
    """What a result depends on besides the model."""
    found = mx.device_info() if hasattr(mx, "device_info") else {}
    return {
        "device": str(found.get("device_name", "?")),
        "architecture": str(found.get("architecture", "?")),
        "system": f"{platform.system()} {platform.release()} {platform.version()} {platform.mac_ver()[0]}",
        "mlx": metadata.version("mlx"),
        "text": digest_of_all_text(),
        "attention": os.environ.get("MLX_TTS_ATTENTION_KERNEL", ""),
    }


def cache_folder() -> Path:
    """kernels/ in the tool's cache folder."""
    return folders.cache_folder() / "kernels"


def path_of(shapes: Mapping[str, Any]) -> Path:
    """The file of the result on this machine for a model of these shapes."""
    text = json.dumps([machine(), shapes], sort_keys=True)
    return cache_folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"


def read(path: Path) -> AutotuneResult | None:
    """The result in a file; None where there is none, or one that is old, damaged or somebody else's."""
    try:
        status = path.stat()
        if not belongs_to_us_alone(status) or status.st_size > LARGEST_BYTES:
            return None
        stored = json.loads(path.read_text(encoding="utf-8"))
        result = AutotuneResult(
            {str(name): None if fault is None else str(fault) for name, fault in stored["kernels"].items()},
            {str(name): float(value) for name, value in stored["milliseconds"].items()},
            {str(name): str(fault) for name, fault in stored["faults"].items()},
            float(stored["made"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return result if 0 <= time.time() - result.made < MONTH_SECONDS else None


def write(path: Path, result: AutotuneResult) -> None:
    """Whole or not at all, for this user alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, json.dumps(asdict(result), indent=1).encode())


@dataclass
class _Findings:
    """What children have said so far, and what the present one is at."""

    kernels: dict[str, str | None] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    milliseconds: dict[str, float] = field(default_factory=dict)
    working: tuple[str, str] = ("child", "start")
    ended: bool = False
    again: bool = False  # the child asks for another: after a fault of the GPU it computes nothing right

    def hear(self, line: str) -> None:
        try:
            said = json.loads(line)
        except ValueError:
            return  # not the child's own words
        if "begin" in said:
            self.working = (said["begin"], said["name"])
        elif said["kind"] == "kernel":
            self.kernels[said["name"]] = said["fault"]
        elif said["kind"] == "form" and said["fault"] is None:
            self.milliseconds[said["name"]] = said["milliseconds"]
        elif said["kind"] == "form":
            self.faults[said["name"]] = said["fault"]
        elif said["kind"] == "again":
            self.again = True
        elif said["kind"] == "end":
            self.ended = True

    def blame(self, fault: str) -> None:
        """The child ended too early: at this kernel, in this form, or before it tried any."""
        kind, name = self.working
        if kind == "kernel":
            self.kernels[name] = fault
        else:
            self.faults[name] = fault


def run_autotune(command: Sequence[str], task: Mapping[str, Any], step_seconds: float = STEP_SECONDS) -> AutotuneResult:
    """Start `command` with the task as a line of JSON until it comes to its end; the task names what is left out."""
    found = _Findings()
    for _ in range(MOST_CHILDREN):
        left_out = [name for name, fault in found.kernels.items() if fault is not None]
        found.working, found.again = ("child", "start"), False
        given = {**task, "left_out": left_out, "skipped_forms": [*found.faults, *found.milliseconds]}
        _run_child(command, json.dumps(given), step_seconds, found)
        if found.ended or found.working[0] == "child":
            break
    return AutotuneResult(found.kernels, found.milliseconds, found.faults, time.time())


def _run_child(command: Sequence[str], task: str, step_seconds: float, found: _Findings) -> None:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    child = subprocess.Popen(command, text=True, start_new_session=True, **pipes)
    lines: queue.Queue[str | None] = queue.Queue()
    threading.Thread(target=_read_lines, args=(child, lines), daemon=True).start()
    try:
        assert child.stdin is not None
        with suppress(OSError):
            child.stdin.write(task + "\n")
            child.stdin.close()
        while (line := lines.get(timeout=step_seconds)) is not None:
            found.hear(line)
        code = child.wait()
        if not found.ended and not found.again:
            found.blame(f"killed by signal {-code}" if code < 0 else f"exit code {code}")
    except queue.Empty:
        found.blame(f"no answer for {step_seconds:.0f} s")
    finally:
        _end(child)


def _read_lines(child: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert child.stdout is not None
    for line in child.stdout:
        lines.put(line)
    lines.put(None)


def _end(child: subprocess.Popen[str]) -> None:
    """The child and whatever it started: it leads a session of its own."""
    if child.poll() is None:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except (OSError, AttributeError):
            child.kill()
    child.wait()
    if child.stdout is not None:
        child.stdout.close()
