"""Cassettes in tests: the fixture `cassette`, loaded with the first test that uses it."""
