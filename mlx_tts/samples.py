"""The array types of sound and codes, for every part of the package. Imports nothing of ours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.float32]  # [N], one channel, in [-1, 1]
Codes = NDArray[np.int32]  # [frames, codebooks]
