"""NVIDIA's MagpieTTS. Read config, text, network, alignment, decoding, local_transformer, frames, synthesizer."""
