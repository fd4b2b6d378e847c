"""Long text -> one speech: narrate speaks pieces in their order, piece_store keeps finished ones for a later run."""
