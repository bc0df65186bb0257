"""Lays out Python source: on one line where it fits, else one part per line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Chain", "Group", "Node", "laid_out"]

WIDTH = 88

INDENT = 4


@dataclass(frozen=True, slots=True)
class Group:
    """An expression of parts between brackets.

    Attributes:
        head: What stands before the parts, with the bracket: `call(`.
        parts: Each with what stands before it: `cancel=`.
        tail: What stands after them, with the bracket.
        single: Whether one part alone needs a comma after it, as in a tuple.
    """

    head: str
    parts: Sequence[tuple[str, Node]]
    tail: str = ")"
    single: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """Expressions that follow one another: `call(...)` and `.but(...)`."""

    links: Sequence[Node]


Node: TypeAlias = "str | Group | Chain"


def laid_out(node: Node, *, indent: int = 0, before: int = 0, after: int = 0) -> str:
    """Write an expression.

    Args:
        indent: Columns before the line that it stands in.
        before: Columns that are taken on its first line, beside the indent.
        after: Columns that are taken on its last line.
    """
    flat = _flat(node)
    if isinstance(node, str) or len(flat) <= WIDTH - indent - before - after:
        return flat
    if isinstance(node, Chain):
        *first, last = node.links
        head = "".join(map(_flat, first))
        return head + laid_out(
            last, indent=indent, before=before + len(head), after=after
        )
    if not node.parts:
        return flat
    deeper = indent + INDENT
    lines = [
        " " * deeper
        + prefix
        + laid_out(part, indent=deeper, before=len(prefix), after=1)
        + ","
        for prefix, part in node.parts
    ]
    return "\n".join((node.head, *lines, " " * indent + node.tail))


def _flat(node: Node) -> str:
    if isinstance(node, str):
        return node
    if isinstance(node, Chain):
        return "".join(map(_flat, node.links))
    inner = ", ".join(prefix + _flat(part) for prefix, part in node.parts)
    comma = "," if node.single and len(node.parts) == 1 else ""
    return f"{node.head}{inner}{comma}{node.tail}"
