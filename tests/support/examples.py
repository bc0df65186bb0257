"""How many examples a property needs where the default is more than it takes."""

from hypothesis import settings

# Two fifths of what the profile asks for, so that `--hypothesis-profile=wide` still
# hunts: for properties whose examples are small and each of which says much.
FEWER = settings(max_examples=settings().max_examples * 2 // 5)
