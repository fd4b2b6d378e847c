"""Qwen3-TTS on Core ML. Read graphs, manifest, conversion, check; then steps and engine."""
