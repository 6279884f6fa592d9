def draw(*a): return []
