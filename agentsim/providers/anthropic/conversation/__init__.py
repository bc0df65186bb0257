"""Conversations on the wire: their blocks, messages and tools, read and written."""
