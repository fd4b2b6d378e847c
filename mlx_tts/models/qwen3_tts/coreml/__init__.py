"""Qwen3-TTS on Core ML. Read stored (weights), graphs, manifest, conversion, check; then steps and engine."""
