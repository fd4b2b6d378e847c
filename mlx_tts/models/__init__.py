"""The families of models. families.py lists them and says what a family is; each has a folder of its own.

No family imports another. In each folder read config, then prompt, then what generates, then synthesizer.
"""
