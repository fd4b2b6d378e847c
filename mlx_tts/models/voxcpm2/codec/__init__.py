"""Latents <-> sound. Read config, decoder, then encoder, then weights."""
