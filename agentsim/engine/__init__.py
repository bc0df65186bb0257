"""Runs agents deterministically: choices, loop, virtual clock, gates and crashes."""
