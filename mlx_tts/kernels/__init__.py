"""GPU kernels: one text each for Metal and CUDA, next to each the plain MLX form that gives the same numbers.

Read core/source first, then products, layer_steps and persistent_stack. Families meet the steps and `StepKernels`.
"""

import mlx_tts.runtime  # noqa: F401 (it loads a fast BLAS before mlx is imported)
