"""Files of weights: config_fields (JSON -> dataclass), tensors (by name), stored_rows (rows that stay in a file)."""
