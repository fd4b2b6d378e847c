"""The 12 Hz codec: decoder (codes -> sound, whole or streamed), encoder (sound -> codes), weights (their names)."""
