"""Packages made of the smallest oracle checkpoints: what the evaluator computes from the files is official speech."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from mlx_tts import Sampling, Voice
from mlx_tts.api import TextToSpeech
from mlx_tts.checkpoints.work import ConversionWork
from mlx_tts.errors import MlxTtsError, ModelError, RequestError
from mlx_tts.export.coreml import packages, runtime
from mlx_tts.export.coreml.evaluator import EvaluatedModel
from mlx_tts.export.coreml.graph import Form, save
from mlx_tts.export.coreml.packages import blob_file, model_file
from mlx_tts.export.coreml.reader import read_program
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.qwen3_tts.coreml import check, conversion, engine
from mlx_tts.models.qwen3_tts.coreml.costs import costs_of
from mlx_tts.models.qwen3_tts.coreml.model_graphs import code_decoder_parts, head_groups
from mlx_tts.models.qwen3_tts.coreml.steps import CoreMLRow
from mlx_tts.runtime import blas, mlx_thread
from tests.helpers.coreml import FakeCoreML, needs_coremltools
from tests.helpers.oracle_cases import request_for

pytestmark = [pytest.mark.slow, needs_coremltools()]
CASE, REQUEST, FRAMES = "custom_voice_tiny", "english_ryan", 6
GREEDY = Sampling(temperature=0)
SOUND = 1e-4  # as against the official sound: random weights enlarge what float32 rounds


def made(case, folder: Path, **options) -> Path:
    checkpoint = families.open_checkpoint(case.folder)
    half = options.pop("half", True)
    asked = ConvertOptions(format="coreml", context=64, **options)
    conversion.convert(checkpoint, folder, asked, lambda _line: None, half)
    return folder


@pytest.fixture(scope="module")
def full(oracle, tmp_path_factory):
    """float32, which proves the graphs; two layers of the talker to a package, so that there are several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mlx_tts.models.qwen3_tts.coreml.model_graphs.MOST_LAYERS", 1)
        return made(oracle(CASE), tmp_path_factory.mktemp("coreml") / "full", half=False)


@pytest.fixture(scope="module")
def half(oracle, tmp_path_factory):
    return made(oracle(CASE), tmp_path_factory.mktemp("coreml") / "half", norm="scaled")


def opened(folder: Path, open_model=EvaluatedModel) -> TextToSpeech:
    checkpoint = families.open_checkpoint(folder)

    def work() -> TextToSpeech:
        return TextToSpeech(
            checkpoint, engine.open_packages(checkpoint, open_model, lambda _line: None), blas.threads()
        )

    return mlx_thread.run(work)


def test_float32_packages_speak_the_official_codes(oracle, full):
    case = oracle(CASE)
    assert len(list(full.glob("CodeDecoder*.mlpackage"))) > 1
    request = request_for(case, REQUEST, sampling=GREEDY, max_frames=FRAMES)
    codes = opened(full).generate_codes(request)
    assert np.array_equal(codes, case.golden[f"{REQUEST}/codes"][:FRAMES])


def test_sampled_codes_and_sound_are_those_of_mlx(oracle, full):
    request = request_for(oracle(CASE), REQUEST, seed=5, max_frames=3, guard=False)
    ours, theirs = opened(full), oracle(CASE).synthesizer
    codes = theirs.generate_codes(request)
    assert len(codes) > 1
    assert np.array_equal(ours.generate_codes(request), codes)
    wanted, found = theirs.speak(request).samples, ours.speak(request).samples
    assert np.abs(found - wanted).max() < SOUND
    assert np.abs(ours.decode_codes(codes) - wanted).max() < SOUND


@pytest.mark.long
def test_core_ml_computes_what_the_evaluator_does(oracle, half, tmp_path, monkeypatch):
    """Through the module that speaks to Apple's framework, with a stand-in for the framework."""
    core = FakeCoreML(tmp_path)
    through = opened(half, lambda package: runtime.CoreMLModel(core, package, "ne"))
    request = request_for(oracle(CASE), REQUEST, seed=5, max_frames=2, guard=False)
    straight = opened(half)
    assert np.array_equal(through.generate_codes(request), straight.generate_codes(request))
    assert np.abs(through.speak(request).samples - straight.speak(request).samples).max() < 1e-3
    assert set(core.units) == {core.MLComputeUnitsCPUAndNeuralEngine}
    compilations = core.compilations
    assert compilations == len(list(half.glob("*.mlmodelc"))) == 3
    opened(half, lambda package: runtime.CoreMLModel(core, package, "cpu"))
    assert core.compilations == compilations
    shutil.rmtree(half / "SpeechDecoder.mlmodelc")
    monkeypatch.setattr(core.MLModel, "compileModelAtURL_error_", lambda url, _error: (None, "it does not fit"))
    with pytest.raises(ModelError, match=r"refused SpeechDecoder.mlpackage \(it does not fit\)"):
        runtime.CoreMLModel(core, half / "SpeechDecoder.mlpackage", "ne")


def test_two_requests_side_by_side_are_what_they_are_alone(oracle, full):
    case, speaking = oracle(CASE), opened(full)
    requests = [request_for(case, REQUEST, seed=seed, max_frames=2, guard=False) for seed in (1, 2)]
    alone = [speaking.generate_codes(request) for request in requests]
    streams = [speaking.submit(request, silent=True) for request in requests]
    for stream, codes in zip(streams, alone, strict=True):
        list(stream)
        assert np.array_equal(stream.codes, codes)


@pytest.mark.long
def test_a_clone_in_context_speaks_the_official_codes(oracle, tmp_path):
    """The voice's codes go through the talker, and through the codec before the first frame."""
    case = oracle("base_wide")  # its code predictor has another width than the talker
    asked = next(request for request in case.requests if request.get("clone") == "icl")
    folder = tmp_path / "base"
    conversion.convert(
        families.open_checkpoint(case.folder), folder, ConvertOptions(format="coreml", context=256), print, half=False
    )
    request = request_for(case, asked["name"], sampling=GREEDY, max_frames=2, guard=False)
    assert isinstance(request.voice, Voice)
    speaking = opened(folder)
    assert np.array_equal(speaking.generate_codes(request), case.golden[f"{asked['name']}/codes"][:2])
    wanted = case.synthesizer.speak(request).samples
    assert np.abs(speaking.speak(request).samples - wanted).max() < SOUND
    with pytest.raises(ModelError, match="hold no encoder"):
        speaking.voice(np.zeros(24000, np.float32), 24000)


def test_a_package_that_computes_something_else_is_refused(oracle, full, tmp_path, monkeypatch):
    """The check at the end of a conversion: one weight of the code predictor is another number."""
    folder = shutil.copytree(full, tmp_path / "changed")
    package = folder / "MultiCodeDecoder.mlpackage"
    offset, _, _ = next(place for place in read_program(package).blobs.values() if len(place[1]) == 4)
    with blob_file(package).open("r+b") as file:
        file.seek(offset)
        file.write(np.float32(1.5).tobytes())
    checkpoint = families.open_checkpoint(oracle(CASE).folder)
    monkeypatch.setattr("mlx_tts.models.qwen3_tts.coreml.model_graphs.MOST_LAYERS", 1)
    costs = costs_of(checkpoint, code_decoder_parts(checkpoint.model.talker_config, 64), 16)
    with pytest.raises(MlxTtsError, match=r"MultiCodeDecoder\.mlpackage differs from MLX"):
        check.check_packages(checkpoint, folder, costs, ConversionWork(lambda _line: None))


def test_a_program_with_another_operation_is_refused(tmp_path):
    package = tmp_path / "other.mlpackage"
    save(package, Form(), {"x": (1, 4, 1, 1)}, lambda graph, given: {"y": graph.op.tanh(x=given["x"])})
    with pytest.raises(ModelError, match="does not know: tanh"):
        EvaluatedModel(package)


def test_eight_bits_hold_256_numbers_in_a_weight(tmp_path):
    package = tmp_path / "small.mlpackage"
    weight = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    body = lambda graph, given: {"y": graph.linear(given["x"], weight)}  # noqa: E731
    save(package, Form(bits=8), {"x": (1, 64, 1, 1)}, body)
    model = EvaluatedModel(package, "wide")
    columns = [model.predict({"x": np.eye(64, dtype=np.float32)[:, at].reshape(1, 64, 1, 1)})["y"] for at in range(64)]
    stored = np.stack([column.reshape(-1) for column in columns], axis=1)
    assert 200 < len(np.unique(stored)) <= 256
    assert np.sqrt(np.square(stored - weight).mean()) < 0.008  # evenly spaced numbers would err by 0.009


@pytest.mark.parametrize("name", ["layer", "scaled"])
def test_both_norms_hold_values_whose_squares_leave_float16(tmp_path, name):
    package, weight = tmp_path / "norm.mlpackage", np.linspace(0.5, 2, 32).astype(np.float32)
    body = lambda graph, given: {"y": graph.rms_norm(given["x"], weight, 1e-6)}  # noqa: E731
    save(package, Form(norm=name), {"x": (1, 32, 1, 1)}, body)
    model = EvaluatedModel(package)
    for size in (600.0, 1.0, 1e-3):
        x = size * np.random.default_rng(1).standard_normal((1, 32, 1, 1)).astype(np.float32)
        wanted = x / np.sqrt(np.square(x).mean() + 1e-6) * weight.reshape(1, -1, 1, 1)
        assert np.abs(model.predict({"x": x})["y"] - wanted).max() < 0.02 * np.abs(wanted).max()
    assert np.array_equal(model.predict({"x": np.zeros((1, 32, 1, 1))})["y"], np.zeros((1, 32, 1, 1)))


def test_packages_keep_to_what_the_neural_engine_takes(half):
    for package in half.glob("*.mlpackage"):
        program = read_program(package)
        for shape, _ in [*program.inputs.values(), *program.states.values()]:
            assert len(shape) <= 4
            assert max(shape) <= 16_384


def test_parts_and_heads_of_the_released_sizes(oracle):
    config = families.open_checkpoint(oracle(CASE).folder).model.talker_config
    sizes = {"num_hidden_layers": 28, "num_key_value_heads": 8, "head_dim": 128}
    parts = code_decoder_parts(type(config)(**{**vars(config), **sizes}), 512)
    assert [(part.first, part.sizes.layers, part.last) for part in parts] == [(0, 14, False), (14, 14, True)]
    assert [part.cache_shape for part in parts] == [(1, 14_336, 1, 512)] * 2
    assert [len(group) for group in head_groups(15, 2048)] == [8, 7]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bits": 4}, "bits is 4: use 8, 16"),
        ({"context": 100}, "context is 100: use a multiple of 32"),
        ({"norm": "plain"}, "norm is plain: use layer, scaled"),
    ],
)
def test_what_packages_cannot_be(oracle, tmp_path, options, message):
    with pytest.raises(RequestError, match=message):
        conversion.convert(
            families.open_checkpoint(oracle(CASE).folder),
            tmp_path / "x",
            ConvertOptions(format="coreml", **options),
            print,
        )
    assert not list(tmp_path.iterdir())


def test_no_room_and_no_extra(oracle, tmp_path, monkeypatch):
    checkpoint = families.open_checkpoint(oracle(CASE).folder)
    monkeypatch.setattr(conversion, "ROOM_FACTOR", 1e12)
    with pytest.raises(MlxTtsError, match="GB free and this conversion wants"):
        conversion.convert(checkpoint, tmp_path / "x", ConvertOptions(format="coreml"), print)
    packages.coremltools.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "coremltools", None)
    with pytest.raises(MlxTtsError, match=r"pip install .*\[coreml\]"):
        conversion.convert(checkpoint, tmp_path / "x", ConvertOptions(format="coreml"), print)
    assert not list(tmp_path.iterdir())


def test_a_prompt_longer_than_the_context_is_refused(oracle, half):
    request = request_for(oracle(CASE), REQUEST, max_frames=2)
    long = type(request)(**{**vars(request), "text": "word " * 80})
    with pytest.raises(RequestError, match="these packages hold 64 of prompt and speech"):
        opened(half).generate_codes(long)
    full_row = CoreMLRow(utterance=None, take=0, caches=[], x=None, used=None, sampling=None, context=64, position=64)
    with pytest.raises(ModelError, match="longer than the 64 positions"):
        assert full_row.ready


def test_folders_that_are_damaged_or_of_another_version(oracle, half, tmp_path):
    folder = shutil.copytree(half, tmp_path / "copy")
    with model_file(folder / "CodeDecoder.mlpackage").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelError, match=r"CodeDecoder\.mlpackage is not as it was made"):
        opened(folder)
    text = json.loads((folder / "coreml.json").read_text())
    (folder / "coreml.json").write_text(json.dumps({**text, "format": 99}))
    with pytest.raises(ModelError, match="is of format 99, this version reads 1: convert the model again"):
        opened(folder)
    with pytest.raises(ModelError, match=r"has no coreml\.json"):
        opened(oracle(CASE).folder)
    with pytest.raises(ModelError, match="holds Core ML packages: `speak` them with --engine coreml"):
        families.load(families.open_checkpoint(half))
    with pytest.raises(RequestError, match="holds Core ML packages already"):
        conversion.convert(families.open_checkpoint(half), tmp_path / "again", ConvertOptions(format="coreml"), print)


def test_a_family_without_packages():
    with pytest.raises(RequestError, match="a magpie model has no form for Core ML"):
        families.coreml_form("magpie")
