"""Where text comes from: documents (any file) and its kinds: markdown_document, html_document, epub, docx.

arriving: text that comes bit by bit, taken sentence by sentence or word by word.
"""
