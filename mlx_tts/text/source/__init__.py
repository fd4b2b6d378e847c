"""Where text comes from: documents and epub (whole), arriving (sentence by sentence), word_by_word (while it grows)."""
