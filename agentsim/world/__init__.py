"""The simulated outside of an agent, and the ledger of its effects."""
