"""The tree of a session of Claude Code: its lines, the answers, the way to each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from agentsim.providers.transcripts.source import Document

__all__ = ["Node", "Turn", "is_side", "path_to", "turns_of"]


@dataclass(slots=True, eq=False)
class Node:
    """A line that has an id.

    Attributes:
        number: Of the line among those that were read.
        turn: The answer that it is of, or that stands last above it.
        leads: Whether an answer stands below it.
    """

    number: int
    document: Document
    parent: str | None
    role: str
    turn: Turn | None = None
    leads: bool = False

    @property
    def row(self) -> dict[str, Any]:
        """The line as it was written."""
        value: dict[str, Any] = self.document.value
        return value

    @property
    def content(self) -> Any:  # noqa: ANN401 - a JSON value
        """The content of its message."""
        return self.row["message"].get("content")


@dataclass(slots=True, eq=False)
class Turn:
    """An answer of the model: its lines in order.

    Attributes:
        ends: Messages behind it that lead to no other answer.
        goes_on: Whether another answer stands below it.
    """

    nodes: list[Node] = field(default_factory=list)
    ends: list[Node] = field(default_factory=list)
    goes_on: bool = False


def _parent(node: Node, nodes: dict[str, Node]) -> Node | None:
    """The line above; a sidechain begins anew."""
    above = nodes.get(node.parent) if node.parent is not None else None
    if above is None or is_side(above) != is_side(node):
        return None
    return above


def is_side(node: Node) -> bool:
    """Whether a line is one of a subagent."""
    return node.row.get("isSidechain") is True or bool(
        node.row.get("parent_tool_use_id")
    )


def turns_of(nodes: dict[str, Node]) -> list[Turn]:
    """The answers in the order of the file, and for each line the one above it."""
    by_id: dict[object, Turn] = {}
    for key, node in nodes.items():
        if node.role == "assistant":
            own = node.row["message"].get("id")
            named = own if isinstance(own, str) else key
            node.turn = by_id.setdefault((named, is_side(node)), Turn())
            node.turn.nodes.append(node)
    for node in nodes.values():
        if node.role == "assistant":
            _mark(node, nodes)
    led: dict[int, None] = {}
    for node in nodes.values():
        _lead(node, nodes, led)
    return list(by_id.values())


def _mark(node: Node, nodes: dict[str, Node]) -> None:
    """Mark what leads to an answer."""
    above = _parent(node, nodes)
    while above is not None and above.role != "assistant" and not above.leads:
        above.leads = True
        above = _parent(above, nodes)


def _lead(node: Node, nodes: dict[str, Node], led: dict[int, None]) -> None:
    """Find the answer above a line, and tell it what follows; so for all above it."""
    met: list[Node] = []
    above: Node | None = node
    while above is not None and above.number not in led:
        led[above.number] = None
        met.append(above)
        above = _parent(above, nodes)
    turn = above.turn if above is not None else None
    for one in reversed(met):
        if one.role == "assistant":
            if turn is not None and turn is not one.turn:
                turn.goes_on = True
            turn = one.turn
        elif turn is not None and one.turn is None:
            one.turn = turn
            if one.role and not one.leads:
                turn.ends.append(one)


def path_to(end: Node, nodes: dict[str, Node]) -> list[Node]:
    """The messages from the first to this one."""
    found: list[Node] = []
    seen: dict[int, None] = {}
    node: Node | None = end
    while node is not None and node.number not in seen:
        seen[node.number] = None
        if node.role:
            found.append(node)
        node = _parent(node, nodes)
    found.reverse()
    return found
