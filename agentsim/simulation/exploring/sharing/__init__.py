"""Runs of an exploration made in other processes, side by side."""
