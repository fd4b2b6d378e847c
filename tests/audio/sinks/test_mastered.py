"""What reaches the sink behind: all samples, whatever else happens, and nothing more once it has refused some."""

from __future__ import annotations

import numpy as np
import pytest

from mlx_tts.audio.sinks import MasteredSink, TwoPassSink
from mlx_tts.errors import AudioError

SAMPLES = (0.1 * np.sin(np.arange(48_000) / 20)).astype(np.float32)


class KeepingSink:
    def __init__(self, most=None):
        self.samples, self.most, self.calls = np.zeros(0, np.float32), most, []

    def begin_chapter(self, number):
        self.calls.append(("chapter", number))

    def write(self, samples):
        assert "closed" not in self.calls, "written to after it failed"
        if self.most is not None and len(self.samples) + len(samples) > self.most:
            self.calls.append("closed")
            raise AudioError("the disk is full")
        self.samples = np.concatenate([self.samples, samples])

    def finish(self):
        self.calls.append("finish")

    def abandon(self):
        self.calls.append("abandon")


def one_pass(sink, folder):
    return MasteredSink(sink, 24_000)


def two_passes(sink, folder):
    return TwoPassSink(sink, 24_000, -20.0, folder)


@pytest.mark.parametrize("make", [one_pass, two_passes])
@pytest.mark.parametrize("chapters", [(), (0, 1)])
def test_all_samples_pass(make, chapters, tmp_path):
    kept = KeepingSink()
    sink = make(kept, tmp_path)
    for number in chapters or (None,):
        if number is not None:
            sink.begin_chapter(number)
        sink.write(SAMPLES)
    sink.finish()
    assert len(kept.samples) == len(SAMPLES) * max(1, len(chapters))
    assert [call for call in kept.calls if call != "finish"] == [("chapter", number) for number in chapters]


@pytest.mark.parametrize("make", [one_pass, two_passes])
def test_a_sink_that_failed_gets_nothing_more(make, tmp_path):
    """A writer whose disk is full has closed its file: what the limiter still holds must not go there."""
    kept = KeepingSink(most=30_000)
    sink = make(kept, tmp_path)
    sink.begin_chapter(0)
    with pytest.raises(AudioError, match="the disk is full"):  # noqa: PT012 (one pass fails early, two at the end)
        sink.write(SAMPLES)
        sink.write(SAMPLES)
        sink.finish()
    sink.abandon()
    assert kept.calls[-1] == "abandon"
