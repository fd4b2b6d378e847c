from mlx_tts.blas import preload

preload()  # before any module here imports mlx
