"""A function that silences the speakers -> called at once when Ctrl-C is pressed, whatever Python is doing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable


class InterruptWatch:
    """Ctrl-C silences the speakers at once: Python itself hears it only when the model's current step is done."""

    def __init__(self, silence: Callable[[], None]) -> None:
        self._write = -1
        if threading.current_thread() is not threading.main_thread():
            return
        read, self._write = os.pipe()
        os.set_blocking(self._write, False)
        self._before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)

        def watch() -> None:
            while data := os.read(read, 1):
                if data[0] == signal.SIGINT:
                    silence()
            os.close(read)

        threading.Thread(target=watch, name="mlx-tts interrupt", daemon=True).start()

    def close(self) -> None:
        if self._write < 0:
            return
        signal.set_wakeup_fd(self._before)
        os.close(self._write)
        self._write = -1
