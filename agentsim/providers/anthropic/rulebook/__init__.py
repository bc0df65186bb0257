"""The rules of Anthropic Messages: a table of them, and what finds them broken."""
