"""What is written layer by layer is what MLX would write of all at once, in the memory of one layer."""

import mlx.core as mx
import numpy as np
import pytest
from safetensors import safe_open

from mlx_tts.checkpoints.quantising import plan, quantised
from mlx_tts.checkpoints.weight_writer import write_tensors
from mlx_tts.checkpoints.work import ConversionWork

FORMS = [("affine", 4, 64), ("affine", 6, 32), ("affine", 8, 32), ("mxfp4", 4, 32), ("nvfp4", 4, 16)]


def silent() -> ConversionWork:
    return ConversionWork(lambda _line: None)


@pytest.mark.parametrize("dtype", [mx.bfloat16, mx.float32, mx.float16])
def test_a_file_is_what_mlx_writes(tmp_path, dtype):
    value = mx.random.normal((48, 128), key=mx.random.key(1))
    forms = {f"{mode}{bits}.weight": {"mode": mode, "bits": bits, "group_size": size} for mode, bits, size in FORMS}
    tensors = {name: (value, form) for name, form in forms.items()}
    others = {"bias": value[0], "turned": value.T, "ids": mx.arange(5), "flag": mx.array([True, False])}
    others |= {"number": mx.array(2.5), "empty": mx.zeros((0, 3))}
    tensors |= {name: (other, None) for name, other in others.items()}
    expected = {}
    for name, (own, form) in tensors.items():
        if form is not None:
            expected |= quantised(name, own, form, dtype)
        else:
            expected[name] = own.astype(dtype) if mx.issubdtype(own.dtype, mx.floating) else own
    work = silent()
    plan(tensors, dtype, work)
    write_tensors(tmp_path / "made.safetensors", tensors, dtype, {"format": "mlx"}, work)
    assert work.left == (pytest.approx(0, abs=1e-9), pytest.approx(1))
    stored, metadata = mx.load(str(tmp_path / "made.safetensors"), return_metadata=True)
    assert metadata == {"format": "mlx"}
    assert stored.keys() == expected.keys()
    for name, own in expected.items():
        assert (stored[name].dtype, stored[name].shape) == (own.dtype, own.shape)
        assert mx.array_equal(stored[name], own)
    with safe_open(tmp_path / "made.safetensors", "np") as file:  # checks offsets and the file's length
        assert set(file.keys()) == expected.keys()


@pytest.mark.slow
@pytest.mark.parametrize("form", [None, {"mode": "affine", "bits": 4, "group_size": 64}])
def test_it_holds_one_layer(tmp_path, form):
    """8 layers of 1 MB in bfloat16, which are 2 MB as floats; all of them would be 8 and 16."""
    layer = np.random.default_rng(0).standard_normal((512, 1024)).astype(np.float32)
    names = [f"layers.{number}.weight" for number in range(8)]
    stored = {name: mx.array(layer).astype(mx.bfloat16) for name in names}
    mx.save_safetensors(str(tmp_path / "source.safetensors"), stored)
    floats = layer.nbytes
    del stored
    del layer
    mx.clear_cache()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    tensors = {name: (value, form) for name, value in mx.load(str(tmp_path / "source.safetensors")).items()}
    write_tensors(tmp_path / "made.safetensors", tensors, mx.bfloat16, {}, silent())
    assert mx.get_peak_memory() - before < 3 * floats
