"""`agentsim cassette`: one module per action, named as the action, loaded on use."""
