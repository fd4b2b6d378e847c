"""OpenBMB's VoxCPM. Read config, tokenizer, network, diffusion, prompt, frames, codec, synthesizer."""
