"""Kokoro: phonemes and a style vector -> durations, pitch and energy -> sound, all of a piece at once."""
