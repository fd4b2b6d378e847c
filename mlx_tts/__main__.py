"""`python -m mlx_tts`: the command `mlx-tts`."""

from mlx_tts.cli import main

main()
