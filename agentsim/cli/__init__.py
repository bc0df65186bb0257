"""The command line, one file per command, loaded on use."""
