"""`python -m mlx_tts.library.fetch_child ALIAS`: a model of models.toml -> the download cache, and what is told of it.

Lines of JSON on standard output, several a second: {"received", "total"} in bytes; the last one is {"done": true} or
{"error": a line for people}. When standard input ends, as it does when the other program ends, the download stops as
`mlx-tts pull` does at Ctrl-C: what came is kept, nothing that was not checked counts as a model.
"""

from __future__ import annotations

import _thread
import json
import os
import signal
import sys
import threading
import time
from typing import Any

from mlx_tts.errors import MlxTtsError
from mlx_tts.library import catalog, hub

LATE_SECONDS = 4.0  # after which a download that does not stop by itself is ended
INTERRUPTED = 130


def main(alias: str) -> int:
    """The exit code."""
    sys.stdout = sys.stderr  # whatever else is printed is not for the program that watches
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a server in the background has it ignored
    threading.Thread(target=_stop_with_input, daemon=True).start()
    try:
        hub.fetch(catalog.listed(alias), progress=_tell)
        _say({"done": True})
    except MlxTtsError as error:
        _say({"error": str(error)})
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _tell(received: float, total: float | None, _kept: float) -> None:
    _say({"received": int(received), "total": None if total is None else int(total)})


def _say(facts: dict[str, Any]) -> None:
    print(json.dumps(facts), file=sys.__stdout__, flush=True)


def _stop_with_input() -> None:
    while os.read(0, 1024):
        pass
    _thread.interrupt_main()
    time.sleep(LATE_SECONDS)
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    code = main(sys.argv[1])
    os._exit(code)  # threads of a download that was stopped may wait for the network a while longer
