"""Weights stay in memory while somebody generates, and only then."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import mlx.core as mx
import pytest

from mlx_tts import SpeechRequest
from mlx_tts.runtime import memory
from tests.helpers.gpu_form import with_policy

pytestmark = pytest.mark.slow

GIGABYTE = 1 << 30


@pytest.fixture
def limits(monkeypatch):
    """What a Mac would be told."""
    told = []
    with_policy(monkeypatch, memory, wires_weights=True)
    monkeypatch.setattr(memory, "gpu_info", lambda: {"max_recommended_working_set_size": 6 * GIGABYTE})
    monkeypatch.setattr(mx, "get_active_memory", lambda: 2 * GIGABYTE)
    monkeypatch.setattr(mx, "set_wired_limit", told.append)
    return told


def test_weights_and_a_reserve_stay_until_the_last_engine_rests(limits):
    first, second = object(), object()
    memory.keep_weights_resident(first)
    memory.keep_weights_resident(second)
    memory.let_weights_go(first)
    assert limits == [3 * GIGABYTE, 3 * GIGABYTE]
    memory.let_weights_go(second)
    assert limits[2:] == [0]


def test_never_more_than_the_system_recommends(limits, monkeypatch):
    monkeypatch.setattr(mx, "get_active_memory", lambda: 20 * GIGABYTE)
    user = object()
    memory.keep_weights_resident(user)
    memory.let_weights_go(user)
    assert limits == [6 * GIGABYTE, 0]


def test_a_system_that_refuses_is_no_error(limits, monkeypatch):
    def refuse(_limit):
        raise ValueError("macOS 15 is needed")

    monkeypatch.setattr(mx, "set_wired_limit", refuse)
    memory.keep_weights_resident(limits)
    memory.let_weights_go(limits)


def test_nothing_happens_without_metal(monkeypatch):
    if mx.metal.is_available():
        pytest.skip("NOT CHECKED: this machine has Metal")
    monkeypatch.setattr(mx, "set_wired_limit", lambda _limit: pytest.fail("a limit was set"))
    memory.keep_weights_resident(monkeypatch)
    memory.let_weights_go(monkeypatch)


def test_an_engine_holds_memory_while_it_speaks_and_no_longer(limits, oracle):
    model = oracle("custom_voice_tiny").synthesizer
    model.speak(SpeechRequest("Go.", voice="ryan", seed=1, max_frames=3))
    end = time.monotonic() + 10
    while limits[-1] != 0 and time.monotonic() < end:
        time.sleep(0.01)
    assert limits[0] == 3 * GIGABYTE
    assert limits[-1] == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="NOT CHECKED: only Linux has the memory counted here")
def test_what_loading_frees_goes_back_to_the_system():
    """Memory in pieces that malloc would keep, since the last of them is still in use, and MLX's cache."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    pieces = [bytes([1]) * 100_000 for _ in range(2000)]
    kept = pieces[-1]
    del pieces
    mx.eval(mx.ones((8 << 20,)))
    before = resident()
    memory.give_back_freed()
    assert mx.get_cache_memory() == 0
    assert before - resident() > 100e6
    assert len(kept) == 100_000
