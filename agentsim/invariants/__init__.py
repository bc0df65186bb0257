"""The rules that every agent loop keeps, as pure functions of a Trace."""
