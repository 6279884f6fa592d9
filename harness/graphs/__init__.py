"""What a strategy's dependency graph and its store are worth, against what a generated task really needs."""
