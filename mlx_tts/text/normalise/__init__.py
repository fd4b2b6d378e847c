"""Text as people write it -> words as people say them. Read normaliser, then rules; lexicon: the user's own words.

european and east_asian are what several languages share; what only one has is in `text/languages`.
"""
