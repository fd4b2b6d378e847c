"""How written forms are read."""

LANGUAGES = (
    "english",
    "german",
    "spanish",
    "french",
    "italian",
    "portuguese",
    "russian",
    "japanese",
    "chinese",
    "korean",
)
