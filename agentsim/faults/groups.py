"""Names that stand for several faults, where faults are offered.

In a menu `malformed_arguments` offers each of its faults; in the faults of a scenario,
which always strike, one of them must be named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from agentsim.faults.catalogue import CATALOGUE
from agentsim.faults.kinds import Target

__all__ = ["GROUPS", "family_of", "folded", "groups_of"]


def _named(ending_or_beginning: str) -> tuple[str, ...]:
    return tuple(
        name
        for name in CATALOGUE.own
        if name.startswith(ending_or_beginning) or name.endswith(ending_or_beginning)
    )


def _of(target: Target) -> tuple[str, ...]:
    return tuple(n for n, fault in CATALOGUE.own.items() if fault.target == target)


_FAMILIES: dict[str, tuple[str, ...]] = {
    "bad_outputs": _named("_output"),
    "service_errors": (
        "rate_limited",
        "server_error",
        "overloaded",
        "model_timeout",
        "connection_lost",
    ),
    "empty_answers": (
        "empty_answer",
        "blank_answer",
        "empty_tool_use",
        "tool_use_without_calls",
    ),
    "malformed_arguments": _named("arguments_"),
    "bad_ids": ("duplicate_ids", "missing_ids"),
    "odd_reasons": (
        "stop_with_calls",
        "max_tokens_with_calls",
        "max_tokens_cut",
        "paused",
        "refused",
        "content_filtered",
        "unknown_reason",
    ),
    "streams": _named("stream_"),
    "loops": ("same_call_forever", *_named("cycle_of_")),
}
"""Groups that have no fault in common."""

GROUPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "own": tuple(CATALOGUE.own),
        "tools": _of("tool"),
        "model": _of("model"),
        "person": _of("human"),
        **_FAMILIES,
        "wrong_type": tuple(
            f"{kind}_output" for kind in ("number", "list", "object", "null", "bytes")
        ),
    }
)
"""Name of each group -> the names of its faults, in the order of the catalogue."""

_FAMILY = {name: group for group, names in _FAMILIES.items() for name in names}


def family_of(name: str) -> str:
    """The group of much the same faults that a fault is of, or its own name."""
    return _FAMILY.get(name, name)


def groups_of(name: str) -> Iterator[str]:
    """Every group that a fault is in."""
    return (group for group, names in GROUPS.items() if name in names)


def folded(texts: Sequence[str]) -> Iterable[str]:
    """Texts of rules with the name of a group where all its faults stand in a row."""
    place = 0
    while place < len(texts):
        for group, names in GROUPS.items():
            if tuple(texts[place : place + len(names)]) == names:
                yield group
                place += len(names)
                break
        else:
            yield texts[place]
            place += 1
