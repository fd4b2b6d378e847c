"""English, one file a kind: each holds RULES, which `rules.py` of this folder puts in their order."""
