"""A model that never spoke on this NVIDIA GPU in, MLX's kernels for it compiled out: few at once, all in the end.

MLX compiles for CUDA what it uses first, one kernel after the other, 2 to 20 seconds each: three minutes until a first
speech. Most of them are fusions that `mx.compile` makes. So a first process goes without fusions and compiles what is
left in parallel processes, while a supervisor in the background (`python -m mlx_tts.runtime.first_start FOLDER`) has
`doctor` and `speak` compile everything and try this package's kernels. `pull`, `serve` and `batch` wait for it.

Each process compiles into a folder of its own: MLX reads a file as soon as it exists, also one that another process is
still writing.
"""

from __future__ import annotations

import hashlib
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import mlx.core as mx

from mlx_tts.runtime.compiled_kernels import NAME, keep_compiled_kernels, private_folder
from mlx_tts.runtime.device import policy

log = logging.getLogger("mlx_tts")

UNDER_WAY = "MLX_TTS_FIRST_START"  # set in processes that the supervisor starts: they compile everything
DEAD_SECONDS = 1800.0  # a supervisor that has taken so long is dead
BEHIND_SECONDS = 120.0  # that a supervisor waits for the process that started it
LOOK_SECONDS = 0.2
QUIET: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
UNFUSED = "-unfused"  # behind the name of a form: without fusions numbers are rounded differently
SMALL_SECONDS = 120.0  # for all kernels of a first process; what is missing then is compiled in use
LONG = (
    "When the storm came in from the west, the keeper climbed the stairs, lit the lamp, and waited until the last boat "
    "had found its way home."
)

_TAKE = "mx.take(mx.zeros((16, 64), mx.{}), mx.zeros((4,), mx.{}), axis=0)"
_TAKE_ALONG = "mx.take_along_axis(mx.zeros((4, 64), mx.{}), mx.zeros((4, 8), mx.{}), axis=-1)"


def speak_soon(folder: Path) -> None:
    """Before a model of this folder is loaded: where nothing was compiled for it, do without fusions in this process,
    compile the few kernels that it still needs, and have the rest done in the background."""
    if not is_needed(folder):
        return
    _use_fusions(False)
    few = _marker(folder).with_suffix(".few")  # the supervisor may be at work still when the next process starts
    if not few.exists():
        wanted = _small_kernels(folder)
        log.warning("preparing the GPU, once: %d kernels are compiled now, the others in the background", len(wanted))
        begin = time.monotonic()
        _compile_in_parallel(wanted)
        log.info("prepared the GPU in %.1f s", time.monotonic() - begin)
        with suppress(OSError):
            few.touch(mode=0o600)
    _begin(folder, behind=os.getpid())


def prepare(folder: Path, say: Callable[[str], None]) -> None:
    """Have everything compiled and tried, and wait for it. For those who prepare, or have much to speak."""
    if not policy().starts_slowly:
        return
    keep_compiled_kernels()
    if not is_needed(folder):
        return
    _begin(folder)
    marker, told, end = _marker(folder), -1, time.monotonic() + DEAD_SECONDS
    while not marker.exists() and time.monotonic() < end and _lock(marker).exists():
        count = sum(1 for _ in marker.parent.parent.glob("cuda-*/*.txt"))
        if count // 5 != told // 5:
            say(f"preparing the GPU for this model, once: {count} kernels so far")
            told = count
        time.sleep(LOOK_SECONDS)


def is_needed(folder: Path) -> bool:
    """Whether this model is new to this GPU, MLX and cache, and the choice of kernels is left to the machine."""
    if not policy().starts_slowly or UNDER_WAY in os.environ or os.environ.get("MLX_TTS_KERNELS", "auto") != "auto":
        return False
    return private_folder() is not None and not _marker(folder).exists()


def with_fusions(form: str) -> str:
    """The name of a form as this process computes it: what piece stores record."""
    return form if _fuses else form + UNFUSED


def use_fusions_of(name: str) -> str:
    """Compute as the process of this name did, with fusions or without; the form that it names."""
    if policy().starts_slowly:
        _use_fusions(not name.endswith(UNFUSED))
    return name.removesuffix(UNFUSED)


def _use_fusions(fuses: bool) -> None:
    global _fuses
    if fuses != _fuses:
        _fuses = fuses
        mx.enable_compile() if fuses else mx.disable_compile()


def leaves_autotune_to_supervisor() -> bool:
    """Whether a supervisor's `doctor` tries the kernels, so that a load need not begin autotune."""
    return UNDER_WAY in os.environ or _begun


_begun = False
_fuses = True


def _begin(folder: Path, behind: int = 0) -> None:
    """Start the supervisor, which outlives a short command, unless one is at it. Never fails. behind: a process that it
    lets finish first, because the model may not fit twice into the GPU's memory."""
    global _begun
    _begun = True
    lock = _lock(_marker(folder))
    with suppress(OSError):
        if lock.exists() and time.time() - lock.stat().st_mtime > DEAD_SECONDS:
            lock.unlink(missing_ok=True)
        os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        command = [sys.executable, "-m", "mlx_tts.runtime.first_start", str(folder), str(behind)]
        try:
            subprocess.Popen(command, start_new_session=True, **QUIET)
        except OSError:
            lock.unlink(missing_ok=True)


def wait_for_end(process: int, seconds: float = BEHIND_SECONDS) -> None:
    """Wait until a process has ended, but not for one that lives long."""
    end = time.monotonic() + seconds
    with suppress(OSError):
        while process and time.monotonic() < end:
            os.kill(process, 0)
            time.sleep(LOOK_SECONDS)


def supervise(folder: Path) -> None:
    """The background process: compile everything, try the kernels, and note that it was done. A model that fails is
    noted too: its error shows when it is used."""
    marker = _marker(folder)
    try:
        for arguments in (
            ["doctor", "--model", str(folder), "--offline"],
            ["speak", LONG, "--model", str(folder), "--offline", "-q", "--max-seconds", "3"],
        ):
            with own_folder() as environment, tempfile.TemporaryDirectory() as scratch:
                own = [*arguments, "-o", f"{scratch}/made.wav"] if arguments[0] == "speak" else arguments
                command = [sys.executable, "-m", "mlx_tts", *own]
                with suppress(subprocess.TimeoutExpired, OSError):
                    subprocess.run(command, env=environment, check=False, timeout=DEAD_SECONDS / 2, **QUIET)
        marker.touch(mode=0o600)
    finally:
        _lock(marker).unlink(missing_ok=True)


@contextmanager
def own_folder() -> Iterator[Mapping[str, str]]:
    """The environment for a process that compiles into a folder of its own. What it compiled is kept afterwards."""
    shared = private_folder()
    if shared is None:
        yield {**os.environ, UNDER_WAY: "1"}
        return
    with tempfile.TemporaryDirectory(dir=shared.parent, prefix="cuda-", ignore_cleanup_errors=True) as own:
        for file in shared.rglob("*.*"):
            if file.suffix in (".ptx", ".txt"):
                place = Path(own, file.relative_to(shared))
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with suppress(OSError):
                    os.link(file, place)
        yield {**os.environ, UNDER_WAY: "1", NAME: own}
        merge(Path(own), shared)


def merge(own: Path, shared: Path) -> None:
    """Have files of a folder whose process has ended appear in another, each whole, and binaries last. A binary whose
    description is there is whole: MLX writes that later."""
    for description in own.rglob("*.txt"):
        binary = description.with_suffix(".ptx")
        target = shared / description.relative_to(own)
        if target.with_suffix(".ptx").exists() or not binary.is_file() or not description.stat().st_size:
            continue
        with suppress(OSError):
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            description.replace(target)
            binary.replace(target.with_suffix(".ptx"))


def _marker(folder: Path) -> Path:
    """The file that says that all was compiled for models like this one."""
    shared = private_folder()
    assert shared is not None
    with suppress(OSError):
        config = (folder / "config.json").read_bytes()
        info = mx.device_info()
        by = [metadata.version("mlx"), str(info.get("device_name")), str(info.get("architecture"))]
        return shared / f"first-{hashlib.sha256('|'.join(by).encode() + config).hexdigest()[:24]}.done"
    return shared / "first-unknown.done"


def _lock(marker: Path) -> Path:
    return marker.with_suffix(".lock")


def _small_kernels(folder: Path) -> list[str]:
    """What a model computes that MLX compiles also without fusions, each as the least expression that needs it."""
    wanted = [_TAKE_ALONG.format("float32", index) for index in ("int32", "uint32")]
    wanted += [_TAKE.format("float16", "int32"), _TAKE.format("uint32", "int32")]
    for dtype in ("float32", "bfloat16") if _has_bfloat16(folder) else ("float32",):
        wanted += [_TAKE.format(dtype, index) for index in ("int32", "uint32", "int64")]
    return wanted


def _has_bfloat16(folder: Path) -> bool:
    with suppress(OSError), (folder / "model.safetensors").open("rb") as file:
        return b'"BF16"' in file.read(min(int.from_bytes(file.read(8), "little"), 16 << 20))
    return False


def _compile_in_parallel(expressions: list[str]) -> None:
    """Each in a process of its own, as many at a time as the machine has cores."""
    waiting, end = list(expressions), time.monotonic() + SMALL_SECONDS
    shared = private_folder()
    assert shared is not None
    running: list[tuple[subprocess.Popen[bytes], Path]] = []
    done = 0
    with tempfile.TemporaryDirectory(dir=shared.parent, prefix="cuda-", ignore_cleanup_errors=True) as place:
        try:
            while waiting or running:
                while waiting and len(running) < (os.cpu_count() or 1):
                    own = Path(tempfile.mkdtemp(dir=place))
                    code = f"import mlx.core as mx; mx.eval({waiting.pop(0)})"
                    environment = {**os.environ, NAME: str(own)}
                    running.append((subprocess.Popen([sys.executable, "-c", code], env=environment, **QUIET), own))
                for child, own in [pair for pair in running if pair[0].poll() is not None]:
                    running.remove((child, own))
                    merge(own, shared)
                    done += 1
                    log.info("preparing the GPU, once: %d of %d", done, len(expressions))
                if time.monotonic() > end:
                    break
                time.sleep(LOOK_SECONDS / 4)
        finally:
            for child, _ in running:
                child.kill()
                child.wait()


if __name__ == "__main__":
    keep_compiled_kernels()
    wait_for_end(int(sys.argv[2]))
    supervise(Path(sys.argv[1]))
