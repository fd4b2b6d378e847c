"""A module of speech-dispatcher, which screen readers speak through: read protocol, then voice, messages and wishes."""
