"""Sessions of Claude Code: one JSON line per event, a tree by `parentUuid`.

An answer of the model stands in several lines with one message id, one block each, and
results of parallel calls stand between them or beside them: what belongs together is put
together here. Branches (edits and retries) and sidechains are conversations of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentsim.core import UsageError
from agentsim.providers.transcripts.reading import Path, printable
from agentsim.providers.transcripts.recognise import ANTHROPIC
from agentsim.providers.transcripts.sessions.times import milliseconds_of
from agentsim.providers.transcripts.sessions.values import (
    LeftOut,
    Place,
    Session,
    SessionPart,
)
from agentsim.providers.transcripts.source import Document

__all__ = ["is_claude_code", "read_claude_code"]

STEPS_MAX = 2_000_000
"""Lines that all conversations of a file may have together."""

_ROLES = ("user", "assistant")

_OWN_TYPES = ("summary", "file-history-snapshot", "queue-operation")
"""Types of lines that a session may begin with, and that have no id."""


def is_claude_code(value: object) -> bool:
    """Whether a line is one of such a session."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    if value["type"] in _OWN_TYPES:
        return True
    return "parentUuid" in value or ("sessionId" in value and "message" not in value)


@dataclass(slots=True, eq=False)
class _Node:
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
    turn: _Turn | None = None
    leads: bool = False

    @property
    def row(self) -> dict[str, Any]:
        value: dict[str, Any] = self.document.value
        return value

    @property
    def content(self) -> Any:  # noqa: ANN401 - a JSON value
        return self.row["message"].get("content")


@dataclass(slots=True, eq=False)
class _Turn:
    """An answer of the model: its lines in order.

    Attributes:
        ends: Messages behind it that lead to no other answer.
        goes_on: Whether another answer stands below it.
    """

    nodes: list[_Node] = field(default_factory=list)
    ends: list[_Node] = field(default_factory=list)
    goes_on: bool = False


def read_claude_code(name: str, read: Sequence[Document]) -> Session:
    """Read a session.

    Args:
        name: Of the file, for errors.

    Raises:
        UsageError: when it has more branches than can be held.
    """
    left_out = LeftOut()
    nodes = _nodes(read, left_out)
    turns = _turns(nodes)
    ends = [
        turn.ends[-1] if turn.ends else turn.nodes[-1]
        for turn in turns
        if not turn.goes_on
    ]
    if not turns:
        ends = [node for node in nodes.values() if node.role][-1:]
    paths, steps = [], 0
    for end in ends:
        paths.append(_path(end, nodes))
        steps += len(paths[-1])
        if steps > STEPS_MAX:
            raise UsageError(f"{name}: more branches than can be held; split the file")
    parts = []
    used: dict[int, None] = {}
    for path in sorted(paths, key=lambda path: path[0].number):
        listed = list(_messages(path))
        used.update({node.number: None for one in listed for node in one})
        parts.append(_part(listed))
    for node in nodes.values():
        if node.role and node.number not in used:
            left_out.add("message of the user that nothing came of")
    return Session(tuple(parts), notes=left_out.notes())


def _nodes(read: Sequence[Document], left_out: LeftOut) -> dict[str, _Node]:
    """The lines that have an id; those that are no messages only lead to others."""
    nodes: dict[str, _Node] = {}
    for number, document in enumerate(read):
        row = document.value
        if not isinstance(row, dict):
            left_out.add("line that is no object")
            continue
        kind, own = row.get("type"), row.get("uuid")
        role = kind if isinstance(kind, str) and kind in _ROLES else ""
        if role and not isinstance(row.get("message"), dict):
            left_out.add(f"line of type {role} without a message")
            role = ""
        elif role and _is_made_up(row):
            left_out.add("message that the program wrote in the name of the model")
            role = ""
        elif not role:
            left_out.add(f"line of type {printable(str(kind))[:40]}")
        key = own if isinstance(own, str) else f"line {number}"
        if key in nodes:
            left_out.add("line that stands there twice")
            continue
        parent = row.get("parentUuid")
        parent = parent if isinstance(parent, str) else None
        nodes[key] = _Node(number, document, parent, role)
    return nodes


def _is_made_up(row: dict[str, Any]) -> bool:
    return row.get("isApiErrorMessage") is True or (
        row["type"] == "assistant" and row["message"].get("model") == "<synthetic>"
    )


def _parent(node: _Node, nodes: dict[str, _Node]) -> _Node | None:
    """The line above; a sidechain begins anew."""
    above = nodes.get(node.parent) if node.parent is not None else None
    if above is None or _is_side(above) != _is_side(node):
        return None
    return above


def _is_side(node: _Node) -> bool:
    return node.row.get("isSidechain") is True


def _turns(nodes: dict[str, _Node]) -> list[_Turn]:
    """The answers in the order of the file, and for each line the one above it."""
    by_id: dict[object, _Turn] = {}
    for key, node in nodes.items():
        if node.role == "assistant":
            own = node.row["message"].get("id")
            named = own if isinstance(own, str) else key
            node.turn = by_id.setdefault((named, _is_side(node)), _Turn())
            node.turn.nodes.append(node)
    for node in nodes.values():
        if node.role == "assistant":
            _mark(node, nodes)
    led: dict[int, None] = {}
    for node in nodes.values():
        _lead(node, nodes, led)
    return list(by_id.values())


def _mark(node: _Node, nodes: dict[str, _Node]) -> None:
    """Mark what leads to an answer."""
    above = _parent(node, nodes)
    while above is not None and above.role != "assistant" and not above.leads:
        above.leads = True
        above = _parent(above, nodes)


def _lead(node: _Node, nodes: dict[str, _Node], led: dict[int, None]) -> None:
    """Find the answer above a line, and tell it what follows; so for all above it."""
    met: list[_Node] = []
    above: _Node | None = node
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


def _path(end: _Node, nodes: dict[str, _Node]) -> list[_Node]:
    """The messages from the first to this one."""
    found: list[_Node] = []
    seen: dict[int, None] = {}
    node: _Node | None = end
    while node is not None and node.number not in seen:
        seen[node.number] = None
        if node.role:
            found.append(node)
        node = _parent(node, nodes)
    found.reverse()
    return found


def _part(listed: Sequence[Sequence[_Node]]) -> SessionPart:
    messages: list[dict[str, Any]] = []
    places: dict[Path, Place] = {(): Place(listed[0][0].document, ())}
    times: list[float] = []
    for nodes in listed:
        at: Path = ("messages", len(messages))
        places[at] = Place(nodes[0].document, ("message",))
        messages.append(_message(nodes, at, places))
        times.append(milliseconds_of(nodes[-1].row.get("timestamp")))
    last = listed[-1][-1]
    agent, session = last.row.get("agentId"), last.row.get("sessionId")
    label = f"sidechain {agent or ''}".rstrip() if _is_side(last) else session or ""
    body: dict[str, Any] = {"messages": messages}
    return SessionPart(
        ANTHROPIC, body, places, label=printable(str(label)), times=times
    )


def _messages(path: Sequence[_Node]) -> Iterator[list[_Node]]:
    """The lines of each message: all of an answer, then the results of all its calls.

    Results that lie beside the path are taken in where nothing else follows them.
    """
    on_path = {node.number: None for node in path}
    told: dict[int, None] = {}
    results: list[_Node] = []
    for node in path:
        if node.number in told:
            continue
        if _is_result(node):
            results.append(node)
            continue
        if results:
            yield results
            results = []
        turn = node.turn
        if node.role != "assistant" or turn is None:
            yield [node]
            continue
        told.update({one.number: None for one in turn.nodes})
        yield turn.nodes
        for beside in turn.ends:
            if beside.number not in on_path and _answers(beside, turn):
                results.append(beside)
    if results:
        yield results


def _is_result(node: _Node) -> bool:
    """Whether a line has results of calls, and nothing else."""
    blocks = _blocks(node) if node.role == "user" else []
    results = [block for block in blocks if block.get("type") == "tool_result"]
    return bool(results) and len(results) == len(node.content)


def _answers(node: _Node, turn: _Turn) -> bool:
    asked = {
        block.get("id")
        for one in turn.nodes
        for block in _blocks(one)
        if block.get("type") == "tool_use" and isinstance(block.get("id"), str)
    }
    return any(
        block.get("type") == "tool_result" and _text(block, "tool_use_id") in asked
        for block in _blocks(node)
    )


def _text(block: dict[str, Any], key: str) -> str | None:
    value = block.get(key)
    return value if isinstance(value, str) else None


def _blocks(node: _Node) -> list[dict[str, Any]]:
    content = node.content
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def _message(
    nodes: Sequence[_Node], at: Path, places: dict[Path, Place]
) -> dict[str, Any]:
    """One message of several lines, with the place of each of its blocks."""
    told = nodes[-1].row["message"]
    if len(nodes) == 1:
        return {**told, "role": nodes[0].role}
    blocks: list[Any] = []
    for node in nodes:
        content = node.content
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        for number, block in enumerate(content if isinstance(content, list) else ()):
            place = Place(node.document, ("message", "content", number))
            places[(*at, "content", len(blocks))] = place
            blocks.append(block)
    return {**told, "role": nodes[0].role, "content": blocks}
