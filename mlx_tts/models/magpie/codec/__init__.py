"""The audio codec: decoder (codes -> sound), encoder (sound -> codes), weights."""
