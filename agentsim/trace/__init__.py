"""Records what a run did: events, the immutable Trace, its file form and diffs."""
