"""Other forms of the models' graphs, for other machinery than MLX. coreml/: packages for Apple's Core ML."""
