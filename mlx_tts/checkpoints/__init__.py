"""Files of weights: config_fields (JSON -> dataclass), tensors (by name), stored_rows (rows that stay in a file)."""

import mlx_tts.runtime  # noqa: F401 (it loads a fast BLAS before mlx is imported)
