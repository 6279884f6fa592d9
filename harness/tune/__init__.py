"""Chooses the parameters of a strategy: the same number of trials for every arm, on development families."""
