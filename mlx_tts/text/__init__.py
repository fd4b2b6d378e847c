"""Text as people write it -> pieces to speak. Follow it: source/ (read), markup/ (clean), cutting/ (sentences, pieces),
normalise/ (words); reading.py is the one entry to them.

languages.py gives a language its name in a checkpoint, language_guess.py tells which one a text is in.
"""
