"""A step's launches on a GPU, counted without one: fewer are welcome, more are slower speech on every GPU."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import mlx.core as mx
import numpy as np
import pytest

from mlx_tts.generation.sampling import SamplerSettings, gumbel_noise
from mlx_tts.models.magpie import gpu_step
from mlx_tts.models.magpie.alignment import Alignment, EncodedPiece, Window
from mlx_tts.models.magpie.config import CACHED, GenerationSettings, InferenceConfig, MagpieConfig, StackConfig
from mlx_tts.models.magpie.decoding import Decoding
from mlx_tts.models.magpie.frames import FrameLoop, MagpieRow, Utterance
from mlx_tts.models.magpie.network import Magpie
from mlx_tts.nn.cache import KVCache
from tests.helpers.gpu_form import as_on_gpu, with_policy
from tests.helpers.launches import as_on_metal, launches

IDS, CONTEXT, CODEBOOK, CODEBOOKS = 20, 9, 24, 8
WIDTH, HEADS = 32, 2


class Step(NamedTuple):
    """Launches of one step of v2607: 12 layers with cross-attention, two rows; 16 draws by 2 layers; the noise."""

    attention: int
    codes: int
    noise: int


def stack(layers: int, cross: bool = False) -> StackConfig:
    more: dict[str, Any] = {"has_xattn": True, "xa_d_head": 16, "xa_d_memory": WIDTH} if cross else {}
    return StackConfig(layers, WIDTH, 2 * WIDTH, HEADS, 1, True, 64, **more)


def random_magpie(stacked: int) -> Magpie:
    config = MagpieConfig(
        decoder_model_type="decoder_ce",
        embedding_dim=WIDTH,
        encoder=stack(1),
        decoder=stack(12, cross=True),
        text_tokenizers={},
        local=stack(2),
        local_type="autoregressive",
        inference=InferenceConfig(),
        frame_stacking_factor=stacked,
    )
    model = Magpie(config, CODEBOOK, CODEBOOKS, IDS, (1, CONTEXT * WIDTH))
    model.prepare()
    mx.eval(model.parameters())
    return model


def settings(temperature: float, guidance: float | None = 2.5) -> GenerationSettings:
    return GenerationSettings(
        sampler=SamplerSettings(temperature, 5, 1.0),
        confidence_temperature=0.6,
        guidance=guidance,
        prior=True,
        epsilon=0.1,
        lookahead=6,
        prior_layers=tuple(range(2, 11)),
        alignment_layers=(4, 5, 8, 9),
        eos_method="argmax_or_multinomial_any",
        least_frames=4,
        watched=False,
        local=True,
        passes=3,
        cache=CACHED,
    )


def row_of(loop: FrameLoop, own: GenerationSettings) -> MagpieRow:
    """A row behind its context, with numbers that do not matter."""
    model, window = loop.model, Window(IDS, IDS)
    encoded = mx.zeros((1, IDS, WIDTH))
    decoding = Decoding(model, model.read_memory(encoded), own, loop._decode)
    rows = 1 if own.guidance is None else 2
    for _ in model.decoder.layers:
        cache = KVCache(growth=64)
        cache.kv, cache.length = mx.zeros((2, rows, HEADS, 64, WIDTH // HEADS)), CONTEXT
        decoding.caches.append(cache)
    alignment = Alignment(window, own.epsilon, own.lookahead)
    alignment.follow(np.zeros(IDS, np.float32))
    mx.eval([cache.kv for cache in decoding.caches], [[part.keys, part.values] for part in decoding.memory])
    return MagpieRow(
        Utterance(EncodedPiece((0,) * IDS, encoded, window), encoded, own, 3), 0, decoding, alignment, loop.start
    )


def as_on_a_gpu(patch: pytest.MonkeyPatch) -> None:
    as_on_gpu(patch)


def step(patch: pytest.MonkeyPatch, own: GenerationSettings, rows: int = 1) -> Step:
    as_on_a_gpu(patch)
    loop = FrameLoop(random_magpie(2))
    working = [row_of(loop, own) for _ in range(rows)]
    mx.eval(list(loop.masks.values()))
    as_on_metal(patch)
    sent: list[Any] = []
    patch.setattr(mx, "async_eval", lambda *arrays: sent.extend(arrays))
    noise = mx.zeros((rows, 16 * loop.model.vocabulary))
    mx.eval(noise)
    counted = launches([gumbel_noise([(1, 2)] * rows, noise.shape[1])]).total()
    patch.setattr("mlx_tts.models.magpie.frames.gumbel_noise", lambda *_: noise)
    loop.launch(working)
    made = [row.launches[0] for row in working]
    caches = [cache.kv for row in working for cache in row.decoding.caches]
    attention = launches([launch.attention for launch in made] + caches)
    whole = launches([part for launch in made for part in (launch.codes, launch.parallel)] + caches)
    return Step(attention.total(), whole.total() - attention.total(), 0 if own.greedy else counted)


# Before there was a form for a GPU: 396, 859, 3. With residuals added by the products, as on Metal, two rows take 224
# and 431; on CUDA those would be products of cuBLAS, which the host sends several times as slowly.
DRAWN, GREEDY, UNGUIDED = Step(246, 514, 3), Step(246, 514 - 16 * 3, 0), Step(246, 495, 3)
METAL = Step(224, 431, 3)


@pytest.mark.parametrize(
    ("temperature", "guidance", "cuda", "most"),
    [(0.6, 2.5, True, DRAWN), (0.0, 2.5, True, GREEDY), (0.6, None, True, UNGUIDED), (0.6, 2.5, False, METAL)],
)
def test_no_more_launches_a_step(temperature, guidance, cuda, most, monkeypatch):
    with_policy(monkeypatch, gpu_step, avoids_libraries=cuda)
    counted = step(monkeypatch, settings(temperature, guidance))
    assert all(now <= allowed for now, allowed in zip(counted, most, strict=True)), f"{counted}, at most {most}"
    assert counted == most, f"fewer now: write {counted}"


@pytest.mark.slow
def test_the_next_step_is_sent_before_the_codes_of_this_one_are_read(monkeypatch):
    """Else a GPU has nothing to do while the host builds a step."""
    as_on_a_gpu(monkeypatch)
    loop = FrameLoop(random_magpie(2))
    events: list[str] = []
    send, settle = FrameLoop.launch, FrameLoop.settle
    monkeypatch.setattr(FrameLoop, "launch", lambda self, rows: (events.append("sent"), send(self, rows)))
    monkeypatch.setattr(FrameLoop, "settle", lambda self, row: (events.append("read"), settle(self, row)))
    row, batch, steps = row_of(loop, replace(settings(0.0), least_frames=99)), loop.open_batch(), []
    for _ in range(8):
        steps.append(batch.step([row]))
        if len(steps) > 1:  # the engine reads a frame when the next one is sent
            assert steps[-2].read()[0] is not None
    assert events == ["sent", "read", "sent", "sent", "read", "sent", "read", "sent", "read"]
