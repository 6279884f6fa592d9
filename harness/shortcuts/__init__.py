"""Can a generated family be won by a trick? Figures for every family that conf/task has (docs/shortcuts.md)."""
