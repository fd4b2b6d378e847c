"""The form that a GPU runs (`gpu_step.py`, compiled steps, MLX's own convolutions), here on the CPU, against the goldens."""

import shutil
import sys

import mlx.core as mx
import numpy as np
import pytest

import mlx_tts
from tests.models.voxcpm2.test_oracle import REQUESTS
from tests.models.voxcpm2.test_rows import alone, requests

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="NOT CHECKED: the GPU's form, for want of g++")


@pytest.fixture(scope="module")
def on_a_gpu(voxcpm):
    """`voxcpm`, with a model that believes to be on a GPU."""
    import mlx_tts.models.voxcpm2.synthesizer  # noqa: F401 (all that a model needs, so that all of it is found below)

    patch = pytest.MonkeyPatch()
    made = {}

    def case(name):
        if name not in made:
            folder = voxcpm(name).folder
            for module in [module for key, module in sys.modules.items() if key.startswith("mlx_tts.")]:
                if hasattr(module, "on_gpu"):
                    patch.setattr(module, "on_gpu", lambda: True)
            made[name] = mlx_tts.load(str(folder))
        return made[name]

    yield case
    for tts in made.values():
        tts.close()
    patch.undo()


@pytest.mark.slow
@pytest.mark.parametrize(("case", "name"), REQUESTS)
def test_a_request_is_what_the_official_code_makes_of_it(voxcpm, on_a_gpu, case, name):
    from voxcpm2.compare import OneRequest

    made = voxcpm(case)
    asked = next(request for request in made.json("requests.json") if request["name"] == name)
    tts = on_a_gpu(case)
    assert type(tts._synthesizer._loop.diffusion).__name__ == "GpuDiffusion"
    assert OneRequest(tts, made.golden, asked, made.json("manifest.json")["stride"]).compare() == []
