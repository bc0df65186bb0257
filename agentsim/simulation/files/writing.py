"""Scenarios as YAML text that reads back as the same scenario.

What a file can't say (functions, tools of one's own in Python, lone surrogates) is
found out by reading the text back: the two scenarios then have different digests.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any

from agentsim.core import (
    AgentsimError,
    Limits,
    LoopRules,
    Message,
    ScenarioError,
    Usage,
)
from agentsim.plain_yaml import NotANumber, load_yaml, meaning
from agentsim.providers import Call, Entry, Forever, Reply
from agentsim.providers.wires import plain_profile
from agentsim.simulation.expectation import Expectation
from agentsim.simulation.files.scenario_file import build_scenario
from agentsim.simulation.menu import Menu
from agentsim.simulation.scenario import Scenario
from agentsim.simulation.source.additions import additions
from agentsim.world import to_plain

__all__ = ["scenario_yaml"]

WIDTH = 88


def scenario_yaml(
    scenario: Scenario, *, menu: Menu | None = None, invariants: Iterable[str] = ()
) -> str:
    """Write a scenario as a file says it; what is as by default is left out.

    The file `uses` the modules that add parts and faults of your own.

    Args:
        menu: What the file is run with, whose faults must be known too.
        invariants: Those that it must be judged by.

    Raises:
        ScenarioError: when a file can't say all of it.
    """
    import yaml

    text, again = "", None
    try:
        text = str(
            yaml.dump(
                _plain(scenario, list(additions(scenario, menu, invariants))),
                Dumper=_dumper(),
                sort_keys=False,
                allow_unicode=True,
                width=WIDTH,
                default_flow_style=None,
            )
        )
        again = build_scenario(load_yaml(text, "scenario"), scenario.name)
    except (AgentsimError, yaml.YAMLError, TypeError, ValueError):
        pass  # told below, like a text that reads back as another scenario
    if again is None or again.digest != scenario.digest:
        raise ScenarioError(
            f"{scenario.name}: this scenario can't be written as a file, which has no "
            "place for functions, tools of your own in Python, or half a character"
        )
    return text


@cache
def _dumper() -> type[Any]:
    """PyYAML's safe writer, with quotes around texts that our reader takes for others."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes as `plain_yaml` reads."""

    def text(dumper: Dumper, value: str) -> yaml.ScalarNode:
        style = "|" if _is_block(value) else None if _reads_back(value) else '"'
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    return Dumper


def _is_block(value: str) -> bool:
    """Whether a text of several lines is one that reads back as it stands."""
    lines = value.split("\n")
    return (
        len(lines) > 1
        and value[:1] not in (" ", "\n")
        and all(line.isprintable() and line == line.rstrip() for line in lines)
    )


def _reads_back(value: str) -> bool:
    """Whether a text without quotes is read as itself; a line end of C1 never is."""
    try:
        return meaning(value) == value and value.isprintable()
    except NotANumber:
        return False


def _plain(scenario: Scenario, uses: Sequence[str]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": scenario.name,
        "task": scenario.task,
        "uses": uses,
        "world": {spec.kind: to_plain(spec) or None for spec in scenario.world},
        "tools": None if scenario.tools is None else list(scenario.tools),
        "prompt": scenario.prompt,
        "history": [_earlier(message) for message in scenario.history],
        "human": "none" if scenario.human is None else to_plain(scenario.human),
        "limits": _changed(scenario.limits, Limits()),
        "loop": _changed(scenario.loop, LoopRules()),
        "faults": [rule.text for rule in scenario.rules],
        "inject": [{"id": one.id, "text": one.text} for one in scenario.inject],
        "script": [_entry(entry) for entry in scenario.replies],
        "profiles": {
            wire: plain_profile(wire, profile)
            for wire, profile in (scenario.profiles or {}).items()
        },
        "expect": _changed(scenario.expectation, Expectation()),
    }
    if scenario.temperature != Scenario.temperature:
        data["temperature"] = scenario.temperature
    if scenario.seed:
        data["seed"] = scenario.seed
    needed = ("name", "task", "script")
    empty: tuple[object, ...] = (None, {}, [])
    return {
        name: value
        for name, value in data.items()
        if name in needed
        or (name == "tools" and value is not None)
        or value not in empty
    }


def _changed(value: object, plain: object) -> dict[str, Any]:
    """The fields of a flat dataclass that are not as by default."""
    return {
        field.name: list(own) if isinstance(own, tuple) else own
        for field in fields(value)  # type: ignore[arg-type]
        if (own := getattr(value, field.name)) != getattr(plain, field.name)
    }


def _earlier(message: Message) -> dict[str, Any]:
    """A message of an earlier turn."""
    data: dict[str, Any]
    if message.role == "tool":
        data = {"result": message.content, "of": message.tool_call_id}
        data |= {"failed": True} if message.is_error else {}
    else:
        data = {"user" if message.role == "user" else "model": message.content}
    if message.tool_calls:
        data["calls"] = [
            _call(Call(call.name, call.arguments, call.id))
            for call in message.tool_calls
        ]
    if message.blocks:
        data["blocks"] = [dict(block) for block in message.blocks]
    return data


def _entry(entry: Entry) -> dict[str, Any]:
    if isinstance(entry, Reply):
        return _reply(entry)
    if not isinstance(entry, Forever):
        raise ScenarioError("a file has no place for functions and choices")
    turns = [_entry(turn) for turn in entry.turns if isinstance(turn, Reply)]
    return {"forever": turns}


def _reply(reply: Reply) -> dict[str, Any]:
    data: dict[str, Any]
    if not reply.calls:
        data = {"say": reply.text}
    elif len(reply.calls) == 1:
        data = _call(reply.calls[0])
    else:
        data = {"calls": [_call(call) for call in reply.calls]}
    if reply.calls and reply.text:
        data["text"] = reply.text
    usual = None if reply.calls else "end_turn"
    if reply.stop_reason != usual and reply.stop_reason is not None:
        data["stop_reason"] = reply.stop_reason
    if reply.refusal is not None:
        data["refusal"] = reply.refusal
    if reply.usage is None:
        data["usage"] = "missing"
    elif isinstance(reply.usage, Usage):
        usage = reply.usage
        data["usage"] = {"prompt": usage.prompt, "completion": usage.completion}
        data["usage"] |= {"cache_read": usage.cache_read} if usage.cache_read else {}
    if reply.latency_s is not None:
        data["latency_s"] = reply.latency_s
    if reply.blocks:
        data["blocks"] = [dict(block) for block in reply.blocks]
    return data


def _call(call: Call) -> dict[str, Any]:
    data: dict[str, Any] = {"call": call.name}
    arguments = _arguments(call.arguments)
    if arguments != {}:
        data["with"] = arguments
    if call.id is not None:
        data["id"] = call.id
    return data


def _arguments(text: str) -> Mapping[str, Any] | str:
    """The arguments as a mapping where a call would write them just so, else their text."""
    try:
        value = json.loads(text)
        same = json.dumps(value, ensure_ascii=False, allow_nan=False) == text
    except (ValueError, RecursionError):
        return text
    return value if same and isinstance(value, dict) else text
