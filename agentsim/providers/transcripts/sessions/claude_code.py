"""Sessions of Claude Code: one JSON line per event, a tree by `parentUuid`.

An answer of the model stands in several lines with one message id, one block each, and
results of parallel calls stand between them or beside them: what belongs together is put
together here. Branches (edits and retries) and sidechains are conversations of their own.
What `claude -p --output-format stream-json` and the Agent SDK print is read too: it has no
tree, so each line follows the one before it, those of a subagent apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agentsim.core import UsageError
from agentsim.providers.transcripts.reading import Path, printable
from agentsim.providers.transcripts.recognise import ANTHROPIC
from agentsim.providers.transcripts.sessions.claude_tree import (
    Node,
    Turn,
    is_side,
    path_to,
    turns_of,
)
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

_PRINTED = ("system", "assistant", "user", "result", "stream_event")

_OWN_TYPES = ("summary", "file-history-snapshot", "queue-operation")
"""Types of lines that a session may begin with, and that have no id."""


def is_claude_code(value: object) -> bool:
    """Whether a line is one of such a session."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    if value["type"] in _OWN_TYPES or _is_printed(value):
        return True
    return "parentUuid" in value or ("sessionId" in value and "message" not in value)


def _is_printed(row: dict[str, Any]) -> bool:
    """Whether a line is one of a printed session, which has no tree."""
    return (
        row.get("type") in _PRINTED
        and isinstance(row.get("session_id"), str)
        and "parentUuid" not in row
    )


def read_claude_code(name: str, read: Sequence[Document]) -> Session:
    """Read a session.

    Args:
        name: Of the file, for errors.

    Raises:
        UsageError: when it has more branches than can be held.
    """
    left_out = LeftOut()
    nodes = _nodes(read, left_out)
    turns = turns_of(nodes)
    ends = [
        turn.ends[-1] if turn.ends else turn.nodes[-1]
        for turn in turns
        if not turn.goes_on
    ]
    if not turns:
        ends = [node for node in nodes.values() if node.role][-1:]
    paths, steps = [], 0
    for end in ends:
        paths.append(path_to(end, nodes))
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
            left_out.add("message that nothing came of")
    return Session(tuple(parts), notes=left_out.notes())


def _nodes(read: Sequence[Document], left_out: LeftOut) -> dict[str, Node]:
    """The lines that have an id; those that are no messages only lead to others."""
    nodes: dict[str, Node] = {}
    last: dict[str, str] = {}
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
        if role and _is_printed(row):
            agent = str(row.get("parent_tool_use_id") or "")
            parent, last[agent] = last.get(agent), key
        parent = parent if isinstance(parent, str) else None
        nodes[key] = Node(number, document, parent, role)
    return nodes


def _is_made_up(row: dict[str, Any]) -> bool:
    return row.get("isApiErrorMessage") is True or (
        row["type"] == "assistant" and row["message"].get("model") == "<synthetic>"
    )


def _part(listed: Sequence[Sequence[Node]]) -> SessionPart:
    messages: list[dict[str, Any]] = []
    places: dict[Path, Place] = {(): Place(listed[0][0].document, ())}
    times: list[float] = []
    for nodes in listed:
        at: Path = ("messages", len(messages))
        places[at] = Place(nodes[0].document, ("message",))
        messages.append(_message(nodes, at, places))
        times.append(milliseconds_of(nodes[-1].row.get("timestamp")))
    last = listed[-1][-1]
    agent = last.row.get("agentId") or last.row.get("parent_tool_use_id")
    session = last.row.get("sessionId") or last.row.get("session_id")
    label = f"sidechain {agent or ''}".rstrip() if is_side(last) else session or ""
    body: dict[str, Any] = {"messages": messages}
    return SessionPart(
        ANTHROPIC, body, places, label=printable(str(label)), times=times
    )


def _messages(path: Sequence[Node]) -> Iterator[list[Node]]:
    """The lines of each message: all of an answer, then the results of all its calls.

    Results that lie beside the path are taken in where nothing else follows them.
    """
    on_path = {node.number: None for node in path}
    told: dict[int, None] = {}
    results: list[Node] = []
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


def _is_result(node: Node) -> bool:
    """Whether a line has results of calls, and nothing else."""
    blocks = _blocks(node) if node.role == "user" else []
    results = [block for block in blocks if block.get("type") == "tool_result"]
    return bool(results) and len(results) == len(node.content)


def _answers(node: Node, turn: Turn) -> bool:
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


def _blocks(node: Node) -> list[dict[str, Any]]:
    content = node.content
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def _message(
    nodes: Sequence[Node], at: Path, places: dict[Path, Place]
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
