"""Invariants of what is said: requests, responses, and the result; `judging` lists them."""
