"""How fast agentsim is, measured by ratios inside one run: `make bench`."""
