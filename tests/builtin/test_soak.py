"""A short soak of the built-in voice, and memory that does not grow over 200 utterances of a random one."""

import sys

import mlx.core as mx
import pytest

from mlx_tts import SpeechRequest, api
from mlx_tts.runtime import memory
from tests.helpers.paths import ROOT, TINY

sys.path.insert(0, str(ROOT / "scripts"))

from soak import resident_bytes, soak

pytestmark = [pytest.mark.slow, pytest.mark.heard]


@pytest.mark.long
def test_short_utterances_stay_within_their_budgets():
    verdict = soak(api.load_folder(TINY), "hazel", "english", count=16, rows=4)
    assert verdict.fine, str(verdict)
    assert verdict.utterances == 16 and not verdict.too_short, str(verdict)


@pytest.mark.long
def test_200_utterances_take_no_more_memory_than_50(oracle):
    """Resident size: caches, codec states and takes die with their utterance, and freed buffers have a limit."""
    synthesizer = oracle("custom_voice_tiny").synthesizer
    sizes = []
    for number in range(200):
        request = SpeechRequest("Hello world, how are you?", voice="ryan", seed=number, max_frames=4, guard=True)
        synthesizer.speak(request)
        if number % 50 == 49:
            sizes.append(resident_bytes())
    assert sizes[-1] - sizes[0] < 8e6, [size // 1_000_000 for size in sizes]


def test_loading_limits_the_buffers_that_are_kept(monkeypatch):
    limits = []
    monkeypatch.setattr(mx, "set_cache_limit", limits.append)
    api.load_folder(TINY)
    assert len(limits) == 1
    assert 16 << 20 < limits[0] <= 512 << 20


def test_nothing_clears_the_buffers_inside_the_loop():
    package = ROOT / "mlx_tts"
    found = {
        path.relative_to(package).as_posix() for path in package.rglob("*.py") if "clear_cache" in path.read_text()
    }
    once = {"models/qwen3_tts/coreml/check.py", "models/kokoro/synthesizer.py"}  # after loading, a conversion
    assert found == {"runtime/memory.py", *once}


@pytest.mark.parametrize(
    ("total", "row", "rows"), [(16 << 30, 100 << 20, 8), (8 << 30, 1 << 30, 2), (1 << 30, 1 << 30, 1)]
)
def test_rows_from_the_memory(monkeypatch, total, row, rows):
    monkeypatch.setattr(memory, "total_bytes", lambda: total)
    assert memory.default_rows(row) == rows
