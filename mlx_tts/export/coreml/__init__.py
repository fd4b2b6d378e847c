"""Core ML. Read graph (operations, layers, a graph -> a package), reader, evaluator (runs a package in numpy)."""
