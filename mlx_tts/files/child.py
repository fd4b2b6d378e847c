"""A job for a parser of strangers' files -> its answer, from a child process with limits of memory, processor and time.

A parser that hangs, fills the memory or crashes ends alone: the caller gets one line. The child is a fresh interpreter
that imports the one module it runs, never a fork of this process, whose threads and GPU no fork survives. One child
does one job. A server keeps one waiting with its modules loaded (`keep_warm`), so that nobody waits for its start.

A job is a header (JSON) and bytes; so is the answer. Nothing that the child says is executed or unpickled.

Linux holds the child to the limit of memory by itself. macOS has no such limit: there its memory is looked at while it
works, so a quick one may take more for a moment; what the parsers count beforehand (bytes, elements) holds everywhere.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

from mlx_tts.errors import MlxTtsError, RequestError
from mlx_tts.files import budget

HEADER = struct.Struct("<QQ")  # bytes of the header and of what follows it
LOOK_SECONDS = 0.25  # between two looks at the child's memory and the clock
NO_MEMORY, FAILED = 71, 70  # exit codes of the child
# What the child gets of the environment: where libraries lie, and no keys.
VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH", "TMPDIR", "LANG", "LC_ALL",
             "LC_CTYPE", budget.VARIABLE)  # fmt: skip
START = "import sys; sys.path[:] = sys.argv[3:]; from mlx_tts.files.child import serve_one; serve_one(*sys.argv[1:3])"

Answer = tuple[dict[str, Any], bytes]
Work = Callable[[dict[str, Any], bytes], Answer]

_spare: dict[str, subprocess.Popen[bytes]] = {}
_warm: set[str] = set()  # modules for which one waits between jobs
_lock = threading.Lock()


def can_start() -> bool:
    """Whether this program is a Python that can be started again; one that holds a Python inside itself is not."""
    return bool(sys.executable) and not getattr(sys, "frozen", False)


def run_limited(
    module: str, header: dict[str, Any], data: bytes, what: str, seconds: budget.Limit = budget.PARSER_SECONDS
) -> Answer:
    """What `work` of the module answers. RequestError: `what` is over a limit, or refused by the parser. MlxTtsError:
    no child can be started, or it crashed."""
    header = {**header, "seconds": seconds.allowed}
    text = json.dumps(header).encode()
    process = _take(module)
    try:
        deadline = time.monotonic() + seconds.allowed * budget.WALL_TIMES
        answer = _communicate(process, HEADER.pack(len(text), len(data)) + text + data, deadline, what)
    finally:
        _end(process)
        if module in _warm:
            keep_warm(module)
    if process.returncode:
        raise _why(process.returncode, what, seconds)
    try:
        header_bytes, data_bytes = HEADER.unpack_from(answer)
        found = json.loads(answer[HEADER.size : HEADER.size + header_bytes])
        body = answer[HEADER.size + header_bytes :]
        if len(body) != data_bytes or not isinstance(found, dict):
            raise ValueError("its answer is cut off")
    except (ValueError, struct.error):
        raise MlxTtsError(f"{what} cannot be read: the process that reads it gave half an answer, try again") from None
    if "refused" in found:
        raise RequestError(str(found["refused"]))
    return found, body


def keep_warm(module: str) -> None:
    """Start a child that waits, its modules loaded, for the next job; after each job there is a new one. It ends with
    this process. Where none can be started, nothing happens: the next job says why."""
    with _lock:
        waiting = _spare.get(module)
        if waiting is None and module not in _warm:
            _warm.add(module)
            atexit.register(let_go, module)
        if waiting is not None and waiting.poll() is None:
            return
        with suppress(MlxTtsError):
            _spare[module] = _start(module, warm=True)
    if waiting is not None:
        _end(waiting)  # somebody ended it


def let_go(module: str) -> None:
    """End the child that waits; there will be no other."""
    with _lock:
        _warm.discard(module)
        waiting = _spare.pop(module, None)
    if waiting is not None:
        _end(waiting)


def _take(module: str) -> subprocess.Popen[bytes]:
    """The child that waits, or a new one."""
    with _lock:
        waiting = _spare.pop(module, None)
    if waiting is not None and waiting.poll() is None:
        return waiting
    if waiting is not None:
        _end(waiting)
    return _start(module)


def _start(module: str, warm: bool = False) -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    folders = [os.path.abspath(folder) for folder in sys.path]  # noqa: PTH100 (an empty one is the current folder)
    line = [sys.executable, "-I", "-S", "-X", "utf8", "-c", START, module, "warm" if warm else "", *folders]
    try:
        return subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
    except OSError as error:
        raise MlxTtsError(
            f"no process can be started to read documents in ({error.strerror}): end other programs, or allow more"
        ) from None


def _communicate(process: subprocess.Popen[bytes], message: bytes, deadline: float, what: str) -> bytes:
    """Send the job and wait for the answer's end; RequestError where the time or the memory is used up.

    A thread sends: `Popen.communicate` that is called again after its time limit forgets what it has not sent yet.
    """
    assert process.stdin is not None
    target, process.stdin = process.stdin, None
    sending = threading.Thread(target=_send, args=(target, message), daemon=True)
    sending.start()
    try:
        return _answer_of(process, deadline, what)
    finally:
        with suppress(OSError):
            process.kill()  # else a child that reads nothing would keep the thread
        sending.join()


def _send(target: IO[bytes], message: bytes) -> None:
    with suppress(OSError), target:
        target.write(message)


def _answer_of(process: subprocess.Popen[bytes], deadline: float, what: str) -> bytes:
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise RequestError(
                f"{what} takes too long to read: it was given up ({budget.VARIABLE}={2 * budget.times():g} would wait "
                "twice as long)"
            )
        try:
            return process.communicate(timeout=min(LOOK_SECONDS, left))[0]
        except subprocess.TimeoutExpired:
            pass
        if sys.platform == "darwin" and resident_bytes(process.pid) > budget.PARSER_BYTES.allowed:
            raise RequestError(budget.PARSER_BYTES.refusal(what))


def resident_bytes(pid: int) -> int:
    """Memory of a process, where the system limits none; 0 where it cannot be told."""
    try:
        said = subprocess.run(["/bin/ps", "-o", "rss=", "-p", str(pid)], capture_output=True, timeout=5, check=False)
        return int(said.stdout) * 1024
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return 0


def _end(process: subprocess.Popen[bytes]) -> None:
    """Nothing is left of it: no process, no zombie, no descriptor."""
    with suppress(OSError):
        process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # what was not sent is not wanted any more
                stream.close()
    process.wait()


def _why(code: int, what: str, seconds: budget.Limit) -> MlxTtsError:
    if code == -signal.SIGXCPU:
        return RequestError(seconds.refusal(what))
    if code == NO_MEMORY:
        return RequestError(budget.PARSER_BYTES.refusal(what))
    how = f"was ended by signal {-code}" if code < 0 else f"ended with {code}"
    return MlxTtsError(f"{what} cannot be read: the process that reads it {how}; the file may be damaged")


def serve_one(name: str, warm: str = "") -> None:
    """The child: load the module, wait for a job, answer it, and end without tidying up."""
    for number in (signal.SIGINT, signal.SIGXCPU):  # Ctrl-C reaches it too, and it has nothing to say about that
        signal.signal(number, signal.SIG_DFL)
    module = importlib.import_module(name)
    work: Work = module.work
    if warm:
        module.load_parsers()
    try:
        _limit("RLIMIT_CORE", 0)
        for limit in ("RLIMIT_AS", "RLIMIT_DATA"):  # macOS knows them and does not keep to them
            _limit(limit, budget.PARSER_BYTES.allowed)
        sizes = sys.stdin.buffer.read(HEADER.size)
        if len(sizes) < HEADER.size:
            os._exit(0)  # the parent wants nothing any more
        header_bytes, data_bytes = HEADER.unpack(sizes)
        header = json.loads(sys.stdin.buffer.read(header_bytes))
        data = sys.stdin.buffer.read(data_bytes)
        _limit("RLIMIT_CPU", int(time.process_time()) + 1 + int(header["seconds"]))
        try:
            found, body = work(header, data)
        except RequestError as error:
            found, body = {"refused": str(error)}, b""
        text = json.dumps(found).encode()
        sys.stdout.buffer.write(HEADER.pack(len(text), len(body)) + text)
        sys.stdout.buffer.write(body)
        sys.stdout.buffer.flush()
    except MemoryError:
        os._exit(NO_MEMORY)
    except BaseException:  # noqa: BLE001 (whatever a parser does on a stranger's file; the parent says one line)
        os._exit(FAILED)
    os._exit(0)


def _limit(name: str, most: int) -> None:
    """Lower a limit of this process: never above what it was given."""
    import resource

    with suppress(AttributeError, OSError, ValueError):
        number = getattr(resource, name)
        _, hardest = resource.getrlimit(number)
        most = most if hardest == resource.RLIM_INFINITY else min(most, hardest)
        resource.setrlimit(number, (most, hardest))
