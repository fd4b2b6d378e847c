"""The form that a GPU runs (`gpu_step.py`, compiled, steps sent ahead), here on the CPU, against the goldens."""

import shutil

import numpy as np
import pytest

import mlx_tts
import mlx_tts.models.magpie.synthesizer
from mlx_tts import SpeechRequest
from mlx_tts.models.magpie.gpu_step import LocalSampler
from mlx_tts.speech import Sampling
from tests.helpers.gpu_form import as_on_gpu
from tests.models.magpie.test_oracle import REQUESTS
from tests.models.magpie.test_rows import TEXTS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.compiled,
    pytest.mark.skipif(shutil.which("g++") is None, reason="NOT CHECKED: the GPU's form, for want of g++"),
]


@pytest.fixture
def on_a_gpu(magpie, loaded, monkeypatch):
    """The case, and a model that believes to be on a GPU."""

    def case(name):
        made = magpie(name)  # first: that model is on the CPU
        as_on_gpu(monkeypatch)
        if name not in loaded:
            loaded[name] = mlx_tts.load(str(made.folder))
        return made, loaded[name]

    return case


@pytest.mark.smoke("baked_s1-short", "baked_s2-longer", "context_audio-clone_odd", "maskgit-five_steps")
@pytest.mark.parametrize(("case", "name"), REQUESTS)
def test_a_request_is_what_nemo_makes_of_it(on_a_gpu, case, name):
    from magpie.compare import OneRequest

    made, tts = on_a_gpu(case)
    assert isinstance(tts._synthesizer._loop._sample, LocalSampler) == (case != "maskgit")
    asked = next(request for request in made.json("requests.json") if request["name"] == name)
    assert OneRequest(tts, made.golden, asked, made.json("manifest.json")["stride"]).compare() == []


@pytest.mark.smoke("guidance1-baked_s2")
@pytest.mark.parametrize("case", ["baked_s1", "baked_s2"])
@pytest.mark.parametrize("guidance", [(2.5, 2.5, 2.5, 2.5), (2.5, 1.0, 2.5, 1.0), (1.0, 1.0, 1.0, 1.0)])
def test_rows_beside_each_other_have_the_codes_that_they_have_alone(on_a_gpu, case, guidance):
    _, tts = on_a_gpu(case)
    asked = [
        SpeechRequest(
            text,
            voice=tts.voices[at % len(tts.voices)],
            language="en",
            seed=at,
            max_frames=9 + at,
            sampling=Sampling(temperature=0) if at == 2 else None,
            options={"guidance": own},
        )
        for at, (text, own) in enumerate(zip(TEXTS, guidance, strict=True))
    ]
    alone = [tts.generate_codes(request) for request in asked]
    streams = [tts.submit(request) for request in asked]
    for stream, codes in zip(streams, alone, strict=True):
        list(stream)
        np.testing.assert_array_equal(stream.codes, codes)


def test_draws_are_those_of_the_cpu(on_a_gpu):
    made, tts = on_a_gpu("baked_s2")
    request = SpeechRequest(TEXTS[0], voice="Leo", language="en", seed=3, max_frames=16, guard=False)
    np.testing.assert_array_equal(tts.generate_codes(request), made.tts.generate_codes(request))
