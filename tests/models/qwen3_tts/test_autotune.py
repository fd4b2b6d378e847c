"""What a trial finds out, with planted faults and a device that is not there; what is kept of it, and who uses it."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, replace

import mlx.core as mx
import pytest
from mlx import nn

from benchmarks.random_model import random_talker, talker_config
from mlx_tts.kernels.core import autotune as results
from mlx_tts.kernels.core import forms, trials
from mlx_tts.kernels.core.autotune import AutotuneResult, run_autotune
from mlx_tts.kernels.core.forms import FUSED, HALF, PLAIN
from mlx_tts.models.qwen3_tts import autotune
from tests.helpers import metal_emulator
from tests.helpers.paths import ROOT


@pytest.fixture(scope="module")
def talker():
    config = talker_config("tiny")
    small = {"num_hidden_layers": 1, "num_code_groups": 3, "head_dim": 16, "num_attention_heads": 2}
    small |= {"num_key_value_heads": 1, "intermediate_size": 64}
    predictor = replace(config.code_predictor_config, **small, hidden_size=64, vocab_size=64)
    config = replace(config, **small, hidden_size=64, vocab_size=64, code_predictor_config=predictor)
    return random_talker(replace(config, text_hidden_size=64), 32, mx.float32)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path))
    monkeypatch.delenv("MLX_TTS_KERNELS", raising=False)
    monkeypatch.delenv("MLX_TTS_ATTENTION_KERNEL", raising=False)
    return tmp_path


@pytest.fixture
def on_metal(monkeypatch):
    monkeypatch.setattr(forms, "gpu_language", lambda: "metal")


def child(fault: str) -> list[str]:
    return [sys.executable, "-m", "tests.helpers.trial_child", fault]


@pytest.mark.smoke("wrong-off by")
@pytest.mark.slow
@pytest.mark.skipif(metal_emulator.COMPILER is None, reason="NOT CHECKED: trials of kernels, for want of g++")
@pytest.mark.parametrize(
    ("fault", "reason"),
    [("none", None), ("wrong", "off by"), ("refused", "Threadgroup"), ("crash", "signal 11"), ("hang", "no answer")],
)
def test_a_faulty_kernel_is_left_out_and_the_others_stay(fault, reason, talker, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("MLX_TTS_ATTENTION_KERNEL", "1")
    shapes = autotune.shapes_of(talker)
    begin = time.monotonic()
    result = run_autotune(child(fault), shapes, 8.0 if fault == "hang" else 60.0)
    assert time.monotonic() - begin < 120
    assert {name.split("(")[0] for name in result.kernels} == {"product", "sampling", "attention"}
    planted = {name for name in result.kernels if "behind=2" in name} if reason else set()
    assert result.left_out == planted
    assert all(reason in result.kernels[name] for name in planted)
    assert set(result.milliseconds) == {"plain", "half", "fused"}
    assert not result.faults


def test_a_child_that_never_begins_leaves_the_plain_form():
    for command in (
        [sys.executable, "-c", "raise SystemExit(3)"],
        [sys.executable, "-c", "import time; time.sleep(60)"],
    ):
        result = run_autotune(command, {}, 1.0)
        assert result.form == PLAIN
        assert set(result.faults) == {"start"}


def test_a_form_that_crashes_is_left_out_and_the_others_are_still_timed():
    script = """
import json, os, sys
task = json.loads(sys.stdin.readline())
for name, took in (("plain", 9.0), ("half", 5.0), ("fused", 3.0)):
    if name in task["skipped_forms"]:
        continue
    print("something that MLX prints")
    print(json.dumps({"begin": "form", "name": name}), flush=True)
    if name == "half":
        os.abort()
    print(json.dumps({"kind": "form", "name": name, "fault": None, "milliseconds": took}), flush=True)
print(json.dumps({"kind": "end"}), flush=True)
"""
    result = run_autotune([sys.executable, "-c", script], {}, 20.0)
    assert result.milliseconds == {"plain": 9.0, "fused": 3.0}
    assert result.faults == {"half": "killed by signal 6"}
    assert result.form == FUSED


@pytest.mark.parametrize(
    ("milliseconds", "faults", "form"),
    [
        ({"plain": 9.0, "half": 5.0, "fused": 4.0}, {}, FUSED),
        ({"plain": 9.0, "half": 5.0, "fused": 6.0}, {}, HALF),
        ({"plain": 3.0, "half": 5.0, "fused": 6.0}, {}, PLAIN),
        ({"plain": 9.0, "half": 5.0, "fused": 4.0}, {"fused": "hung"}, HALF),
        ({}, {"start": "exit code 1"}, PLAIN),
    ],
)
def test_the_fastest_form_that_did_not_fail(milliseconds, faults, form):
    assert AutotuneResult({}, milliseconds, faults).form == form


def test_a_result_is_kept_for_a_month_for_its_owner_alone(home, monkeypatch):
    path = results.path_of({"rows": 1})
    assert path.parent == home / "kernels"
    result = AutotuneResult({"product(1)": None, "draw": "off by 3"}, {"plain": 2.0, "half": 1.5}, {}, time.time())
    results.write(path, result)
    assert results.read(path) == result
    assert result.left_out == {"draw"}
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    path.chmod(0o666)
    assert results.read(path) is None  # anybody could have written it
    path.chmod(0o600)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 31 * 86_400)
    assert results.read(path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"kernels": 1}', '{"kernels": {}, "milliseconds": {"a": "x"}}'])
def test_a_damaged_result_is_none(text, home):
    path = results.path_of({})
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert results.read(path) is None


def test_a_result_belongs_to_machine_text_and_shapes(home, monkeypatch):
    shapes = {"rows": 1}
    paths = {results.path_of(shapes), results.path_of({"rows": 2})}
    monkeypatch.setattr(results.metadata, "version", lambda _: "99")
    paths.add(results.path_of(shapes))
    monkeypatch.setattr(results, "digest_of_all_text", lambda: "other")
    paths.add(results.path_of(shapes))
    monkeypatch.setattr(mx, "device_info", lambda: {"device_name": "Apple M9", "architecture": "applegpu_g21g"})
    paths.add(results.path_of(shapes))
    assert len(paths) == 5


def test_a_model_speaks_plain_until_there_is_a_result_and_begins_autotune_once(home, on_metal, talker, monkeypatch):
    begun = []

    class Keeper:
        def __init__(self, command, **options):
            begun.append(command[-1])
            self.stdin = open(os.devnull, "w")  # noqa: PTH123, SIM115 (a pipe's stand-in)

    monkeypatch.setattr(trials.subprocess, "Popen", Keeper)
    assert autotune.TRIAL.choose(talker).form == PLAIN
    assert autotune.TRIAL.choose(talker).form == PLAIN
    assert begun == ["keep"]  # the second finds the lock of the first
    path = results.path_of(autotune.shapes_of(talker))
    results.write(path, AutotuneResult({"x": "off by 2"}, {"plain": 9.0, "half": 4.0}, {}, time.time()))
    choice = autotune.TRIAL.choose(talker)
    assert (choice.form, choice.left_out) == (HALF, {"x"})
    monkeypatch.setenv("MLX_TTS_KERNELS", "off")
    assert autotune.TRIAL.choose(talker).form == PLAIN


def test_no_trial_where_nothing_can_be_kept(on_metal, talker, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MLX_TTS_HOME", str(tmp_path / "file"))
    monkeypatch.delenv("MLX_TTS_KERNELS", raising=False)
    assert autotune.TRIAL.choose(talker).form == PLAIN


def test_keeping_unlocks_whatever_happens(home):
    path = results.path_of({})
    path.parent.mkdir(parents=True)
    path.with_suffix(".lock").write_text("")
    autotune.TRIAL.keep({"shapes": {}, "path": str(path)}, [sys.executable, "-c", "raise SystemExit(1)"], 5.0)
    assert not path.with_suffix(".lock").exists()
    assert json.loads(path.read_text())["faults"] == {"start": "exit code 1"}


@pytest.mark.slow
def test_the_trial_has_the_bits_of_each_part():
    """Those of each layer, too: the last MLPs of the talker may have more than the first."""
    config = replace(talker_config("tiny"), num_hidden_layers=3)
    plain = {"config": asdict(config), "formats": ["plain"], "dtype": "bfloat16"}
    mixed = autotune.random_talker(plain)
    bits = {"model.layers.2.mlp": 6, "model.layers": 4, "codec_head": 8}
    bits |= {"code_predictor.model.layers.1.self_attn": 8, "code_predictor.model": 6, "code_predictor.lm_head": 4}
    for part, own in bits.items():
        chosen = lambda path, layer, part=part: path.startswith(part) and isinstance(layer, nn.Linear)  # noqa: E731
        nn.quantize(mixed, 64, own, class_predicate=chosen)
    shapes = json.loads(json.dumps(autotune.shapes_of(mixed)))
    trial = autotune.random_talker(shapes)
    assert autotune.shapes_of(trial) == shapes
    assert trial.code_predictor.model.layers[0].mlp.down_proj.bits == 6
    assert [layer.self_attn.o_proj.bits for layer in trial.code_predictor.model.layers[:2]] == [6, 8]
    assert trial.code_predictor.lm_head[0].bits == trial.model.layers[2].self_attn.o_proj.bits == 4
    assert [layer.mlp.down_proj.bits for layer in trial.model.layers] == [4, 4, 6]
    assert trial.codec_head.bits == 8
    assert isinstance(trial.text_projection.linear_fc1, nn.Linear)
    uniform = autotune.random_talker(plain | {"formats": ["4,64,affine"]})
    assert "formats_by_part" not in autotune.shapes_of(uniform)  # earlier results stay valid
