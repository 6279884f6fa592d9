"""Learned eviction in parts: names in texts, what was seen of them, features, a scorer from a file, worth of blocks."""
