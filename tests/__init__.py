"""Tests mirror the package: tests/nn/test_conv.py tests mlx_tts/nn/conv.py. helpers/ holds what several of them use."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the models are small: threads that wait for each other only spin

import mlx_tts.runtime  # noqa: F401 (before mlx is imported: it loads the fast BLAS)
