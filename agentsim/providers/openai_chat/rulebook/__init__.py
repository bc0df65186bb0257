"""The rules of Chat Completions: a table of them, and what finds them broken."""
