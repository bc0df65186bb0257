"""How many examples a property needs where the default is too many, or too few."""

from hypothesis import settings

DEFAULT = 100
"""What the profile of every day asks for."""


def examples(count: int) -> settings:
    """So many examples, and more in proportion with `--hypothesis-profile=wide`."""
    return settings(max_examples=max(1, count * settings().max_examples // DEFAULT))


# For properties whose examples are small and each of which says much.
FEWER = examples(40)
