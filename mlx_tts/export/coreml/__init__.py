"""Core ML. Read extra, graph (operations), package (a graph -> a file), reader, evaluator (runs a file in numpy)."""
