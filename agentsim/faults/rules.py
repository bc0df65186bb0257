"""Which operations a fault strikes, as data and as a short text.

The text of a rule is `NAME[:TOOL][@ATTEMPT]`, such as `answer_lost:create_payment@1`.
It is what options, menus, scenarios and errors say, and it is read and written here. An
answer of the model's service may say how long to wait: `rate_limited=30@1`. A fault of a
stream may say where it strikes: `stream_cut=2@1`, `stream_cut=end`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from agentsim.core import Message, StreamPlace, UsageError, did_you_mean
from agentsim.faults.catalogue import CATALOGUE
from agentsim.faults.groups import GROUPS
from agentsim.faults.kinds import Fault, Operation, Target

__all__ = [
    "FaultRule",
    "check_rules",
    "fault_named",
    "rule_from_text",
    "rules_from_text",
]

FORM = "NAME[:TOOL][@ATTEMPT]"

_TEXT = re.compile(
    r"(?P<fault>[^:@=]*)(?:=(?P<value>[^:@]*))?"
    r"(?::(?P<tool>[^:@]*))?(?:@(?P<attempt>.*))?"
)
ATTEMPT_DIGITS = 9

_ATTEMPT = re.compile(rf"[1-9][0-9]{{0,{ATTEMPT_DIGITS - 1}}}")
_PLACE = re.compile(r"[0-9]{1,9}")
_WAIT = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_NOT_IN_A_NAME = re.compile(r"[:@,\s]")


@dataclass(frozen=True, slots=True)
class FaultRule:
    """A fault and the operations that it strikes.

    Attributes:
        fault: The fault; `fault_named` finds it by its name.
        name: Of the tool that runs, or that a person is asked about; None for every
            tool. For faults of the model it stays None.
        attempt: The n-th operation of that name only, 1-based; None for every one.

    Raises:
        UsageError: for a tool named for a fault of the model, a name that is none, or
            an attempt below 1.
    """

    fault: Fault
    name: str | None = None
    attempt: int | None = None

    def __post_init__(self) -> None:
        name, attempt = self.name, self.attempt
        if self.fault.target == "model" and name is not None:
            raise UsageError(
                f"fault {self.fault.name!r} strikes the model: it takes no tool, "
                f"got {name!r}"
            )
        if name is not None and (not name or _NOT_IN_A_NAME.search(name)):
            raise UsageError(
                f"fault {self.fault.name!r}: expected the name of a tool, got {name!r}"
            )
        if attempt is not None and not _counts(attempt):
            raise UsageError(
                f"fault {self.fault.name!r}: attempt counts from 1, got {attempt!r}"
            )

    def __str__(self) -> str:
        where = self.name or _WHERE[self.fault.target]
        if self.fault.target == "human" and self.name is not None:
            where = f"the person asked about {self.name}"
        which = "" if self.attempt is None else f", attempt {self.attempt}"
        return f"{self.fault.name} on {where}{which}"

    @property
    def text(self) -> str:
        """The rule as `rule_from_text` reads it."""
        wait, at = self.retry_after_s, self.at
        value = "" if wait is None else f"={_seconds(wait)}"
        value = value if at is None else f"={at}"
        tool = "" if self.name is None else f":{self.name}"
        return self.fault.name + value + tool + _at(self.attempt)

    @property
    def retry_after_s(self) -> float | None:
        """Seconds that the service asks to wait, where they are not the fault's own."""
        fault = self.fault
        known = CATALOGUE.get(fault.name)
        if known is fault or known is None or known.error_status is None:
            return None
        wait = fault.retry_after_s
        changed = wait is not None and wait != known.retry_after_s
        return wait if changed and known.asking_to_wait(wait or 0) == fault else None

    @property
    def at(self) -> int | StreamPlace | None:
        """Where in a stream it strikes, where that is not drawn."""
        stream = self.fault.stream
        known = CATALOGUE.get(self.fault.name)
        if stream is None or stream.at is None or known is None or known.stream is None:
            return None
        same = known.stream.at is None and known.placed(stream.at) == self.fault
        return stream.at if same else None

    def matches(self, operation: Operation, message: Message | None = None) -> bool:
        """Whether the rule can strike this operation, or this reply of the model."""
        fault = self.fault
        return (
            fault.applies_to(operation)
            and (self.name is None or self.name == operation.name)
            and (self.attempt is None or self.attempt == operation.attempt)
            and (0 if message is None else len(message.tool_calls)) >= fault.calls_min
        )

    def plain(self) -> dict[str, Any]:
        """The rule as JSON data, which `parse_rule` reads."""
        data: dict[str, Any] = {"fault": self.fault.name}
        if self.retry_after_s is not None:
            data["retry_after_s"] = self.retry_after_s
        if self.at is not None:
            data["at"] = self.at
        if self.name is not None:
            data["tool"] = self.name
        if self.attempt is not None:
            data["attempt"] = self.attempt
        return data


_WHERE: dict[Target, str] = {
    "tool": "any tool",
    "model": "the model",
    "human": "the person",
}


def _counts(attempt: object) -> bool:
    return type(attempt) is int and 0 < attempt < 10**ATTEMPT_DIGITS


def _seconds(wait: float) -> str:
    return f"{wait:.9f}".rstrip("0").rstrip(".")


def _at(attempt: int | None) -> str:
    return "" if attempt is None else f"@{attempt}"


def fault_named(name: str) -> Fault:
    """The fault of the catalogue with this name.

    Raises:
        UsageError: when there is none, with those that exist.
    """
    return CATALOGUE.find(name)


def rule_from_text(text: str) -> FaultRule:
    """Read `NAME[:TOOL][@ATTEMPT]`: `slow`, `slow@2`, `answer_lost:create_payment@1`.

    Raises:
        UsageError: for another form, or a name that is no fault, or several.
    """
    name = _parts(text)[0]
    if name in GROUPS:
        raise UsageError(
            f"{name!r} stands for several faults: name one of {', '.join(GROUPS[name])}"
        )
    [rule] = rules_from_text(text)
    return rule


def rules_from_text(text: str) -> tuple[FaultRule, ...]:
    """Read a text whose NAME may be that of a group: `malformed_arguments@2`.

    Raises:
        UsageError: for another form, or the name of a fault that does not exist.
    """
    name, value, tool, attempt = _parts(text)
    faults = [CATALOGUE[each] for each in GROUPS.get(name, ())]
    faults = faults or [CATALOGUE.find(name)]
    if attempt is not None and not _ATTEMPT.fullmatch(attempt):
        raise UsageError(
            f"fault {name!r}: attempt counts from 1, got {attempt!r} (the form is {FORM})"
        )
    number = None if attempt is None else int(attempt)
    if value is not None:
        faults = [_with_value(fault, value) for fault in faults]
    return tuple(fault(tool, attempt=number) for fault in faults)


def _with_value(fault: Fault, value: str) -> Fault:
    """The fault as the value behind its name has it: a place, or a wait."""
    if fault.stream is not None:
        return fault.placed(int(value) if _PLACE.fullmatch(value) else value)  # type: ignore[arg-type]  # it looks
    if not _WAIT.fullmatch(value):
        raise UsageError(
            f"fault {fault.name!r}: expected the seconds to wait, got {value!r} "
            "(the form is NAME=SECONDS)"
        )
    return fault.asking_to_wait(float(value))


def _parts(text: str) -> tuple[str, str | None, str | None, str | None]:
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is no fault: expected {FORM}, such as slow:ping@2")
    return match["fault"], match["value"], match["tool"], match["attempt"]


def check_rules(rules: Iterable[FaultRule], tools: Mapping[str, bool]) -> None:
    """Raise `UsageError` for a rule that can never strike in a world.

    Args:
        rules: The rules to check.
        tools: Name of each tool -> whether it writes.
    """
    for rule in rules:
        if rule.name is None:
            continue
        if rule.name not in tools:
            raise UsageError(
                f"fault {rule.fault.name!r}: unknown tool {rule.name!r}"
                f"{did_you_mean(rule.name, tools)}"
            )
        if rule.fault.needs_write and not tools[rule.name]:
            raise UsageError(
                f"fault {rule.fault.name!r} strikes writes only, "
                f"and {rule.name!r} only reads"
            )
