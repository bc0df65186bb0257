"""The simulated parts of a world, one subject per module."""
