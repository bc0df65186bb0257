"""How `agentsim record` opens a cassette, and tells of its use."""
