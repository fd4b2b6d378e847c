"""What of VoxCPM is measured for `mlx-tts convert --bits 4`: see `models/recipes`.

Both language models read their own patches again, for the logits of the stop head and for the velocities that the
diffusion finds for each patch. Patches are not codes: how far velocities move is their squared error over their square.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from mlx_tts.models.convert_options import ConvertOptions
from mlx_tts.models.recipes.contract import Arrays, Log, MeasuredOutput, PartOf, SpokenSentence, made_plain
from mlx_tts.models.voxcpm2.checkpoint import Checkpoint
from mlx_tts.models.voxcpm2.diffusion import Diffusion, noise_of, times
from mlx_tts.models.voxcpm2.frames import PatchRow, read_rows
from mlx_tts.models.voxcpm2.network import VoxCPM, open_network
from mlx_tts.models.voxcpm2.prompt import Prompt
from mlx_tts.models.voxcpm2.synthesizer import VoxCPMTTS

NEEDS_WORDS = True
STOP, PATCHES = "KL of the stop head", "error of the patches"
PARTS = {
    "semantic model's attention": PartOf((STOP, PATCHES), r"base_lm\.layers\.\d+\.self_attn\."),
    "semantic model's MLPs": PartOf((STOP, PATCHES), r"base_lm\.layers\.\d+\.mlp\."),
    "residual model's attention": PartOf((PATCHES,), r"residual_lm\.layers\.\d+\.self_attn\."),
    "residual model's MLPs": PartOf((PATCHES,), r"residual_lm\.layers\.\d+\.mlp\."),
}
STEPS_SEEN = (0.3, 0.6, 0.9)  # of the diffusion, as shares: where velocities are compared


def relative_error(references: Sequence[mx.array], others: Sequence[mx.array]) -> float:
    """Of all pairs together: the squared error over the square of the references; 0.01 is 20 dB."""
    error = mx.stack([mx.square(one - other).sum() for one, other in zip(references, others, strict=True)])
    size = mx.stack([mx.square(one).sum() for one in references])
    return float(np.array(error.sum() / size.sum()))


OUTPUTS = {STOP: MeasuredOutput(0.015), PATCHES: MeasuredOutput(0.01, relative_error)}


@dataclass(frozen=True)
class Sentence:
    """prompt: what was read before the first patch. patches: [T, P, D]. settings, seed: of the request."""

    prompt: Prompt
    patches: NDArray[np.float32]
    settings: Any
    seed: int


def outputs(_checkpoint: Checkpoint) -> Mapping[str, MeasuredOutput]:
    return OUTPUTS


def parts(_checkpoint: Checkpoint, _options: ConvertOptions) -> Mapping[str, PartOf]:
    return PARTS


def plain_network(checkpoint: Checkpoint, log: Log) -> VoxCPM:
    return made_plain(open_network(checkpoint), log, feeds_back=True)


def frame_weights(network: VoxCPM, _checkpoint: Checkpoint) -> Mapping[str, int]:
    """For its patches all of the network is read, and the diffusion transformer at several times."""
    sizes = {"lm": 0, "diffusion": 0}
    for path, layer in network.named_modules():
        if "weight" in layer and layer.weight.ndim == 2 and not path.endswith("embed_tokens"):
            sizes["diffusion" if path.startswith("feat_decoder.") else "lm"] += layer.weight.size
    rows = 2 * (2 * network.config.fields.patch_size + 2)  # of a patch, guided
    return {STOP: sizes["lm"], PATCHES: sizes["lm"] + len(STEPS_SEEN) * rows * sizes["diffusion"]}


def more_of(_row: PatchRow) -> Arrays:
    return {}


def sentence(model: VoxCPMTTS, spoken: SpokenSentence) -> Sentence:
    request = spoken.request
    assert request.seed is not None
    return Sentence(model.prompt(request), spoken.frames, request.params, request.seed)


def reader(network: VoxCPM, _checkpoint: Checkpoint, sentences: Sequence[Sentence]) -> PatchReader:
    return PatchReader(network, sentences)


class PatchReader:
    """See `contract.Reader`."""

    def __init__(self, network: VoxCPM, sentences: Sequence[Sentence]):
        fields, config = network.config.fields, network.config
        self._network, self._sentences = network, sentences
        self._shape = fields.patch_size, fields.feat_dim
        self._diffusion = Diffusion(network.estimator, fields.patch_size, 2 if config.joined else 1, config.mean_mode)

    def positions(self, _output: str) -> list[int]:
        return [len(one.prompt) + len(one.patches) for one in self._sentences]

    def read(self, output: str) -> Iterator[mx.array]:
        for one in self._sentences:
            lm, residual = self._said(one)
            yield self._network.stop_logits(lm) if output == STOP else self._velocities(one, lm, residual)

    def _said(self, one: Sentence) -> tuple[mx.array, mx.array]:
        """What both models say before each patch, [T, H]."""
        network, T = self._network, len(one.patches)
        before = one.prompt
        prompt = Prompt(
            np.concatenate([before.ids, np.zeros(T - 1, np.int32)]),
            np.concatenate([before.is_audio, np.ones(T - 1, np.bool_)]),
            np.concatenate([before.patches, one.patches[:-1]]),
        )
        rows, audio = read_rows(network, prompt)
        caches = network.make_caches()
        lm = network.base_lm(rows, caches[0])
        lm = mx.where(mx.array(prompt.is_audio)[None, :, None], network.fsq_layer(lm), lm)
        residual = network.residual_lm(network.fused(lm, audio), caches[1])
        return lm[0, -T:], residual[0, -T:]

    def _velocities(self, one: Sentence, lm: mx.array, residual: mx.array) -> mx.array:
        """[T, times, P, D]: from the patches with so much noise as there is at these times."""
        T, steps = len(one.patches), one.settings.steps
        last = mx.array(np.concatenate([one.prompt.last[None], one.patches[:-1]]))
        mu, conditions, guidance = self._diffusion.parted(
            self._network.mu(lm, residual), last, [one.settings.guidance] * T
        )
        noise = mx.stack([noise_of(one.seed, 0, at, self._shape) for at in range(T)])
        found = []
        for share in STEPS_SEEN:
            step = min(steps - 1, int(share * steps))
            time = times(steps)[step]
            x = (1 - time) * mx.array(one.patches) + time * noise
            found.append(self._diffusion.velocity(x, mu, conditions, self._diffusion.embedded(steps)[step], guidance))
        return mx.stack(found, axis=1)
