"""A recording of a voice -> a good sample of it. prepare: trim, choose, level; measures: levels and pitch; faults."""
