"""A command that tries kernels in, a verdict out: whatever a kernel does, it does it to a child with a time limit.

The child writes a line of JSON before and after each thing that it tries, so that a crash or a hang names its cause. It
is then started again without that kernel, or without that form.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from mlx_tts.nn.fused.verdicts import Verdict

STEP_SECONDS = 60.0  # for one kernel or one form; what MLX compiles for CUDA has so long each
MOST_CHILDREN = 24  # each may lose one kernel


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


def run_trial(command: Sequence[str], task: Mapping[str, Any], step_seconds: float = STEP_SECONDS) -> Verdict:
    """Start `command` with the task as a line of JSON until it comes to its end; the task names what is left out."""
    found = _Findings()
    for _ in range(MOST_CHILDREN):
        left_out = [name for name, fault in found.kernels.items() if fault is not None]
        found.working, found.again = ("child", "start"), False
        given = {**task, "left_out": left_out, "skipped_forms": [*found.faults, *found.milliseconds]}
        _run_child(command, json.dumps(given), step_seconds, found)
        if found.ended or found.working[0] == "child":
            break
    return Verdict(found.kernels, found.milliseconds, found.faults, time.time())


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
