"""Text as people write it -> words as people say them. Read normaliser, then rules; lexicon: the user's own words.

One folder or file a language: english, european (with its words), east_asian.
"""
