"""What `agentsim explore` shows and writes of what it found."""
