"""Claims of the literature, registered before any comparison, and what a sweep answers to each (docs/claims.md)."""
