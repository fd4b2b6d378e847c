"""Layers that know no checkpoint: transformer, cache, convolutions, quantisers. Read transformer and cache first.

kernels/ holds other forms of the same layers for GPUs.
"""

import mlx_tts.runtime  # noqa: F401 (it loads a fast BLAS before mlx is imported)
