"""The invariants themselves, by what they judge; `judging` lists them."""
