"""Paragraph -> sentences -> pieces. Read pace (how long a text takes), sentences, then pieces."""
