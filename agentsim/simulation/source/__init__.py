"""Scenarios and runs as Python source: what a person can paste into a test."""
