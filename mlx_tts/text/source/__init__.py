"""Where text comes from: documents (any file) and its kinds: markdown_document, html_document, epub, docx, pdf.

arriving: sentence by sentence; word_by_word: while it grows.
"""
