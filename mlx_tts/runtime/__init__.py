"""The machine: which device computes, its memory, a fast BLAS, and the one thread on which MLX works.

Read device first, then mlx_thread; memory and blas stand alone. Nothing here knows a model.
"""

from mlx_tts.runtime.blas import preload

preload()  # before any module imports mlx: a library that is loaded later is not found
