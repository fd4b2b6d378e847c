"""What is held while weights are read, and by the generator while it makes a piece."""

import mlx.core as mx
import pytest

from mlx_tts.models.kokoro.decoder import SnakeBlock
from mlx_tts.models.kokoro.layers import Extent
from mlx_tts.models.kokoro.weights import folded, stored_tensors
from mlx_tts.runtime import mlx_thread
from mlx_tts.runtime.device import policy

FRAMES, CHANNELS = 50_000, 8


def test_generator_blocks_hold_one_step_at_a_time_on_the_cpu():
    """Blocks whose sum is read later: what one of them made on the way is gone before the next begins."""

    def peak() -> float:
        blocks = [SnakeBlock(4, CHANNELS, 3, (1, 3, 5)) for _ in range(3)]
        x, style = mx.ones((1, FRAMES, CHANNELS)), mx.ones((1, 4))
        mx.eval(x, style, [block.parameters() for block in blocks])
        before = mx.get_active_memory()
        mx.reset_peak_memory()
        made = [block(x, style, Extent.of([FRAMES])) for block in blocks]
        mx.eval(sum(made[1:], made[0]))
        return (mx.get_peak_memory() - before) / x.nbytes

    if policy().shares_pieces:
        pytest.skip("on a GPU, blocks are computed together")
    steps = mlx_thread.run(peak)  # as many arrays as the input: 13, and 27 where nothing is computed at once
    assert steps < 16


def test_tensors_are_let_go_one_by_one_the_largest_first(kokoro):
    folder = kokoro("plain").folder
    path = folder / "kokoro-v1_0.pth"
    named = stored_tensors(path)
    count, sizes = len(named), []
    for _, value in folded(named, path):
        sizes.append(value.size)
        assert len(named) <= count - len(sizes)
    assert sizes == sorted(sizes, reverse=True)
    assert named == {}
