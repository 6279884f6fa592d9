"""Claims of the literature, registered before the arms were compared, and what a sweep answers to each (docs/claims.md)."""
