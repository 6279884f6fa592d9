"""How well an embedder finds the texts that later steps need: what a retrieval threshold is worth."""
