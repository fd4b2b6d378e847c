"""Layers that know no checkpoint: transformer, cache, convolutions, quantisers. Read transformer and cache first.

fused/ holds other forms of the same layers for one device; the plain form beside each says what is computed.
"""

import mlx_tts.runtime  # noqa: F401 (it loads a fast BLAS before mlx is imported)
