"""Finished sweeps in the formats of other tools (docs/inspect.md)."""
