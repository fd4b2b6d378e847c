"""Samples: formats and files (read, write), mel spectrogram, sinks/ (where speech goes), playback/ (loudspeakers)."""
