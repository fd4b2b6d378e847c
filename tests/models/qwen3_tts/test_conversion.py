"""Conversions load here and in mlx-audio; what mlx-audio converts loads here; nothing half-written is left."""

import json
import shutil
from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.api import load_folder
from mlx_tts.checkpoints.tensors import open_tensors
from mlx_tts.errors import MlxTtsError, ModelError, RequestError
from mlx_tts.models.families import open_checkpoint
from mlx_tts.models.qwen3_tts import conversion
from mlx_tts.models.qwen3_tts.codec.weights import plain_tensors
from mlx_tts.speech import Sampling, SpeechRequest
from tests.helpers.converting import convert, first_frames
from tests.helpers.paths import TINY

pytestmark = pytest.mark.slow

GREEDY = Sampling(temperature=0)


def spoken(folder: Path, **options) -> np.ndarray:
    synthesizer = load_folder(folder)
    voice = "ryan" if synthesizer.info.kind == "custom_voice" else None
    request = SpeechRequest("Hello world.", voice=voice, language="english", sampling=GREEDY, max_frames=10, **options)
    samples = synthesizer.speak(request).samples
    assert samples.shape == (10 * 1920,)
    assert np.isfinite(samples).all()
    assert samples.std() > 0
    return synthesizer.generate_codes(request)


@pytest.fixture(scope="module")
def eight_bits(oracle, tmp_path_factory) -> Path:
    """A small model in 8 bits; tests read it and change nothing."""
    folder = tmp_path_factory.mktemp("eight") / "small"
    source = open_checkpoint(oracle("custom_voice_wide").folder)
    convert(source, folder, bits=8, group_size=32, dtype="float32")
    return folder


@pytest.fixture(scope="module")
def eight_bit_codec(tmp_path_factory) -> Path:
    """The built-in model, all of it in 8 bits; tests read it and change nothing."""
    folder = tmp_path_factory.mktemp("codec") / "small"
    convert(open_checkpoint(TINY), folder, bits=8, codec_dtype="float16", codec_bits=8)
    return folder


def test_a_float32_conversion_speaks_the_same_codes(oracle, tmp_path):
    source = oracle("custom_voice_wide").folder
    convert(open_checkpoint(source), tmp_path / "plain", dtype="float32")
    assert np.array_equal(spoken(tmp_path / "plain"), spoken(source))


@pytest.mark.smoke("4-mxfp4-32")
@pytest.mark.parametrize(
    ("bits", "mode", "group_size"), [(8, "affine", 32), (6, "affine", 32), (4, "affine", 32), (4, "mxfp4", 32)]
)
def test_quantised_conversions_speak(oracle, tmp_path, bits, mode, group_size):
    convert(
        open_checkpoint(oracle("custom_voice_wide").folder),
        tmp_path / "small",
        bits=bits,
        mode=mode,
        group_size=group_size,
    )
    config = json.loads((tmp_path / "small" / "config.json").read_text())
    assert config["quantization"]["bits"] == bits
    spoken(tmp_path / "small")


def closeness(folder: Path, source) -> float:
    """Correlation of the first logits with the official ones: near 1 when the numbers are the source's, not noise."""
    talker = load_folder(folder)._synthesizer.talker
    logits, _ = talker(mx.array(source.golden["english_ryan/prefill"])[None], talker.make_cache())
    return np.corrcoef(np.array(logits[0]), source.golden["english_ryan/logits0"])[0, 1]


def test_eight_bits_stay_close_to_the_source(oracle, eight_bits):
    assert json.loads((eight_bits / "config.json").read_text())["quantization"]["bits"] == 8
    assert closeness(eight_bits, oracle("custom_voice_wide")) > 0.999


def test_layers_that_no_group_divides_stay_plain(oracle, tmp_path):
    """96 columns hold no whole group of 64: those layers keep their dtype, and both kinds load side by side."""
    convert(open_checkpoint(oracle("custom_voice_wide").folder), tmp_path / "mixed", bits=8, group_size=64)
    spoken(tmp_path / "mixed")


def test_a_quantised_text_table_loads(oracle, tmp_path):
    convert(
        open_checkpoint(oracle("custom_voice_tiny").folder),
        tmp_path / "small",
        bits=8,
        group_size=32,
        text_embedding_bits=8,
    )
    assert "talker.model.text_embedding.scales" in mx.load(str(tmp_path / "small" / "model.safetensors"))
    spoken(tmp_path / "small")


def test_a_base_conversion_still_clones(oracle, tmp_path):
    source = oracle("base_tiny")
    convert(open_checkpoint(source.folder), tmp_path / "base", dtype="float32")
    audio = source.golden["audio"]
    before = source.synthesizer.speaker_embedding(audio, 24000)
    after = load_folder(tmp_path / "base").speaker_embedding(audio, 24000)
    assert np.array_equal(before, after)


def test_the_encoder_can_stay_behind(oracle, tmp_path):
    convert(
        open_checkpoint(oracle("custom_voice_tiny").folder),
        tmp_path / "small",
        codec_dtype="float16",
        drop_encoder=True,
    )
    codec = mx.load(str(tmp_path / "small" / "speech_tokenizer" / "model.safetensors"))
    assert not any(name.startswith("encoder.") for name in codec)
    spoken(tmp_path / "small")


def test_a_base_model_without_the_encoder_clones_by_the_vector(oracle, tmp_path):
    source = oracle("base_tiny")
    convert(open_checkpoint(source.folder), tmp_path / "small", dtype="float32", drop_encoder=True)
    whole, small, audio = source.synthesizer, load_folder(tmp_path / "small"), source.golden["audio"]
    assert whole.info.can.clones_in_context
    assert small.info.can.clones
    assert not small.info.can.clones_in_context
    alone = whole.voice(audio, 24000)
    voice = small.voice(audio, 24000, "What is said there.")
    assert voice.reference_codes is voice.transcript is None
    assert np.array_equal(voice.speaker_embedding, alone.speaker_embedding)
    request = SpeechRequest("Hello world.", voice, "english", sampling=GREEDY, max_frames=10)
    assert np.array_equal(small.generate_codes(request), whole.generate_codes(request))
    in_context = whole.voice(audio, 24000, "What is said there.")
    with pytest.raises(RequestError, match="knows a voice by its vector alone"):
        small.generate_codes(SpeechRequest("Hello world.", in_context, "english"))
    with pytest.raises(ModelError, match="came without the codec's encoder"):
        small.encode_audio(audio, 24000)


def test_quantised_tables_of_codes_stay_close_to_the_source(oracle, tmp_path):
    source = oracle("custom_voice_wide")
    convert(open_checkpoint(source.folder), tmp_path / "small", bits=8, group_size=32, table_bits=8, dtype="float32")
    stored = mx.load(str(tmp_path / "small" / "model.safetensors"))
    tables = [name for name in stored if "codec_embedding" in name and name.endswith(".scales")]
    assert len(tables) == open_checkpoint(source.folder).model.talker_config.num_code_groups
    assert closeness(tmp_path / "small", source) > 0.999
    spoken(tmp_path / "small")


def decibels_under(sound: np.ndarray, other: np.ndarray) -> float:
    """How far the difference of two sounds [N] is under the first."""
    return 10 * np.log10(np.square(sound).sum() / np.square(other - sound).sum())


def test_a_codec_of_eight_bits_sounds_like_the_plain_one(tmp_path, eight_bit_codec):
    """Of the built-in model, whose sizes and weights are real."""
    convert(open_checkpoint(TINY), tmp_path / "plain", bits=8, codec_dtype="float16")
    folders = tmp_path / "plain", eight_bit_codec
    plain, small = (folder / "speech_tokenizer" / "model.safetensors" for folder in folders)
    assert plain.stat().st_size - small.stat().st_size > 3_500_000
    codes = np.random.default_rng(0).integers(0, 512, (12, 16)).astype(np.int32)
    sounds = [load_folder(folder).decode_codes(codes) for folder in folders]
    assert decibels_under(*sounds) > 25


def test_convolutions_of_eight_bits_come_back_in_their_shape(eight_bit_codec):
    name, weights = "decoder.decoder.1.block.2.conv1.conv", []
    for folder in (TINY, eight_bit_codec):
        stored = open_tensors(folder / "speech_tokenizer").tensors
        weights.append(plain_tensors(stored, open_checkpoint(folder).codec.quantization)[f"{name}.weight"])
    assert f"{name}.scales" in stored
    before, after = weights
    assert after.shape == before.shape
    assert before.shape[2] > 1
    assert float(mx.abs(after - before).max()) < 0.01 * float(mx.abs(before).max())


def test_a_codec_of_eight_bits_encodes_nearly_the_same(oracle, tmp_path, monkeypatch):
    monkeypatch.setattr(conversion, "CODEC_GROUP", 32)  # the oracle's layers are narrower than 64
    source = oracle("base_tiny")
    convert(open_checkpoint(source.folder), tmp_path / "base", dtype="float32", codec_bits=8)
    stored = mx.load(str(tmp_path / "base" / "speech_tokenizer" / "model.safetensors"))
    assert any(name.startswith("encoder.") and name.endswith(".scales") for name in stored)
    audio = source.golden["audio"]
    before, after = (
        source.synthesizer.encode_audio(audio, 24000),
        load_folder(tmp_path / "base").encode_audio(audio, 24000),
    )
    assert (before == after)[:, 0].mean() > 0.9


def test_a_codec_that_does_not_fit_its_quantisation_is_refused(tmp_path, eight_bit_codec):
    shutil.copytree(eight_bit_codec, tmp_path / "small")
    path = tmp_path / "small" / "speech_tokenizer" / "config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps(config | {"quantization": {"bits": 8, "group_size": 32}}))
    with pytest.raises(ModelError, match="does not fit its quantisation"):
        load_folder(tmp_path / "small").decode_codes(np.zeros((1, 16), np.int32))
    with pytest.raises(RequestError, match="codec-bits is 4: use 8"):
        convert(open_checkpoint(TINY), tmp_path / "other", codec_bits=4)


def test_a_quantised_source_is_made_plain_first(tmp_path, eight_bits):
    convert(open_checkpoint(eight_bits), tmp_path / "plain", dtype="float32")
    assert np.array_equal(spoken(tmp_path / "plain"), spoken(eight_bits))
    convert(open_checkpoint(eight_bits), tmp_path / "again", bits=4, group_size=32, recipe="uniform")
    assert json.loads((tmp_path / "again" / "config.json").read_text())["quantization"]["bits"] == 4
    assert "made from 8-bit weights" in (tmp_path / "again" / "README.md").read_text()
    spoken(tmp_path / "again")


@pytest.mark.parametrize("options", [{}, {"bits": 4, "group_size": 32, "recipe": "uniform"}], ids=["plain", "4"])
def test_it_holds_one_layer_at_a_time(oracle, tmp_path, options):
    """Three copies of the largest one as floats, a ninth of what is read and a quarter of what is written."""
    source = oracle("custom_voice_wide").folder
    largest = max(4 * value.size for path in source.rglob("*.safetensors") for value in mx.load(str(path)).values())
    mx.clear_cache()
    mx.reset_peak_memory()
    before = mx.get_active_memory()
    convert(open_checkpoint(source), tmp_path / "made", **options)
    written = sum(path.stat().st_size for path in (tmp_path / "made").rglob("*.safetensors"))
    assert mx.get_peak_memory() - before < 3 * largest < written / 4


def test_a_full_folder_is_refused(oracle, tmp_path):
    source = oracle("custom_voice_tiny").folder
    convert(open_checkpoint(source), tmp_path / "small", bits=8, group_size=32)
    with pytest.raises(RequestError, match="not empty"):
        convert(open_checkpoint(source), tmp_path / "small", bits=8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bits": 7}, "bits is 7"),
        ({"bits": 4, "group_size": 48}, "48"),
        ({"mode": "int3"}, "mode"),
        ({"dtype": "float64"}, "dtype"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_is_written(oracle, tmp_path, options, message):
    with pytest.raises(RequestError, match=message):
        convert(open_checkpoint(oracle("custom_voice_tiny").folder), tmp_path / "out", **options)
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_nothing_behind(oracle, tmp_path):
    source = Path(shutil.copytree(oracle("custom_voice_tiny").folder, tmp_path / "source"))
    (source / "merges.txt").unlink()
    with pytest.raises(MlxTtsError):
        convert(open_checkpoint(source), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]


def test_what_mlx_audio_converts_loads_here(oracle, tmp_path):
    mlx_audio = pytest.importorskip("mlx_audio.convert", reason="NOT CHECKED: mlx-audio is not installed")
    source = oracle("custom_voice_tiny")
    mlx_audio.convert(
        str(source.folder), str(tmp_path / "theirs"), quantize=True, q_bits=8, q_group_size=32, model_domain="tts"
    )
    config = json.loads((tmp_path / "theirs" / "config.json").read_text())
    assert config["quantization"]["bits"] == 8
    assert "talker.codec_head.scales" in mx.load(str(tmp_path / "theirs" / "model.safetensors"))
    spoken(tmp_path / "theirs")
    assert closeness(tmp_path / "theirs", source) > 0.999


def test_what_we_convert_speaks_the_same_codes_in_mlx_audio(oracle, tmp_path, monkeypatch):
    convert(
        open_checkpoint(oracle("custom_voice_tiny").folder), tmp_path / "ours", bits=8, group_size=32, dtype="float32"
    )
    assert np.array_equal(*first_frames(tmp_path / "ours", "ryan", monkeypatch))


def test_a_link_that_leads_out_of_the_folder_is_not_copied(tmp_path, oracle):
    """A link into the download cache of the same model is what a fetched checkpoint is made of."""
    from mlx_tts.models.qwen3_tts.conversion import _own_file

    (tmp_path / "secret").write_text("mine")
    folder = tmp_path / "models--o--m" / "snapshots" / "abc"
    shutil.copytree(oracle("custom_voice_tiny").folder, folder)
    (folder / "special_tokens_map.json").symlink_to(tmp_path / "secret")
    with pytest.raises(ModelError, match="a link that leads out of the checkpoint's folder"):
        convert(open_checkpoint(folder), tmp_path / "made")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["models--o--m", "secret"]
    (folder / "special_tokens_map.json").unlink()
    (folder.parents[1] / "blobs").mkdir()
    (folder.parents[1] / "blobs" / "12").write_text("{}")
    (folder / "special_tokens_map.json").symlink_to("../../blobs/12")
    assert _own_file(folder, "special_tokens_map.json") == b"{}"
