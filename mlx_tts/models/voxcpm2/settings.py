"""How one utterance is generated, what the request leaves open filled in."""

from __future__ import annotations

from dataclasses import dataclass

STEPS, GUIDANCE = 10, 2.0  # the official defaults
LEAST_STEPS, MOST_STEPS = 2, 100
LEAST_GUIDANCE, MOST_GUIDANCE = 1.0, 10.0
LEAST_PATCHES = 4  # before speech may end


@dataclass(frozen=True)
class GenerationSettings:
    """steps: of the diffusion. guidance: 1 follows the text no more than the model does by itself. least_patches:
    before speech may end. continues: whether a piece of a long text goes on in the voice of the first one."""

    steps: int = STEPS
    guidance: float = GUIDANCE
    least_patches: int = LEAST_PATCHES
    continues: bool = False

    @property
    def form(self) -> tuple[int, bool]:
        """Rows share a step where this is equal."""
        return self.steps, self.guidance != 1.0
