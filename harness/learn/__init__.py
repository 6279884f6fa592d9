"""Weights for strategies that learn: samples from whole histories, training, and evaluation on what was left out."""
