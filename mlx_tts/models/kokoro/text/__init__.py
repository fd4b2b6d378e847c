"""Text of one language -> the model's own phonemes. phonemes.py says what all languages give."""
