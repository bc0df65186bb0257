"""Threads of a simulation: each runs only while the event loop waits for it."""
