"""Structured eviction: what leaves follows from what depends on what, and a line stays that says how to get it back.

Source: the seed document on structured context eviction (docs/strategies/placeholder_eviction.md names its sections).
"""
