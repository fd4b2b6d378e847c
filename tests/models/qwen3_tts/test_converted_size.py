"""How large a converted folder is, from shapes alone, and what keeps its codec small and whole."""

import json
from pathlib import Path
from types import SimpleNamespace

import mlx.core as mx
import numpy as np
import pytest
from mlx.utils import tree_flatten

from mlx_tts.api import load_folder
from mlx_tts.checkpoints.quantising import stored_bytes
from mlx_tts.checkpoints.recipe import Recipe
from mlx_tts.errors import RequestError
from mlx_tts.models import families
from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.families import open_checkpoint
from mlx_tts.models.qwen3_tts import conversion
from mlx_tts.models.qwen3_tts import recipe as recipes
from mlx_tts.models.qwen3_tts.codec.encoder import CodecEncoder
from mlx_tts.models.qwen3_tts.codec.weights import shared_codebooks
from mlx_tts.models.qwen3_tts.config import CodecConfig, CodecEncoderConfig, SpeakerEncoderConfig
from mlx_tts.models.qwen3_tts.speaker_encoder import SpeakerEncoder
from mlx_tts.models.recipes.measuring import layers_of, parts_of
from tests.helpers.clips import RATE, clip
from tests.helpers.converting import convert
from tests.helpers.paths import BUILT_IN, ROOT, TINY

BITS = {"predictor's layers": 8, "first code's head": 6, "talker's attention": 6, "text table": 4}  # as tiny has them
ENCODER_BOOKS = 32  # in the official file; speech is made of the first 16


class _Published:
    """A checkpoint of the 0.6B's shapes. All its arrays are lazy, and none is ever computed."""

    def __init__(self, clones: bool, monkeypatch):
        monkeypatch.syspath_prepend(ROOT / "benchmarks")
        import random_checkpoint as shapes

        codec = json.loads((shapes.CASE / "speech_tokenizer" / "config.json").read_text())["encoder_config"]
        codec |= shapes.ENCODER
        fields = {name: codec[name] for name in CodecEncoderConfig.__dataclass_fields__}
        decoder = shapes.codec_config()
        self.codec = CodecConfig(CodecEncoderConfig(**fields), decoder)
        self.info = SimpleNamespace(can=SimpleNamespace(clones=clones))
        self.folder, self.model, self.raw = Path("published"), None, {}
        self.talker = shapes.Talker(shapes.talker_config("0.6B", shapes.TEXT_ROWS))
        tensors = dict(shapes.decoder_tensors(shapes.CodecDecoder(decoder)))
        encoder = CodecEncoder(self.codec)
        tensors |= {f"encoder.{path}": shapes.stored(path, value) for path, value in tree_flatten(encoder.parameters())}
        acoustic = "encoder.quantizer.acoustic_residual_vector_quantizer.layers."
        for book in range(ENCODER_BOOKS - self.codec.encoder_config.num_semantic_quantizers):
            for part in ("embed_sum", "cluster_usage"):
                name = f"{acoustic}{book}.codebook.{part}"
                tensors[name] = mx.zeros(tensors[f"{acoustic}0.codebook.{part}"].shape)
        vectors = dict(tree_flatten(SpeakerEncoder(SpeakerEncoderConfig()).parameters())) if clones else {}
        vectors = {path: shapes.stored(path, value) for path, value in vectors.items()}
        file = SimpleNamespace(
            tensors={f"speaker_encoder.{name}": value for name, value in vectors.items()}, metadata={}
        )
        monkeypatch.setattr(conversion, "stored_talker", lambda _: (self.talker, None))
        monkeypatch.setattr(conversion, "open_model", lambda *_: file)
        monkeypatch.setattr(conversion, "open_tensors", lambda _: SimpleNamespace(tensors=tensors))

    def bytes(self, options: ConvertOptions) -> tuple[int, int]:
        """Of model.safetensors and of the codec's, with the bits of tiny."""
        options = conversion._with_recipe(self, options)
        groups = recipes.parts(self, options)
        parts = parts_of(layers_of(self.talker, groups, 64), groups)
        chosen = {path: BITS.get(part.name, part.choices[0]) for part in parts for path in part.layers}
        forms = conversion._Forms(options, SimpleNamespace(layer_bits=chosen))
        formed = conversion._formed_model(self, forms, mx.bfloat16)
        codec = conversion._formed_codec(self, options)
        return stored_bytes(formed, mx.bfloat16), stored_bytes(codec, conversion.DTYPES[options.codec_type])


def test_the_06b_at_four_bits_takes_less_than_eight_tenths_of_a_gigabyte(monkeypatch):
    """That of presets, and that of a model that clones, which has two encoders besides."""
    presets = _Published(False, monkeypatch)
    assert sum(presets.bytes(ConvertOptions(bits=4))) == pytest.approx(0.7316e9, rel=0.0002)
    assert sum(presets.bytes(ConvertOptions(bits=4, for_mlx_audio=True))) > 1.7e9
    clones = _Published(True, monkeypatch)
    assert sum(clones.bytes(ConvertOptions(bits=4))) == pytest.approx(0.7997e9, rel=0.0002)
    assert sum(clones.bytes(ConvertOptions(bits=4, drop_encoder=True))) == pytest.approx(0.7410e9, rel=0.0002)


@pytest.fixture
def unmeasured(monkeypatch):
    """Each part has the fewest bits that a recipe may choose, and nothing is spoken to find that out."""

    def recipe(measurable, source, options, group_size, *_):
        groups = measurable.parts(source, options)
        parts = parts_of(layers_of(measurable.plain_network(source, print), groups, group_size), groups)
        limits = {name: output.limit for name, output in measurable.OUTPUTS.items()}
        return Recipe(parts, {part.name: part.choices[0] for part in parts}, {}, limits, limits, 0, None)

    monkeypatch.setattr(conversion, "measured_recipe", recipe)


@pytest.mark.slow
def test_only_a_model_that_clones_keeps_the_encoder(oracle, tmp_path, unmeasured):
    for name, has_encoder in (("custom_voice_wide", False), ("base_wide", True)):
        convert(open_checkpoint(oracle(name).folder), tmp_path / name, bits=4, group_size=32)
        folder = tmp_path / name / "speech_tokenizer"
        stored = mx.load(str(folder / "model.safetensors"))
        assert any(tensor.startswith("encoder.") for tensor in stored) == has_encoder
        assert json.loads((folder / "config.json").read_text()).get("encodes", True) == has_encoder
        card = (tmp_path / name / "README.md").read_text()
        assert ("without its encoder" in card) != has_encoder
        assert "| tables of codes |" in card
        assert load_folder(tmp_path / name).info.can.clones_in_context == has_encoder


@pytest.mark.slow
def test_a_speaker_encoder_of_eight_bits_hears_the_same_voice(tmp_path, unmeasured):
    """Two clips of one voice differ far more (cosine 0.86); a folder that is converted again loses nothing more."""
    convert(open_checkpoint(BUILT_IN / "tiny-base"), tmp_path / "made", bits=4)
    convert(open_checkpoint(tmp_path / "made"), tmp_path / "again", dtype="float32")
    stored, again = (mx.load(str(tmp_path / name / "model.safetensors")) for name in ("made", "again"))
    assert "speaker_encoder.mfa.conv.scales" in stored
    assert "the speaker encoder has 8 bits" in (tmp_path / "made" / "README.md").read_text()
    assert "speaker_encoder.mfa.conv.scales" not in again
    audio = clip("harbour_ivy")
    before, after, once_more = (
        load_folder(folder).speaker_embedding(audio, RATE)
        for folder in (BUILT_IN / "tiny-base", tmp_path / "made", tmp_path / "again")
    )
    assert 0.999 < before @ after / np.linalg.norm(before) / np.linalg.norm(after) < 1.0
    assert np.array_equal(once_more, after)


@pytest.mark.slow
def test_mlx_audio_can_be_kept_in_mind(oracle, tmp_path, unmeasured):
    source = open_checkpoint(oracle("custom_voice_wide").folder)
    options = ConvertOptions(bits=4, group_size=32, for_mlx_audio=True)
    said = families.convert(source, tmp_path / "made", options, lambda _: None)
    assert said is not None
    assert "mlx-audio" not in said
    codec = mx.load(str(tmp_path / "made" / "speech_tokenizer" / "model.safetensors"))
    assert {value.dtype for value in codec.values()} <= {mx.float32, mx.bool_}
    assert any(name.startswith("encoder.") for name in codec)
    made = mx.load(str(tmp_path / "made" / "model.safetensors"))
    assert not any("embedding.scales" in name for name in made)


def test_what_mlx_audio_cannot_read_does_not_go_with_it():
    with pytest.raises(RequestError, match="mlx-audio cannot read --table-bits, --codec-bits: leave that or"):
        ConvertOptions(bits=4, for_mlx_audio=True, codec_bits=8, table_bits=8)


@pytest.mark.slow
def test_a_codec_of_eight_bits_is_copied(tmp_path):
    """What is quantised as it shall be is not quantised once more: the sound stays the same, bit for bit."""
    convert(open_checkpoint(TINY), tmp_path / "made", bits=8, codec_dtype="float16", codec_bits=8)
    codes = np.random.default_rng(0).integers(0, 512, (6, 16)).astype(np.int32)
    before, after = (load_folder(folder).decode_codes(codes) for folder in (TINY, tmp_path / "made"))
    assert np.abs(after - before).max() < 1e-4
    stored, made = (
        mx.load(str(folder / "speech_tokenizer" / "model.safetensors")) for folder in (TINY, tmp_path / "made")
    )
    assert all(mx.array_equal(made[name], value).item() for name, value in stored.items() if value.dtype == mx.uint32)


def test_sums_that_float16_cannot_hold_are_stored_as_means():
    """Codebooks are stored as sums over the vectors that chose an entry; training may count very many."""
    for name in ("embedding_sum", "embed_sum"):
        sums, usage = mx.array([[2e5, -3e5], [5.0, 1.0]]), mx.array([1e5, 2.0])
        raw = {f"x._codebook.{name}": sums, "x._codebook.cluster_usage": usage}
        found = {key: value.astype(mx.float16) for key, value in shared_codebooks(raw).items()}
        assert np.allclose(found[f"x._codebook.{name}"], [[2, -3], [2.5, 0.5]], rtol=1e-3)
        assert np.array_equal(found["x._codebook.cluster_usage"], [1, 1])
