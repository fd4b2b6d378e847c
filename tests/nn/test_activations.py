"""Activations: MLX's own numbers, and nothing compiled on the CPU, by any path that speaks, clones or converts."""

import ast
import os
import subprocess
import sys
from math import erf, exp, sqrt

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.nn.activations import elu, gelu, relu, silu
from tests.helpers.paths import ROOT

X = np.linspace(-9, 9, 1001, dtype=np.float32)


@pytest.mark.parametrize(
    ("function", "exact"),
    [
        (silu, lambda x: x / (1 + exp(-x))),
        (gelu, lambda x: x * (1 + erf(x / sqrt(2))) / 2),
        (relu, lambda x: max(x, 0.0)),
        (elu, lambda x: x if x > 0 else exp(x) - 1),
    ],
)
def test_numbers(function, exact):
    assert np.abs(np.array(function(mx.array(X))) - np.array([exact(float(x)) for x in X])).max() < 2e-6


WORK = """
import sys
import numpy as np
import mlx.core as mx
mx.set_default_device(mx.cpu)
from pathlib import Path
from mlx_tts.api import load_folder
presets, base, made = map(Path, sys.argv[1:])
tts = load_folder(presets)
tts.speak("One two.", max_frames=3)
tts = load_folder(base)
voice = tts.voice(np.sin(np.arange(24000) / 9).astype(np.float32), 24000, "one two")
tts.speak("One two.", voice=voice, max_frames=3)
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
checkpoint = families.open_checkpoint(presets)
families.family("qwen3_tts").convert(checkpoint, made, ConvertOptions(), print)
assert made.is_dir()
"""


@pytest.mark.slow
@pytest.mark.parametrize("path", [os.environ["PATH"], "/nonexistent"], ids=["with a compiler", "without one"])
def test_nothing_is_compiled_on_the_cpu(tmp_path, oracle, path):
    """No folder of MLX's is in the temporary directory at the end. Without a compiler MLX makes none by itself."""
    (tmp_path / "temporary").mkdir()
    environment = {
        **os.environ,
        "PATH": path,
        "TMPDIR": str(tmp_path / "temporary"),
        "PYTHONPATH": str(ROOT),
    }
    folders = [str(oracle(name).folder) for name in ("custom_voice_tiny", "base_tiny")]
    line = [sys.executable, "-c", WORK, *folders, str(tmp_path / "made")]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not list((tmp_path / "temporary").rglob("*cpu*"))


OTHERS = """
import mlx.core as mx
mx.set_default_device(mx.cpu)
import mlx_tts.models.qwen3_tts.synthesizer
mx.eval(mx.compile(lambda x: mx.sin(x) * 2 + 1)(mx.ones(3)))
"""


@pytest.mark.slow
@pytest.mark.compiled
def test_other_code_in_the_process_may_compile(tmp_path):
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", OTHERS], env=environment, check=True)
    assert list(tmp_path.glob("mlx/*/cpu/*.so"))


ACTIVATIONS = vars(__import__("mlx.nn.layers.activations", fromlist=["x"]))
# Its functions that are compiled, and its layers, which use them.
COMPILED = {
    name
    for name, value in ACTIVATIONS.items()
    if type(value).__name__ == "_gc_func" or (isinstance(value, type) and value.__module__ == ACTIVATIONS["__name__"])
}


@pytest.mark.slow
def test_no_module_uses_a_compiled_function_of_mlx():
    assert {"silu", "gelu", "relu", "elu", "ELU", "SiLU"} <= COMPILED
    for path in (ROOT / "mlx_tts").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if path.name == "activations.py" or "nn." not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "nn":
                assert node.attr not in COMPILED, f"{path} uses nn.{node.attr}: take mlx_tts.nn.activations"
