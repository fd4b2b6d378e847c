"""The form that a GPU runs (MLX's own convolutions, compiled steps, no expanded weights), here on the CPU.

No test machine has Metal, so this is what stands in for it: the whole way from text to sound, kernels left out, as they
are on Metal unless asked for.
"""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from mlx import nn

from mlx_tts import Sampling
from mlx_tts.api import load_folder
from mlx_tts.models.families import open_checkpoint
from mlx_tts.models.qwen3_tts import frames as decode_loop
from mlx_tts.nn.cache import regrouped
from mlx_tts.runtime import mlx_thread
from tests.helpers.converting import convert
from tests.helpers.gpu_form import as_on_gpu, result_of
from tests.helpers.oracle_cases import request_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.compiled,
    pytest.mark.skipif(shutil.which("g++") is None, reason="NOT CHECKED: the GPU's form, for want of g++"),
]
GREEDY = Sampling(temperature=0)


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    as_on_gpu(monkeypatch)


def pieces(synthesizer, request):
    return np.concatenate([chunk.samples for chunk in synthesizer.stream(request)])


def test_speech_equals_the_official_codes_and_streams(oracle, as_on_a_gpu, monkeypatch):
    reference = oracle("custom_voice_tiny")
    wanted = reference.golden["english_ryan/codes"]
    synthesizer = load_folder(reference.folder)
    request = request_for(reference, "english_ryan", sampling=GREEDY, max_frames=len(wanted))
    assert np.array_equal(synthesizer.generate_codes(request), wanted)
    whole = synthesizer.decode_codes(wanted)
    # random weights amplify rounding: see the README's table
    np.testing.assert_allclose(pieces(synthesizer, request), whole, atol=1e-4)
    monkeypatch.undo()
    np.testing.assert_allclose(load_folder(reference.folder).decode_codes(wanted), whole, atol=1e-4)


def test_cloning_encodes_and_speaks_the_official_codes(oracle, as_on_a_gpu):
    reference = oracle("base_tiny")
    name = next(asked["name"] for asked in reference.requests if asked.get("clone") == "icl")
    wanted = reference.golden[f"{name}/codes"]
    synthesizer = load_folder(reference.folder)
    request = request_for(reference, name, sampling=GREEDY, max_frames=len(wanted))
    assert np.array_equal(synthesizer.generate_codes(request), wanted)


def test_quantised_weights_stay_quantised_and_give_the_same_codes(oracle, as_on_a_gpu, monkeypatch, tmp_path):
    reference = oracle("custom_voice_wide")
    convert(open_checkpoint(reference.folder), tmp_path / "small", bits=8, group_size=32, dtype="float32")
    request = request_for(reference, reference.requests[0]["name"], sampling=GREEDY, max_frames=12)
    synthesizer = load_folder(tmp_path / "small")
    layers = synthesizer._synthesizer.talker.model.layers
    assert isinstance(layers[0].self_attn.qkv_proj, nn.QuantizedLinear)
    codes = synthesizer.generate_codes(request)
    monkeypatch.undo()
    expanded = load_folder(tmp_path / "small")
    assert not isinstance(expanded._synthesizer.talker.model.layers[0].self_attn.qkv_proj, nn.QuantizedLinear)
    assert np.array_equal(codes, expanded.generate_codes(request))


def test_rows_that_come_and_go_give_the_codes_that_they_give_alone(oracle, as_on_a_gpu):
    reference = oracle("custom_voice_tiny")
    synthesizer = load_folder(reference.folder)
    lengths = (3, 9, 5, 7, 2, 8)
    names = [asked["name"] for asked in reference.requests][:2] * 3
    requests = [
        request_for(reference, name, sampling=GREEDY, max_frames=frames, retries=0)
        for name, frames in zip(names, lengths, strict=True)
    ]
    alone = [synthesizer.generate_codes(request) for request in requests]
    assert len({synthesizer.prompt(request).prefill.shape for request in requests}) > 1  # so some rows start late
    synthesizer.serve_rows(3)
    streams = [synthesizer.submit(request, silent=True) for request in requests]
    for codes, stream, frames in zip(alone, streams, lengths, strict=True):
        list(stream)
        assert np.array_equal(stream.codes, codes), f"the row with {frames} frames"


def test_a_row_that_missed_a_step_joins_behind_those_that_did_not(oracle, as_on_a_gpu, monkeypatch):
    """Of the others nothing is put together again, and each row is told its own codes."""
    reference = oracle("custom_voice_tiny")
    synthesizer = load_folder(reference.folder)
    names = [asked["name"] for asked in reference.requests][:3]
    requests = [request_for(reference, name, sampling=GREEDY, max_frames=3, retries=0) for name in names]
    alone = [synthesizer.generate_codes(request) for request in requests]
    model, joined = synthesizer._synthesizer, []

    def counted(batch, kept, joining):
        joined.append((len(kept), len(joining)))
        return regrouped(batch, kept, joining)

    monkeypatch.setattr(decode_loop, "regrouped", counted)

    def work():
        first, second, third = [
            result_of(model.begin(model.prepare(synthesizer.check(request)), 0)) for request in requests
        ]
        batch, made = model.open_batch(), {id(row): [] for row in (first, second, third)}
        for rows in ([first, second, third], [first, third], [first, second, third], [third, second, first]):
            for row, codes in zip(rows, batch.step(rows).read(), strict=True):
                made[id(row)].append(codes)
        return list(made.values())

    for codes, own in zip(mlx_thread.run(work), alone, strict=True):
        np.testing.assert_array_equal(codes[:3], own)
    assert joined == [(0, 3), (2, 0), (2, 1)]
