"""Nodes of a YAML document, built from PyYAML's events without recursion, in bounds.

This module is loaded when the first YAML text is read, since it needs PyYAML.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NoReturn

from yaml.events import (
    AliasEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from agentsim.core import DEPTH_MAX
from agentsim.plain_yaml.faults import at
from agentsim.plain_yaml.scalars import NotANumber, Plain, meaning

__all__ = ["VALUES_MAX", "Builder", "Node"]

VALUES_MAX = 100_000
"""How many values a document may hold by default, those of its aliases included."""

_TAG = "tag:yaml.org,2002:"
_TOO_DEEP = f"nested deeper than {DEPTH_MAX} levels"


def _place(event: Event) -> tuple[int, int]:
    """Line and column where an event begins, 1-based."""
    mark = event.start_mark
    assert mark is not None  # only events made by hand lack one
    return mark.line + 1, mark.column + 1


@dataclass(slots=True)
class Node:
    """A value and where it begins.

    Attributes:
        children: By key or index: the line of the key or entry, and the value.
        size: How many values it holds, its own included.
        height: How many containers stand in one another, its own included.
    """

    line: int
    kind: Literal["scalar", "list", "mapping"]
    scalar: Plain = None
    children: dict[str | int, tuple[int, Node]] = field(default_factory=dict)
    size: int = 1
    height: int = 0

    def add(self, step: str | int, line: int, node: Node) -> None:
        """Put a finished node into a container."""
        self.children[step] = (line, node)
        self.size += node.size
        self.height = max(self.height, node.height + 1)

    def plain(self) -> object:
        """Fresh plain data: what came by alias is a copy."""
        if self.kind == "list":
            return [node.plain() for _, node in self.children.values()]
        if self.kind == "mapping":
            return {key: node.plain() for key, (_, node) in self.children.items()}
        return self.scalar


class _Open:
    """A container that is being read, and the key whose value comes next."""

    __slots__ = ("anchor", "key", "key_line", "node")

    def __init__(self, node: Node, anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.key: str | None = None
        self.key_line = 0


class Builder:
    """Takes the events of one text; `root` is its document, or None while there is none.

    Raises:
        ScenarioError: for what the subset refuses.
    """

    def __init__(self, name: str, values_max: int = VALUES_MAX) -> None:
        self.root: Node | None = None
        self._name = name
        self._values_max = values_max
        self._open: list[_Open] = []
        self._anchors: dict[str, Node | None] = {}
        self._values = 0

    def feed(self, event: Event) -> None:
        """Take the next event."""
        if isinstance(event, NodeEvent):
            top = self._open[-1] if self._open else None
            if top is not None and top.node.kind == "mapping" and top.key is None:
                self._key(event, top)
            else:
                self._value(event)
        elif isinstance(event, SequenceEndEvent | MappingEndEvent):
            self._end()
        elif isinstance(event, DocumentStartEvent) and self.root is not None:
            self._fail(event, "a second document begins here: a file holds one")

    def _fail(self, event: Event, words: str) -> NoReturn:
        raise at(self._name, *_place(event), words)

    def _key(self, event: NodeEvent, top: _Open) -> None:
        if not isinstance(event, ScalarEvent):
            self._fail(event, "a key must be text")
        key = self._scalar(event)
        if not isinstance(key, str):
            shown = repr(event.value) if event.value else "nothing"
            self._fail(event, f"a key must be text, got {shown}: put it into quotes")
        if key == "<<" and event.implicit[0]:
            self._fail(event, "merge keys are not read: write the fields out")
        if key in top.node.children:
            first = top.node.children[key][0]
            self._fail(event, f"the key {key!r} stands twice, first at line {first}")
        top.key = key
        top.key_line, _ = _place(event)

    def _value(self, event: NodeEvent) -> None:
        line, _ = _place(event)
        if isinstance(event, AliasEvent):
            self._attach(line, self._aliased(event))
            return
        self._count(event, 1)
        if isinstance(event, ScalarEvent):
            node = Node(line, "scalar", self._scalar(event))
            if event.anchor is not None:
                self._anchors[event.anchor] = node
            self._attach(line, node)
        else:
            assert isinstance(event, CollectionStartEvent)  # there is no fourth kind
            self._begin(event)

    def _begin(self, event: CollectionStartEvent) -> None:
        if event.tag not in (None, "!", f"{_TAG}seq", f"{_TAG}map"):
            self._refuse_tag(event)
        if len(self._open) == DEPTH_MAX:
            self._fail(event, _TOO_DEEP)
        is_list = isinstance(event, SequenceStartEvent)
        line, _ = _place(event)
        node = Node(line, "list" if is_list else "mapping", height=1)
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open(node, event.anchor))

    def _end(self) -> None:
        done = self._open.pop()
        if done.anchor is not None:
            self._anchors[done.anchor] = done.node
        self._attach(done.node.line, done.node)

    def _attach(self, line: int, node: Node) -> None:
        if not self._open:
            self.root = node
            return
        top = self._open[-1]
        if top.key is None:
            top.node.add(len(top.node.children), line, node)
        else:
            top.node.add(top.key, top.key_line, node)
            top.key = None

    def _aliased(self, event: AliasEvent) -> Node:
        name = event.anchor
        if name not in self._anchors:
            self._fail(event, f"the alias *{name} has no anchor &{name} before it")
        node = self._anchors[name]
        if node is None:
            self._fail(event, f"the alias *{name} stands inside of its own anchor")
        if len(self._open) + node.height > DEPTH_MAX:
            self._fail(event, _TOO_DEEP)
        self._count(event, node.size)
        return node

    def _count(self, event: Event, values: int) -> None:
        self._values += values
        if self._values > self._values_max:
            words = f"a file may hold {self._values_max} values"
            self._fail(event, f"{words}, those of its aliases included")

    def _scalar(self, event: ScalarEvent) -> Plain:
        if event.tag not in (None, "!", f"{_TAG}str"):
            self._refuse_tag(event)
        if event.tag is not None or not event.implicit[0]:
            return str(event.value)
        try:
            return meaning(event.value)
        except NotANumber as error:
            self._fail(event, f"{error}: put it into quotes if it is text")

    def _refuse_tag(self, event: ScalarEvent | CollectionStartEvent) -> NoReturn:
        tag = str(event.tag).replace(_TAG, "!!")
        self._fail(
            event, f"the tag {tag} is not read: put text that begins with '!' in quotes"
        )
