"""What can go wrong outside, as rules that answer an operation with a verdict."""
