"""From the tables of a sweep to what is printed and drawn. Entry: harness/summary.py."""
