"""How `agentsim serve` serves, and tells of it."""
