"""A socket of this machine, and uvicorn on it, for whatever application answers there."""
