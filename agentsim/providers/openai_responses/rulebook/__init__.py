"""The rules of the Responses wire."""
