"""The generator's form for the CPU: the numbers of the plain one, whatever the length, in less memory."""

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.models.kokoro import stretches
from mlx_tts.models.kokoro.layers import Extent, SameConv1d, UpConv1d
from mlx_tts.models.kokoro.stretches import Cores, WinogradConv, convolve_plainly, moments
from mlx_tts.nn.activations import leaky_relu
from mlx_tts.nn.conv import Conv1d
from mlx_tts.runtime import mlx_thread
from mlx_tts.runtime.device import policy

pytestmark = pytest.mark.skipif(not policy().prefers_products, reason="the form is the CPU's")


@pytest.mark.parametrize(("kernel_size", "dilation"), [(3, 1), (3, 5), (5, 2), (7, 3), (11, 5)])
def test_winograds_form_is_the_convolution(kernel_size, dilation):
    def both():
        conv = SameConv1d(5, 4, kernel_size, dilation)
        conv.weight, conv.bias = mx.random.normal(conv.weight.shape), mx.random.normal((4,))
        winograd = WinogradConv(conv, Cores(2))
        count = 4 * winograd.step
        x = np.random.default_rng(1).standard_normal((winograd.rows(count), 5)).astype(np.float32)
        made = np.stack(winograd.phases(x), axis=1).reshape(count, 4) + winograd.bias
        return made, np.array(conv(mx.array(x)[None]))[0, winograd.edge :][:count]

    made, expected = mlx_thread.run(both)
    np.testing.assert_allclose(made, expected, atol=2e-5)


@pytest.mark.parametrize("numbers", [1, 300, 1 << 20])
def test_stretches_are_the_whole_generator(kokoro, monkeypatch, numbers):
    """Stretches of one step, of several and of more than there is."""
    network = kokoro("limit").tts._synthesizer._loop.network
    monkeypatch.setattr(stretches, "NUMBERS", numbers)

    def both():
        config, length = network.config, 9
        hops = network.config.istftnet.hop // network.config.istftnet.gen_istft_hop_size
        keys = mx.random.split(mx.random.key(3), 3)
        x = mx.random.normal((1, length, config.istftnet.upsample_initial_channel), key=keys[0])
        style = mx.random.normal((1, config.style_dim), key=keys[1])
        spectrum = mx.random.normal((1, length * hops + 1, config.istftnet.gen_istft_n_fft + 2), key=keys[2])
        inputs = x, style, spectrum, Extent.of([length])
        (made, extent), (whole, expected) = network.generator(*inputs), network.generator.whole(*inputs)
        assert network.generator.by_stretches
        assert extent.lengths == expected.lengths
        return np.array(made), np.array(whole)

    made, whole = mlx_thread.run(both)
    np.testing.assert_allclose(made, whole, atol=1e-4 * np.abs(whole).max())


@pytest.mark.parametrize(("kernel_size", "stride"), [(6, 2), (20, 10), (3, 3)])
def test_a_transposed_convolution_in_stretches(monkeypatch, kernel_size, stride):
    monkeypatch.setattr(stretches, "NUMBERS", 3 * stride)

    def both():
        up = UpConv1d(5, 2, kernel_size, stride)
        up.weight, up.bias = mx.random.normal(up.weight.shape), mx.random.normal((2,))
        x = mx.random.normal((11, 5))
        return stretches.upsampled(up, np.array(x), 1, Cores(2))[1:], np.array(up(leaky_relu(x[None], 0.1)))[0]

    np.testing.assert_allclose(*mlx_thread.run(both), atol=1e-5)


@pytest.mark.parametrize(("kernel_size", "stride"), [(12, 6), (1, 1), (5, 2)])
def test_a_plain_convolution_in_stretches(monkeypatch, kernel_size, stride):
    monkeypatch.setattr(stretches, "NUMBERS", 3)

    def both():
        conv = Conv1d(5, 3, kernel_size, stride)
        conv.weight, conv.bias = mx.random.normal(conv.weight.shape), mx.random.normal((3,))
        x = mx.random.normal((40, 5))
        expected = np.array(conv(x[None]))[0]
        made = np.empty_like(expected)
        convolve_plainly(conv, np.array(x), made, Cores(2))
        return made, expected

    np.testing.assert_allclose(*mlx_thread.run(both), atol=1e-5)


def test_the_sound_does_not_depend_on_how_many_cores_make_it(kokoro, monkeypatch):
    network = kokoro("limit").tts._synthesizer._loop.network
    monkeypatch.setattr(stretches, "NUMBERS", 300)

    def made_by(cores):
        keys = mx.random.split(mx.random.key(4), 2)
        block = network.generator.resblocks[0]
        width = block.convs1[0].weight.shape[-1]
        room = np.zeros((200 + network.generator.most_step, width), np.float32)
        room[:200] = np.array(mx.random.normal((200, width), key=keys[0]))
        style = mx.random.normal((1, network.config.style_dim), key=keys[1])
        return stretches.snake_block(block, room, np.zeros_like(room), 200, style, Cores(cores)).copy()

    assert np.array_equal(*mlx_thread.run(lambda: [made_by(cores) for cores in (1, 3)]))


def test_moments_far_from_zero(monkeypatch):
    monkeypatch.setattr(stretches, "NUMBERS", 21)
    x = (np.random.default_rng(2).standard_normal((100, 3)) + 1000).astype(np.float32)
    mean, variance = moments(x, Cores(2))
    np.testing.assert_allclose(mean, x.astype(np.float64).mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(variance, x.astype(np.float64).var(axis=0), rtol=1e-4)
