"""Mutants whose fault lies in what is said: to the model, by it, and in the result."""
