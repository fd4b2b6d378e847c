"""Qwen3-TTS. Read config, tokenizer, prompt, talker, frames (the decode loop), codec/, synthesizer."""
