"""What is sealed while a life runs: clock, chance and network are the run's own."""
