"""Marks that are not spoken. markdown: Markdown and HTML -> the words."""
