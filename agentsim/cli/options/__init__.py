"""Options of the commands: what they share, and what their texts mean."""
