"""Answers requests as the real model services would: scripts, rules, dialects."""
