"""Runtimes that are broken on purpose, each in one way, to test the judges."""
