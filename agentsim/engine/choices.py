"""The one source of nondeterminism: integers drawn by label, and the log of them.

Everything that may go one way or another in a run is `choose(label, n)`, and 0 is
always the dull option, so that a run is told by its few non-zero choices. A source
decides what is drawn; the log is kept here, the same for all. Sources draw no entropy
from outside: a seed, a map or an enumeration is all that they know.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from agentsim.core import NondeterminismError, TokenError, UsageError

__all__ = ["Choices", "Replay", "Seeded"]

_TEMPERS = (0.02, 0.1, 0.3, 0.6)
"""Probabilities of a deviation: a campaign has calm runs and wild ones."""


class Choices:
    """A source of choices and its log; this one always takes the dull option.

    A source overrides `draw`. One instance serves one run.

    Attributes:
        labels: What each choice was about, in the order of drawing.
        arities: How many options each had (always 2 or more: the rest is no choice).
        deviations: Position in the log -> value, for the non-zero choices only.
        kinds: Of the choice at hand: what its last options are, where they differ in
            kind from those before: `timer`, `cancel`, `crash`, `inject`, or the names
            of faults. For sources that prefer one to another.
    """

    __slots__ = ("arities", "deviations", "kinds", "labels")

    def __init__(self) -> None:
        self.kinds: Sequence[str] = ()
        self.labels: list[str] = []
        self.arities: list[int] = []
        self.deviations: dict[int, int] = {}

    def choose(self, label: str, n: int, kinds: Sequence[str] = ()) -> int:
        """Draw one of `n` options: 0 is the dull one; a single option is no choice.

        Raises:
            UsageError: There is no option to choose from.
        """
        if n < 2:
            if n < 1:
                raise UsageError(f"choice {label!r} has {n} options: it needs one")
            return 0
        position = len(self.arities)
        self.kinds = kinds
        value = self.draw(position, label, n)
        self.labels.append(label)
        self.arities.append(n)
        if value:
            self.deviations[position] = value
        return value

    def draw(self, position: int, label: str, arity: int) -> int:  # noqa: ARG002
        """Decide one choice: a value below `arity`."""
        return 0

    def finish(self) -> None:
        """Say that the run is over; a source that still waits for a choice objects."""

    @property
    def log(self) -> list[tuple[str, int]]:
        """Label and arity of every choice so far."""
        return list(zip(self.labels, self.arities, strict=True))


class Seeded(Choices):
    """Random choices: most are dull, some deviate, all repeatable by the seed.

    Args:
        seed: Any integer; the same one gives the same choices on every Python version.
        probability: How likely each choice deviates, 0 to 1. None takes one of a few
            classes, by the seed.

    Attributes:
        probability: The probability in force. (Swarm, which will silence whole labels
            per seed, belongs into `draw`.)
    """

    __slots__ = ("_random", "probability")

    def __init__(self, seed: int, probability: float | None = None) -> None:
        super().__init__()
        given: object = seed
        if not isinstance(given, int):
            raise UsageError(f"seed: expected a whole number, got {given!r:.60}")
        # Only `random()` is promised to stay the same over Python versions.
        self._random = random.Random(seed).random
        if probability is None:
            probability = _TEMPERS[int(self._random() * len(_TEMPERS))]
        elif not 0 <= probability <= 1:
            raise UsageError(f"probability must be from 0 to 1, got {probability}")
        self.probability = probability

    def draw(self, position: int, label: str, arity: int) -> int:  # noqa: ARG002
        """Deviate with the probability in force, to any option alike."""
        if self._random() >= self.probability:
            return 0
        return 1 + int(self._random() * (arity - 1))


class Replay(Choices):
    """Choices made before: the given deviations, and zero everywhere else.

    Args:
        planned: Position -> value, as in `Choices.deviations` or a token.
        expected: The whole log of the run that is repeated; every choice must then
            have the same label and arity.

    Raises:
        TokenError: By `choose` and `finish`: a deviation does not fit this run.
        NondeterminismError: By `choose` and `finish`: the run is another than expected.
    """

    __slots__ = ("expected", "planned")

    def __init__(
        self,
        planned: Mapping[int, int],
        expected: Sequence[tuple[str, int]] | None = None,
    ) -> None:
        super().__init__()
        self.planned = dict(planned)
        self.expected = expected

    def draw(self, position: int, label: str, arity: int) -> int:
        """Take the planned value, after comparing with what is expected."""
        if self.expected is not None:
            self._compare(position, label, arity)
        value = self.planned.get(position, 0)
        if not 0 <= value < arity:
            raise TokenError(
                f"the token does not fit: choice {position} ({label!r}) has {arity} "
                f"options, so it can't take the value {value}"
            )
        return value

    def finish(self) -> None:
        """Object to deviations that the run never reached, and to a run cut short."""
        made = len(self.arities)
        if self.expected is not None and made < len(self.expected):
            label, arity = self.expected[made]
            raise NondeterminismError(
                f"the same choices gave another run: choice {made} was {label!r} with "
                f"{arity} options before, now the run ended without it"
            )
        missed = sorted(position for position in self.planned if position >= made)
        if missed:
            raise TokenError(
                f"the token does not fit: it deviates at choice {missed[0]}, but the "
                f"run made {made} choice{'' if made == 1 else 's'}"
            )

    def _compare(self, position: int, label: str, arity: int) -> None:
        assert self.expected is not None
        if position >= len(self.expected):
            raise NondeterminismError(
                f"the same choices gave another run: it ended after {position} choices "
                f"before, now choice {position} is {label!r} with {arity} options"
            )
        label_before, arity_before = self.expected[position]
        if (label_before, arity_before) != (label, arity):
            raise NondeterminismError(
                f"the same choices gave another run: choice {position} was "
                f"{label_before!r} with {arity_before} options before, "
                f"now it is {label!r} with {arity} options"
            )
