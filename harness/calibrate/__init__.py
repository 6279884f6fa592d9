"""Fits the dials of the scripted reader to a model: `python -m harness.calibrate model=…` (docs/readers.md)."""
