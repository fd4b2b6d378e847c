"""`mlx-tts mcp`: tools of the Model Context Protocol in, speech from this machine's loudspeakers out."""
