"""A loaded model serves callers on any thread, from one thread of MLX's own."""

import subprocess
import sys
import textwrap
import threading
import time

import pytest

from mlx_tts.runtime import mlx_thread
from tests.helpers.paths import ROOT

pytestmark = pytest.mark.slow


def test_callers_on_several_threads_get_the_same_speech():
    """In a process of its own, which must also end in peace."""
    code = """
        import threading
        import numpy as np
        import mlx_tts
        from mlx_tts import SpeechRequest
        from mlx_tts.runtime.mlx_thread import NAME, run

        tts = mlx_tts.load("tiny")
        request = SpeechRequest("Hello there.", language="english", seed=2, max_frames=8)
        alone = tts.speak(request).samples
        used, found = set(), {}
        inner = tts._synthesizer
        prepare = inner.prepare

        def noted(*arguments):
            used.add(threading.current_thread().name)
            return prepare(*arguments)

        inner.prepare = noted

        def speak(number):
            found[number] = np.concatenate([chunk.samples for chunk in tts.stream(request)])

        threads = [threading.Thread(target=speak, args=(number,)) for number in range(3)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        assert all(np.array_equal(samples, alone) for samples in found.values()) and len(found) == 3
        assert used == {NAME}
        assert run(lambda: run(lambda: 3)) == 3
        assert tts.sample_rate == 24_000 and tts.check(request).text == "Hello there."
        stream = tts.stream(request)
        next(stream)
        stream.close()
        print("done")
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout) == (0, "done\n"), ran.stderr


def test_an_interrupted_caller_gets_its_interrupt():
    code = """
        import os, signal, threading, time
        from mlx_tts.runtime.mlx_thread import run
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs begin without it
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            run(time.sleep, 2)
        except KeyboardInterrupt:
            print(time.monotonic() - start < 1)
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.stdout == "True\n", ran.stderr


@pytest.mark.timed
def test_a_thread_that_computes_in_python_holds_it_up_for_half_a_millisecond():
    over = threading.Event()

    def compute():
        while not over.is_set():
            sum(range(1000))

    def let_go():
        begin = time.monotonic()
        for _ in range(100):
            time.sleep(0)  # lets go of Python's lock, as each look at what MLX computed does
        return time.monotonic() - begin

    thread = threading.Thread(target=compute)
    thread.start()
    try:
        assert min(mlx_thread.run(let_go) for _ in range(3)) < 0.25  # with Python's own interval half a second
    finally:
        over.set()
        thread.join()
