"""A checkpoint -> the bits of each part of its network, found by measuring: for every family."""
