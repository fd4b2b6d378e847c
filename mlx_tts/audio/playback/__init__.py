"""Loudspeakers: ring is the buffer between the model and the device, speaker drives the device."""
