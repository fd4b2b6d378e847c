"""Written words -> how they are said, in American and British English, and the ways in which people write that down.

Read `phones` (the letters that stand for sounds), `notations` (IPA, ARPAbet, X-SAMPA in and out), `dictionary`,
`heteronyms` (words with several readings), `guess` and `origins` (words that no dictionary has), then `reader` (a
sentence -> the words of it that a model is given as phones) and `suggest` (a book -> names to listen to).
"""
