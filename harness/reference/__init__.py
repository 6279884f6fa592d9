"""Are the tables of results/reference what their commands make? `python -m harness.reference`."""
