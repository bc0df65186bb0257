"""`python -m agentsim.cli`: the command line, where its entry point is not on the path."""

from agentsim.cli.app import main

main()
