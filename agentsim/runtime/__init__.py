"""The reference agent loop, which can't tell simulation from life."""
