"""What all families share between a checked request and its sound, and that knows none of them.

Read sampling (how codes are sampled), then guard (what is wrong with a take).
"""

import mlx_tts.runtime  # noqa: F401 (it loads a fast BLAS before mlx is imported)
