"""Values as Python source: replies, faults, parts of a world, and whole scenarios."""

from __future__ import annotations

import json
import keyword
import math
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from typing import Any

from agentsim.core import Message, UsageError, assistant, tool_result, user
from agentsim.faults import CATALOGUE, Fault, FaultRule
from agentsim.providers import By, Call, Forever, Pick, Reply, Script, call, say
from agentsim.simulation.expectation import Expectation
from agentsim.simulation.menu import Menu
from agentsim.simulation.scenario import Scenario
from agentsim.simulation.source.layout import Chain, Group, Node
from agentsim.simulation.source.names import Names
from agentsim.simulation.source.own_tools import made_of
from agentsim.world import OwnTool

__all__ = ["Writer"]


class Writer:
    """Writes values, and collects the imports that they need."""

    def __init__(self) -> None:
        self.names = Names()

    def value(self, value: object) -> Node:
        """Write any value; what can't be written gets a name that is said to lack."""
        match value:
            case str():
                return _text(value)
            case None | bool() | int() | bytes():
                return repr(value)
            case float():
                return repr(value) if math.isfinite(value) else f'float("{value}")'
            case Reply():
                return self._reply(value)
            case Scenario():
                return self.scenario(value)
            case Menu():
                return self._called(self.names.own("Menu"), **_menu(value))
            case Script():
                return self._list(value)
            case By() | Forever() | Pick():
                return self._entry(value)
            case Expectation():
                return self._mapping(_given(value))
            case Message():
                return self._message(value)
            case FaultRule():
                return self._rule(value)
            case Fault() if CATALOGUE.get(value.name) == value:
                named = self.names.own("fault_named", "agentsim.faults")
                return f"{named}({_text(value.name)})"
            case OwnTool():
                return self._tool(value)
            case BaseException():
                flag = {} if getattr(value, "definite", True) else {"definite": False}
                return self._called(self.names.of(type(value)), *value.args, **flag)
            case Mapping():
                return self._mapping(value)
            case tuple():
                parts = [("", self.value(item)) for item in value]
                return Group("(", parts, ")", single=True)
            case Sequence():
                return self._list(value)
        if is_dataclass(value) and not isinstance(value, type):
            return self.record(value)
        if callable(value):
            return self.names.of(value)
        return self.names.lacking(value)

    def scenario(self, scenario: Scenario) -> Node:
        """Write a scenario: what it keeps as tuples, as lists."""
        given = {
            name: list(own) if isinstance(own, tuple) else own
            for name, own in _given(scenario).items()
        }
        return self._called(self.names.own("Scenario"), **given)

    def record(self, value: Any) -> Node:  # noqa: ANN401  # any dataclass
        """Write a dataclass by the fields that are not as by default."""
        name = self.names.of(type(value))
        return self._called(name, **_given(value))

    def _tool(self, value: OwnTool) -> Node:
        """Write a tool of a user: what is decorated is imported by its name."""
        made = None if self.names.reaches(value) else made_of(value)
        if made is None:
            return self.names.of(value)
        of, options = made
        return self._called(self.names.own("tool"), *of, **options)

    def _called(self, function: str, *arguments: object, **named: object) -> Group:
        parts = [("", self.value(argument)) for argument in arguments]
        parts += [(f"{name}=", self.value(own)) for name, own in named.items()]
        return Group(f"{function}(", parts)

    def _list(self, values: Sequence[object]) -> Node:
        return Group("[", [("", self.value(item)) for item in values], "]")

    def _mapping(self, value: Mapping[Any, object]) -> Node:
        entries = [
            (f"{self.value(key)}: ", self.value(item)) for key, item in value.items()
        ]
        return Group("{", entries, "}")

    # ------------------------------------------------------------------------ replies

    def _reply(self, reply: Reply) -> Node:
        if not reply.calls:
            usual = say(reply.text)
            changes = _changes(reply, usual)
            spoken = {
                name: changes.pop(name)
                for name in ("stop_reason", "usage", "latency_s")
                if name in changes
            }
            head: Node = self._called(self.names.own("say"), reply.text, **spoken)
        elif len(reply.calls) == 1:
            head, changes = self._call(reply.calls[0])
            changes |= _changes(reply, Reply(calls=reply.calls))
        else:
            parts = [("", self._whole_call(entry)) for entry in reply.calls]
            if reply.text:
                parts.append(("text=", self.value(reply.text)))
            head = Group(f"{self.names.own('together')}(", parts)
            changes = _changes(reply, Reply(reply.text, reply.calls))
        return self._but(head, changes)

    def _but(self, head: Node, changes: Mapping[str, object]) -> Node:
        return Chain((head, self._called(".but", **changes))) if changes else head

    def _whole_call(self, entry: Call) -> Node:
        return self._but(*self._call(entry))

    def _call(self, entry: Call) -> tuple[Node, dict[str, object]]:
        """A call as `call(...)`, and what has to be changed of it."""
        arguments = _keywords(entry)
        changes: dict[str, object] = {}
        if arguments is None:
            arguments, changes["arguments"] = {}, entry.arguments
        if entry.id is not None:
            changes["id"] = entry.id
        return self._called(self.names.own("call"), entry.name, **arguments), changes

    def _entry(self, entry: By | Forever | Pick) -> Node:
        if isinstance(entry, By):
            return self._called(self.names.own("by"), entry.function)
        if isinstance(entry, Forever):
            return self._called(self.names.own("forever"), *entry.turns)
        return self._called(
            self.names.own("pick"),
            *entry.replies,
            final=entry.final,
            at_most=entry.at_most,
        )

    # --------------------------------------------------------------- messages, faults

    def _message(self, message: Message) -> Node:
        own = self.names.own
        if message == user(message.content):
            return self._called(own("user", "agentsim.core"), message.content)
        if message == assistant(message.content, *message.tool_calls):
            name = own("assistant", "agentsim.core")
            return self._called(name, message.content, *message.tool_calls)
        answered = message.tool_call_id
        if answered is not None:
            flag = {"is_error": True} if message.is_error else {}
            if message == tool_result(answered, message.content, **flag):
                name = own("tool_result", "agentsim.core")
                return self._called(name, answered, message.content, **flag)
        return self.record(message)

    def _rule(self, rule: FaultRule) -> Node:
        """A rule by the function of its fault, where there is one."""
        import agentsim.faults as shorthand

        name = rule.fault.name
        named: dict[str, object] = {}
        if rule.attempt is not None:
            named["attempt"] = rule.attempt
        if rule.retry_after_s is not None:
            named["retry_after_s"] = rule.retry_after_s
        if rule.at is not None:
            named["at"] = rule.at
        where = () if rule.name is None else (rule.name,)
        short = getattr(shorthand, name, None)
        if callable(short) and _is_known(rule):
            return self._called(
                self.names.own(name, "agentsim.faults"), *where, **named
            )
        return self.record(rule)


def _text(value: str) -> str:
    """A text between double quotes, where it needs no more escapes than otherwise."""
    written = repr(value)
    return written if '"' in written else f'"{written[1:-1]}"'


def _given(value: Any) -> dict[str, Any]:  # noqa: ANN401  # any dataclass
    """The fields that are not as by default."""
    return {
        field.name: own
        for field in fields(value)
        if field.init and not _usual(field, own := getattr(value, field.name))
    }


def _menu(menu: Menu) -> dict[str, Any]:
    """The fields of a menu, its rules in their short form where they have one."""
    given = _given(menu)
    if menu.rules:
        given["faults"] = tuple(map(_short, menu.rules))
    return given


def _short(rule: FaultRule) -> FaultRule | str:
    return rule.text if _is_known(rule) else rule


def _is_known(rule: FaultRule) -> bool:
    """Whether the text of the rule says all of it."""
    known = CATALOGUE.get(rule.fault.name) == rule.fault
    return known or rule.retry_after_s is not None or rule.at is not None


def _usual(field: Field[Any], value: object) -> bool:
    if callable(field.default_factory):
        return bool(field.default_factory() == value)
    return bool(field.default == value)


def _changes(reply: Reply, usual: Reply) -> dict[str, object]:
    return {
        field.name: own
        for field in fields(Reply)
        if (own := getattr(reply, field.name)) != getattr(usual, field.name)
    }


def _keywords(entry: Call) -> dict[str, Any] | None:
    """The arguments as `call` takes them, if it would write the same text."""
    try:
        arguments = json.loads(entry.arguments)
        if not isinstance(arguments, dict) or not all(map(_is_name, arguments)):
            return None
        same = call(entry.name, **arguments).calls[0].arguments == entry.arguments
    except (UsageError, ValueError, RecursionError):
        return None
    return arguments if same else None


def _is_name(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)
