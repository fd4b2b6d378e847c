"""Text as people write it -> pieces to speak. Follow it: source/ (read), markup/ (clean), cutting/ (sentences, pieces).

languages.py gives a language its name in a checkpoint.
"""
