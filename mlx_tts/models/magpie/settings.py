"""How one utterance is generated: what the checkpoint says, changed by the options of the request."""

from __future__ import annotations

from dataclasses import dataclass

from mlx_tts.generation.sampling import SamplerSettings

CACHED, RECOMPUTED = "cached", "recomputed"


@dataclass(frozen=True)
class GenerationSettings:
    """guidance: None generates without the second row. prior: whether attention is guided. local: whether the local
    transformer samples the codes, else the decoder's own heads. passes: of a MaskGit local transformer. cache: whether
    old positions keep the prior that they were read with ("cached"), or are read again under each new one
    ("recomputed", NeMo's default). watched: whether the end of the text decides when speech may and must end.
    confidence_temperature: that of MaskGit's confidences, which greedy sampling has too."""

    sampler: SamplerSettings
    confidence_temperature: float
    guidance: float | None
    prior: bool
    epsilon: float
    lookahead: int
    prior_layers: tuple[int, ...]
    alignment_layers: tuple[int, ...]
    eos_method: str
    least_frames: int
    watched: bool
    local: bool
    passes: int
    cache: str

    @property
    def greedy(self) -> bool:
        return self.sampler.greedy
