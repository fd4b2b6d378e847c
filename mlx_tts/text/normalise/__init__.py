"""Text as people write it -> words as people say them: rules of one language each, and the user's own lexicon."""
