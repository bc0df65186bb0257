"""Reads fault rules from plain data, such as a scenario's YAML.

Three forms: a text (`slow`, `answer_lost:restart_service@1`), a name with its tool
(`{answer_lost: restart_service}`), and fields
(`{fault: slow, tool: check_cpu, attempt: 2}`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agentsim.core import UsageError, did_you_mean
from agentsim.faults.catalogue import CATALOGUE
from agentsim.faults.kinds import Fault
from agentsim.faults.rules import (
    FaultRule,
    fault_named,
    rule_from_text,
    rules_from_text,
)

__all__ = ["parse_offered", "parse_option", "parse_rule", "parse_rules"]

FIELDS = ("fault", "tool", "attempt", "retry_after_s", "at")


def parse_rules(
    value: object, where: str = "faults", *, groups: bool = False
) -> tuple[FaultRule, ...]:
    """Read a list of rules.

    Args:
        groups: Whether a text may name a group, for faults that are offered.

    Raises:
        UsageError: naming the place and what was expected there.
    """
    if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
        write = f" {value!r}: write [{value!r}]" if isinstance(value, str) else ""
        raise UsageError(
            f"{where}: expected a list of faults, got {_kind(value)}{write}"
        )
    read = parse_offered if groups else _parse_one
    return tuple(
        rule
        for position, entry in enumerate(value)
        for rule in read(entry, f"{where}[{position}]")
    )


def _parse_one(value: object, where: str) -> tuple[FaultRule, ...]:
    return (parse_rule(value, where),)


def parse_offered(value: object, where: str = "faults") -> tuple[FaultRule, ...]:
    """Read what is offered by one entry: a rule, or a text that names a group.

    Raises:
        UsageError: naming the place and what was expected there.
    """
    if not isinstance(value, str):
        return (parse_rule(value, where),)
    try:
        return rules_from_text(value)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def parse_option(text: str, where: str) -> tuple[FaultRule, ...]:
    """Read what is offered by one text, as options have it: `slow,raises:ping`, `all`.

    Raises:
        UsageError: naming the option and what was expected there.
    """
    entries = [entry.strip() for entry in text.split(",")]
    if entries == ["all"]:
        entries = [*CATALOGUE]
    elif entries in (["none"], [""]):
        entries = []
    for entry in entries:
        if not entry:
            raise UsageError(f"{where}: a fault is missing beside a comma in {text!r}")
        if entry in ("all", "none"):
            raise UsageError(f"{where}: {entry} stands alone, got {text!r}")
    return tuple(rule for entry in entries for rule in parse_offered(entry, where))


def parse_rule(value: object, where: str = "fault") -> FaultRule:
    """Read one rule; a rule or a fault that is one already stays what it is.

    Raises:
        UsageError: naming the place and what was expected there.
    """
    if isinstance(value, FaultRule):
        return value
    if isinstance(value, Fault):
        return FaultRule(value)
    try:
        if isinstance(value, str):
            return rule_from_text(value)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None
    data = _fields(value, where)
    for name in data:
        if name not in FIELDS:
            raise UsageError(
                f"{where}: unknown field {name!r} (there are {', '.join(FIELDS)})"
                f"{did_you_mean(str(name), FIELDS)}"
            )
    if "fault" not in data:
        raise UsageError(f"{where}: the field 'fault' is missing")
    for name in ("fault", "tool"):
        if not isinstance(data.get(name, ""), str):
            raise UsageError(
                f"{where}.{name}: expected a name, got {_kind(data[name])}"
            )
    try:
        return fault_named(data["fault"])(
            data.get("tool"),
            attempt=data.get("attempt"),
            retry_after_s=data.get("retry_after_s"),
            at=data.get("at"),
        )
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def _fields(value: object, where: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise UsageError(
            f"{where}: expected the name of a fault, or a mapping with its fields, "
            f"got {_kind(value)}"
        )
    if len(value) == 1:
        [(fault, tool)] = value.items()
        if fault not in FIELDS:
            return {"fault": fault} if tool is None else {"fault": fault, "tool": tool}
    return value


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "text"}
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping"
    return names.get(
        type(value), "a list" if isinstance(value, Sequence) else "an object"
    )
