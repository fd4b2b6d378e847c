"""Fused GPU kernels: one body each for Metal and CUDA, beside each the plain MLX form that gives the same numbers."""
