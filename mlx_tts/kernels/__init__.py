"""GPU kernels: one text each for Metal and CUDA, next to each the plain MLX form that gives the same numbers."""
