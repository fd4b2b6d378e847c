"""An engine for batches that speaks at once: sound that follows from seed, piece and text, or plain silence."""

from __future__ import annotations

import time
import zlib

import numpy as np

from mlx_tts.models import families
from mlx_tts.speech import AudioChunk, GuardReport
from tests.helpers.made_stream import MadeStream
from tests.helpers.paths import TINY

RATE, FRAME = 24_000, 1920


def failure():
    raise RuntimeError("the device is gone")
    yield


class StandInEngine:
    """failures: texts that raise, each with how often. asked: (text, seed, number) in the order of submission."""

    kernel_form = "plain"

    def __init__(self, failures=None, silent=False, seconds=0.0):
        self.checkpoint = families.open_checkpoint(TINY)
        self.info = self.checkpoint.info
        self.failures = dict(failures or {})
        self.silent, self.seconds = silent, seconds
        self.asked = []
        self.most_open = 0
        self.frames_made = 0
        self.closed = False
        self.report = GuardReport(1)

    def check(self, request):
        return families.check_request(self.checkpoint, request)

    def submit(self, request, *, condition=None, number=0):
        self.asked.append((request.text, request.seed, number))
        time.sleep(self.seconds)
        for part, times in self.failures.items():
            if part in request.text and times:
                self.failures[part] = times - 1
                return MadeStream(request, failure())
        self.frames_made += 5
        return MadeStream(request, [AudioChunk(self.sound(request, number), RATE, self.report)])

    def sound(self, request, number):
        if self.silent:
            return np.zeros(FRAME, np.float32)
        source = np.random.default_rng([request.seed, number, zlib.crc32(request.text.encode())])
        return (0.1 * source.standard_normal(5 * FRAME)).astype(np.float32)

    def serve_rows(self, rows):
        return rows or 8

    def wait_for_kernels(self, seconds):
        return False

    def close(self):
        self.closed = True


def install(monkeypatch, engine):
    """Have batches use this engine. Returns it."""
    from mlx_tts.batch import worker

    def load_model(name, rows, offline, log):
        return engine, engine.serve_rows(rows)

    monkeypatch.setattr(worker, "load_model", load_model)
    monkeypatch.setattr(worker, "machine_of", lambda model: "a stand-in")
    return engine
