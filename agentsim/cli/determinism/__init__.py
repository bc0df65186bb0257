"""Comparing the same runs in several processes, for `agentsim doctor --determinism`."""
