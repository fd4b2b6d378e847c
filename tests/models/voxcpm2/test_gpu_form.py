"""The form that a GPU runs (`gpu_step.py`, compiled, MLX's own convolutions), here on the CPU, against the goldens."""

import shutil

import mlx.core as mx
import numpy as np
import pytest

import mlx_tts
import mlx_tts.models.voxcpm2.synthesizer
from mlx_tts import SpeechRequest
from mlx_tts.models.voxcpm2.config import GenerationSettings
from mlx_tts.models.voxcpm2.frames import FrameLoop, Utterance
from mlx_tts.models.voxcpm2.gpu_step import GpuDiffusion
from mlx_tts.models.voxcpm2.network import open_network
from mlx_tts.nn.linear import cast_network
from mlx_tts.runtime import mlx_thread
from tests.helpers.gpu_form import as_on_gpu, result_of
from tests.models.voxcpm2.test_oracle import REQUESTS
from tests.models.voxcpm2.test_rows import alone, requests

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="NOT CHECKED: the GPU's form, for want of g++"),
]


@pytest.fixture
def on_a_gpu(voxcpm, loaded, monkeypatch):
    """`voxcpm`, with a model that believes to be on a GPU."""

    def case(name):
        folder = voxcpm(name).folder  # first: that model is on the CPU
        as_on_gpu(monkeypatch)
        if name not in loaded:
            loaded[name] = mlx_tts.load(str(folder))
        return loaded[name]

    return case


@pytest.mark.smoke("text-chinese", "clone-both", "first-continuation")
@pytest.mark.slow
@pytest.mark.parametrize(("case", "name"), REQUESTS)
def test_a_request_is_what_the_official_code_makes_of_it(voxcpm, on_a_gpu, monkeypatch, case, name):
    from voxcpm2 import compare

    made = voxcpm(case)
    asked = next(request for request in made.json("requests.json") if request["name"] == name)
    tts = on_a_gpu(case)
    assert type(tts._synthesizer._loop.diffusion) is GpuDiffusion
    # Sums in another order: patches feed back, and the last ones of a continuation are the furthest (4e-4 on the CPU).
    monkeypatch.setattr(compare, "TOLERANCE", 1e-3)
    monkeypatch.setattr(compare, "SOUND_TOLERANCE", 2e-3)
    request = compare.OneRequest(tts, made.golden, asked, made.json("manifest.json")["stride"])
    assert request.compare() == []


@pytest.mark.smoke("text")
@pytest.mark.slow
@pytest.mark.parametrize("case", ["text", "first"])
def test_rows_beside_each_other_are_those_alone(on_a_gpu, case):
    """Other guidance, none, other steps, other lengths; products of more rows may round otherwise."""
    tts = on_a_gpu(case)
    asked = requests()
    for at, options in ((1, {"steps": 4}), (2, {"guidance": 1.0}), (3, {"guidance": 1.5})):
        asked[at] = SpeechRequest(**{**vars(asked[at]), "options": options})
    separate = [alone(tts, request)[0] for request in asked]
    streams = [tts.submit(request) for request in asked]
    for stream, codes in zip(streams, separate, strict=True):
        list(stream)
        np.testing.assert_allclose(stream.codes, codes, atol=2e-4)


def test_a_bfloat16_model_computes_in_it(voxcpm, on_a_gpu):
    """One float32 array in a step of one position, and every weight behind it is expanded in every patch."""
    tts = on_a_gpu("text")
    loop = tts._synthesizer._loop

    def dtypes():
        model = open_network(tts._checkpoint)
        cast_network(model, mx.bfloat16, print)
        model.prepare()
        own = FrameLoop(model)
        utterance = Utterance(tts.prompt(SpeechRequest("Hello.")), GenerationSettings(), 1)
        row = result_of(own.begin(utterance))
        own.launch([row])
        return {value.dtype for value in (row.lm, row.residual)} | {
            cache.kv.dtype for caches in row.caches for cache in caches
        }

    assert type(loop.diffusion) is GpuDiffusion
    assert mlx_thread.run(dtypes) == {mx.bfloat16}


def test_long_pieces_are_decoded_in_slices(on_a_gpu, monkeypatch):
    """Slices of four patches bound what a GPU holds (test_memory.py), by few compiled steps for pieces of any length;
    of several rows they are of two patches."""
    decoder, lengths = on_a_gpu("text")._synthesizer._decoder, []
    step = decoder._short_step
    monkeypatch.setattr(decoder, "_short_step", lambda x, state: lengths.append(x.shape[1]) or step(x, state))

    def decoded():
        patches = mx.array(np.random.default_rng(1).normal(size=(1, 9, 4, 64)).astype(np.float32))
        whole, _ = decoder.step_patches(patches, decoder.make_state())
        first, state = decoder.step_patches(patches[:, :1], decoder.make_state())
        rest, _ = decoder.step_patches(patches[:, 1:], state)
        return np.array(whole), np.concatenate([np.array(first), np.array(rest)], axis=1)

    whole, streamed = mlx_thread.run(decoded)
    assert lengths == [16, 16, 4, 4, 16, 16]
    assert [decoder._at_once(rows) for rows in (1, 2, 16)] == [16, 8, 8]
    np.testing.assert_allclose(streamed, whole, atol=1e-5)
