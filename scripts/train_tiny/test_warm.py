"""A shipped voice as the beginning of another: the same sound from the same codes, the same talker, an encoder that finds the codes."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
sys.path[:0] = [str(Path(__file__).parent)]
import export
import numpy as np
import warm
from codec_model import Codec
from dequantise import plain
from sizes import PRESETS
from speakers import SPEAKERS
from talker_model import Talker

SIZES = PRESETS["toy"]
TEXT_IDS = {"vocabulary": 40, "assistant": 1, "im_start": 2, "im_end": 3, "tts_pad": 4, "tts_bos": 5, "tts_eos": 6}


@pytest.fixture
def shipped(tmp_path):
    """An exported toy model, and the modules it was made from."""
    torch.manual_seed(0)
    codec, talker = Codec(SIZES.codec), Talker(SIZES, TEXT_IDS["vocabulary"])
    checkpoints, tokenizer = tmp_path / "checkpoints", tmp_path / "tokenizer"
    for folder in (checkpoints, tokenizer):
        folder.mkdir()
    for name in export.TOKENIZER_FILES:
        (tokenizer / name).write_text("{}")
    (tokenizer / "text_ids.json").write_text(json.dumps(TEXT_IDS))
    torch.save({"preset": "toy", "codec": codec.state_dict()}, checkpoints / "codec_joint.pt")
    torch.save({"average": talker.state_dict(), "speakers": list(SPEAKERS)}, checkpoints / "talker.pt")
    options = SimpleNamespace(out=tmp_path / "tiny", base_out=None, checkpoints=checkpoints, tokenizer=tokenizer)
    export.run(options)
    return options.out, codec, talker


def test_the_decoder_makes_the_same_sound_of_the_same_codes(shipped):
    folder, codec, _ = shipped
    found = Codec(SIZES.codec)
    warm.load_decoder(found, plain(folder)[1], SIZES)
    codes = torch.randint(0, SIZES.codec.entries, (2, SIZES.codec.books, 6))
    with torch.no_grad():
        wanted, heard = codec.decode(codes), found.decode(codes)
    assert (wanted - heard).abs().max() < 0.01 * wanted.abs().max()  # float16 in between
    assert not torch.equal(found.encoder.layers[0].conv.weight, codec.encoder.layers[0].conv.weight)


@pytest.mark.parametrize(("layers", "new"), [(2, []), (3, [2]), (4, [1, 3])])
def test_more_layers_add_nothing_at_first_and_the_watched_one_stays_in_the_middle(shipped, layers, new):
    folder, _, talker = shipped
    wide = replace(SIZES, talker=replace(SIZES.talker, talker=replace(SIZES.talker.talker, layers=layers)))
    found = Talker(wide, TEXT_IDS["vocabulary"])
    found.load_state_dict(warm.widened_talker(found, plain(folder)[0]))
    silent = [row for row, layer in enumerate(found.model.layers) if not layer.mlp.down_proj.weight.any()]
    assert silent == new
    x = torch.randn(1, 9, SIZES.talker.talker.hidden)
    with torch.no_grad():
        hidden, seen = found.model(x, layers // 2)
        wanted, watched = talker.model(x, 1)
    assert (hidden - wanted).abs().max() < 0.01
    if layers % 2 == 0:
        assert (seen - watched).abs().max() < 0.01


def test_the_encoder_learns_the_codes_of_what_it_hears(shipped, tmp_path):
    _, codec, _ = shipped
    random = np.random.default_rng(0)
    np.savez(tmp_path / "codes.npz", codes=random.integers(0, 32, (90, 4)).astype(np.int16), ends=np.array([40, 90]))
    options = SimpleNamespace(clips=2, clip_frames=8, device="cpu", clean=False)
    spoken = warm.Spoken(tmp_path / "codes.npz", codec, options)
    codes, heard = spoken.clips()
    assert codes.shape == (2, 4, 8) and heard.shape == (2, 8 * 1920)
    assert len(spoken.starts) == 33 + 43  # no clip goes over the end of what was said at once
    latent = codec.latent(heard)
    for quantiser in (codec.semantic, codec.acoustic):
        quantiser.measure(latent.detach())
    loss, right = warm.distance(codec, codes, heard)
    loss.backward()
    assert 0 <= right <= 1 and codec.encoder.layers[0].conv.weight.grad.abs().sum() > 0
    with torch.autocast("cpu", dtype=torch.bfloat16):
        perfect = codec.encode(heard)
    assert warm.distance(codec, perfect, heard)[1] == 1
    warm.count_entries(codec, spoken)
    for quantiser in (codec.semantic, codec.acoustic):
        assert torch.allclose(quantiser.sums / quantiser.counts[..., None], quantiser.codebooks, atol=1e-6)
        assert quantiser.counts.sum(1).min() >= 16 and quantiser.counts.sum(1).max() < 16 + 32 * 4 / 20
