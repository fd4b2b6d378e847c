"""The array types of sound and codes, for every part of the package. Imports nothing of ours, and NumPy only for types:
the command's help needs these names and no arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Samples: TypeAlias = "NDArray[np.float32]"  # [N], one channel, in [-1, 1]
Codes: TypeAlias = "NDArray[np.int32]"  # [frames, codebooks]
