"""The reference page of the mutants, and the faults of loops that it lists."""
