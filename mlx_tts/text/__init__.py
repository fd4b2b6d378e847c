"""Text as people write it -> pieces to speak. Follow it: source/ (read), markup/ (clean), cutting/ (sentences, pieces),
normalise/ (words); reading.py is the one entry to them.

languages/ has all that is known of each language, language_guess.py tells which one a text is in.
"""
