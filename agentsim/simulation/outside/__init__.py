"""The outside of one run: what an agent acts on, and what outlives its incarnations."""
