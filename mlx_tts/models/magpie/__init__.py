"""NVIDIA's MagpieTTS: config, text, network, alignment, local_transformer, frames, codec, synthesizer, in this order."""
