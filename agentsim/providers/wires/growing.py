"""A history that a client sends whole with each request: only what is new is read."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Growing"]


class Growing:
    """Compares the entries of each request with those of the one before."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: Sequence[object] = ()

    def kept(self, entries: Sequence[object], *, malformed: bool = False) -> int:
        """How many entries at the start are those of the last request.

        As many as it had, where the history only grew; fewer, where it was rewritten.

        Args:
            malformed: Whether an entry that was seen has no proper form: such ones may
                be equal and not the same, as 1 and true are.
        """
        seen, self._seen = self._seen, entries
        count = len(seen)
        if not malformed and entries[:count] == seen:
            return count
        pairs = zip(seen, entries, strict=False)
        kept = next((n for n, (a, b) in enumerate(pairs) if a != b), len(entries))
        return min(kept, count)

    @property
    def count(self) -> int:
        """How many entries the last request had."""
        return len(self._seen)
