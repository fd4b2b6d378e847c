"""A codec with a latent of few dimensions gets all of them, and what it said before stays as it was.

pytest scripts/train_tiny/test_widen.py       (torch; no mlx)
"""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parent))
import widen
from codec_model import Codec
from codec_steps import WIDEST_STREAM, initialise, scale_loss, scale_to_data
from quantiser import correlation
from sizes import FRAME_SAMPLES, PRESETS

LIVE = 5


def clips(count, frames=24):
    generator = torch.Generator().manual_seed(1)
    envelope = torch.rand(count, frames, generator=generator).repeat_interleave(FRAME_SAMPLES, 1)
    noise = torch.randn(count, frames * FRAME_SAMPLES, generator=generator)
    return list((0.2 * envelope * noise).split(1))


@pytest.fixture
def narrow():
    """A toy codec whose acoustic latent has 5 directions in 16 dimensions."""
    torch.manual_seed(0)
    codec = Codec(PRESETS["toy"].codec).eval()
    initialise(codec)
    with torch.no_grad():
        scale_to_data(codec, torch.cat(clips(4)))
        weight = codec.acoustic.input_proj.weight[:, :, 0]
        left, size, right = torch.linalg.svd(weight, full_matrices=False)
        size[LIVE:] = 0
        codec.acoustic.input_proj.weight.copy_((left @ torch.diag(size) @ right)[:, :, None])
        for quantiser in (codec.semantic, codec.acoustic):
            quantiser.fit(torch.cat([codec.latent(clip) for clip in clips(8)], 2), 100)
    return codec


@torch.no_grad()
def test_the_decoder_hears_what_it_heard(narrow, monkeypatch):
    monkeypatch.setattr(widen, "FIRST_GAIN", 0.0)
    audio = clips(1)[0]

    def heard(codec):
        latent = codec.latent(audio)
        z = codec.acoustic.project(latent)
        return codec.semantic.project(latent), codec.decoder.out_rest((z - z.mean((0, 1))).transpose(1, 2))

    semantic, before = heard(narrow)
    widen.widen(narrow, clips(40))
    semantic_after, after = heard(narrow)
    torch.testing.assert_close(semantic_after, semantic, rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(after, before, rtol=1e-2, atol=1e-2)


@torch.no_grad()
def test_all_dimensions_are_used(narrow):
    def acoustic():
        return torch.cat([narrow.acoustic.project(narrow.latent(clip))[0] for clip in clips(40)])

    assert torch.linalg.matrix_rank(torch.cov(acoustic().t()), rtol=1e-4) == LIVE
    widen.widen(narrow, clips(40))
    z = acoustic()
    torch.testing.assert_close(z.std(0), torch.ones(z.shape[1]), rtol=0.05, atol=0.05)
    assert correlation(z) < 0.05


def test_correlation_counts_what_dimensions_share():
    z = torch.randn(20000, 4)
    assert correlation(z) < 1e-3
    assert correlation(torch.cat([z, 3 * z + 1], 1)) == pytest.approx(1.0, abs=1e-2)
    assert correlation(z[:, :1].repeat(1, 4)) == pytest.approx(3.0, abs=1e-4)


def test_a_wide_stream_is_drawn_back():
    stream = torch.randn(2, 8, 500)
    assert scale_loss(stream) == 0
    wide = (10 * WIDEST_STREAM * stream).requires_grad_()
    loss = scale_loss(wide)
    (gradient,) = torch.autograd.grad(loss, wide)
    assert loss.item() == pytest.approx(5.3, abs=0.1)  # ln(10) squared
    assert (gradient * wide).sum() > 0  # a step against it makes the stream smaller
