"""What calls cost: prices, a provider's prefix cache, and the money of a recorded episode (docs/cost.md)."""
