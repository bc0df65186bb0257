"""Scenarios of recorded sessions: a cassette as a scripted model with canned tools."""
