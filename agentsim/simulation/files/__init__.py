"""Scenario files: YAML read with the place of every field, and built into scenarios."""
