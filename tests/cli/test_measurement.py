"""`mlx-tts bench` measures any kind of model and prints one row; a frame asks the device for its numbers once."""

import re
from dataclasses import replace

import mlx.core as mx
import pytest

import mlx_tts
from mlx_tts import Sampling
from mlx_tts.cli import measurement, run
from mlx_tts.models.qwen3_tts import frames
from mlx_tts.runtime import device, mlx_thread
from tests.helpers.oracle_cases import request_for

pytestmark = pytest.mark.slow


@pytest.mark.smoke("base_tiny")
@pytest.mark.parametrize("case", ["custom_voice_tiny", "base_tiny", "voice_design_wide"])
def test_every_kind_of_model_is_measured(oracle, case):
    (measured,) = measurement.measure(oracle(case).synthesizer, 5, 1)
    assert 0 < measured.first <= measured.whole
    assert measured.frames == 5
    assert measured.audio == pytest.approx(0.4)


def test_the_row(oracle, capfd):
    assert run(["bench", "--model", str(oracle("custom_voice_tiny").folder), "--frames", "3", "--runs", "2"]) == 0
    head, _, row = capfd.readouterr().out.splitlines()
    assert head.count("|") == row.count("|")
    assert re.search(r"\| CPU \| \d+\.\d{3} \(\d+\.\d{3}-\d+\.\d{3}\) \| \d+\.\d \| \d+ ms \| \d+\.\d\d GB \|", row)


def test_the_medians():
    runs = [measurement.Run(first, 2 * first, 4.0, 50.0) for first in (0.1, 0.3, 0.2)]
    assert "| 0.100 (0.050-0.150) | 8.0 | 200 ms |" in measurement.row("tiny", runs)


@pytest.mark.long
def test_what_a_user_waits_for():
    with mlx_tts.load("tiny") as tts:
        rows = measurement.felt(tts, "tiny", seconds=1.0)
    values = [row.split("|")[2].strip() for row in rows]
    assert [bool(re.fullmatch(r"\d+\.\d\d s", value)) for value in values] == [True, True, False, False]
    assert all(float(value.split()[0]) > 0 for value in values)


def begin(loop, utterance, take):
    beginning = loop.begin(utterance, take)
    while True:
        try:
            next(beginning)
        except StopIteration as done:
            return done.value


@pytest.mark.parametrize("rows", [1, 2])
def test_a_frame_is_read_back_once(oracle, monkeypatch, rows):
    """Per step: one evaluation that does not wait, one reading of its codes, and nothing else that waits. Without what
    the CPU begins early, and in the form of GPUs and large models: a small one takes its steps by NumPy on the CPU."""
    whole_steps = replace(device.policy(), begins_early=False)
    monkeypatch.setattr(device, "policy", lambda: whole_steps)
    reference = oracle("custom_voice_tiny")
    synthesizer = reference.synthesizer
    name = reference.requests[0]["name"]
    request = request_for(reference, name, sampling=Sampling(temperature=0.9), seed=1, max_frames=12)
    loop = reference.model._loop
    for part in (loop.talker, loop.talker.code_predictor):
        monkeypatch.setattr(part, "_rows", None)
    begun = []
    for take in range(rows):
        prepared = mlx_thread.run(reference.model.prepare, synthesizer.check(request))
        begun.append(mlx_thread.run(begin, loop, prepared.utterance, take))
    counted = {"async_eval": 0, "eval": 0, "read": 0}

    def counting(name, real):
        def count(*arguments, **options):
            counted[name] += 1
            return real(*arguments, **options)

        return count

    monkeypatch.setattr(mx, "async_eval", counting("async_eval", mx.async_eval))
    monkeypatch.setattr(mx, "eval", counting("eval", mx.eval))
    monkeypatch.setattr(frames.np, "array", counting("read", frames.np.array))
    batch = loop.open_batch()
    steps = 12

    def speak():
        for _ in range(steps):
            assert all(row.ready for row in begun)
            assert len(batch.step(begun).read()) == rows

    mlx_thread.run(speak)
    assert counted["async_eval"] == steps
    assert counted["read"] <= 2 * steps + 8  # the codes and the keys of the draws; the settings when rows change
    assert counted["eval"] <= 2  # rows change
