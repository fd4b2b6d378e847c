"""Qwen3-TTS. Read config, tokenizer, prompt, talker, code_predictor, frames (the decode loop), codec/, synthesizer."""
