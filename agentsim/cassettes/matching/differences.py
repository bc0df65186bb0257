"""In what a request differs from a recording, in words and as lines for a reader."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from typing import Any

from agentsim.cassettes.matching.meaning import Meaning, lines_of
from agentsim.core import Change, ChangeKind

__all__ = ["changed_settings", "changes_between", "distance"]

LINES_MAX = 12
"""Lines that are shown of one change."""

WIDTH_MAX = 160
"""Characters that are shown of a line."""

BEFORE = 40
"""Characters before the first difference that are shown where a line is cut."""


def distance(recorded: Meaning, asked: Meaning) -> tuple[object, ...]:
    """How far a recording is from a request: the conversation counts most."""
    one, two = _conversation(recorded), _conversation(asked)
    common = sum(a == b for a, b in zip(one, two, strict=False))
    return (
        recorded.wire != asked.wire,
        max(len(one), len(two)) - common,
        recorded.model != asked.model,
        _prompt(recorded) != _prompt(asked),
        recorded.tools != asked.tools,
        recorded.streamed != asked.streamed,
        _apart(one, two),
    )


def _apart(one: Sequence[Any], two: Sequence[Any]) -> int:
    """How many lines two conversations have not in common where they first differ."""
    pairs = zip(one, two, strict=False)
    first, second = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    lines = Counter(lines_of(first))
    lines.subtract(lines_of(second))
    return sum(map(abs, lines.values()))


def changes_between(recorded: Meaning, asked: Meaning) -> tuple[Change, ...]:
    """All that makes a request another one than was recorded, what is general first."""
    compared: tuple[tuple[ChangeKind, str, object, object], ...] = (
        ("dialect", "the dialect", recorded.wire, asked.wire),
        ("model", "the model", recorded.model, asked.model),
        ("streaming", "whether it streams", recorded.streamed, asked.streamed),
        ("prompt", "the system prompt", _prompt(recorded), _prompt(asked)),
    )
    changes = [
        Change(what, where, _lines(one, two))
        for what, where, one, two in compared
        if not _same(one, two)
    ]
    if not _same(recorded.tools, asked.tools):
        changes.append(_of_tools(recorded.tools, asked.tools))
    return (*changes, *_of_conversation(recorded, asked))


def changed_settings(recorded: Meaning, asked: Meaning) -> Change | None:
    """What else differs that may have shaped the answer, and counts for nothing."""
    names = sorted({*recorded.settings, *asked.settings})
    told = [
        name
        for name in names
        if not _same(recorded.settings.get(name), asked.settings.get(name))
    ]
    if not told:
        return None
    one, two = (
        {name: of.settings[name] for name in told if name in of.settings}
        for of in (recorded, asked)
    )
    return Change("settings", f"settings ({', '.join(told)})", _lines(one, two))


_PROMPTS = ("system", "instructions")


def _prompt(meaning: Meaning) -> list[Any]:
    fields = [part for part in meaning.system if any(name in part for name in _PROMPTS)]
    return [*fields, *meaning.messages[: meaning.prompt_count]]


def _goes_on(meaning: Meaning) -> list[Any]:
    """What a conversation goes on from that the service keeps."""
    return [one for one in meaning.system if not any(name in one for name in _PROMPTS)]


def _conversation(meaning: Meaning) -> tuple[Any, ...]:
    return meaning.messages[meaning.prompt_count :]


def _of_tools(recorded: Sequence[Any], asked: Sequence[Any]) -> Change:
    """What differs in the definitions: each by its name, where names tell them apart."""
    one, two = _by_name(recorded), _by_name(asked)
    if one is None or two is None:
        return Change("tools", "the tools", _lines(recorded, asked))
    told = [
        *(f"{name} is gone" for name in one if name not in two),
        *(f"{name} is new" for name in two if name not in one),
        *(
            f"{name} is another"
            for name in one
            if name in two and not _same(one[name], two[name])
        ),
    ]
    if not told:
        return Change("tools", "the order of the tools", _lines([*one], [*two]))
    first, second = (
        {name: of[name] for name in of if not _same(one.get(name), two.get(name))}
        for of in (one, two)
    )
    return Change("tools", f"the tools ({', '.join(told)})", _lines(first, second))


def _by_name(tools: Sequence[Any]) -> dict[str, Any] | None:
    found = {}
    for tool in tools:
        inner = tool.get("function") if isinstance(tool, dict) else None
        of = inner if isinstance(inner, dict) else tool
        name = of.get("name") if isinstance(of, dict) else None
        if not isinstance(name, str) or name in found:
            return None
        found[name] = tool
    return found


def _of_conversation(recorded: Meaning, asked: Meaning) -> Iterator[Change]:
    if not _same(_goes_on(recorded), _goes_on(asked)):
        lines = _lines(_goes_on(recorded), _goes_on(asked))
        yield Change("conversation", "what it goes on from", lines)
    one, two = _conversation(recorded), _conversation(asked)
    before = asked.prompt_count
    for number, (old, new) in enumerate(zip(one, two, strict=False), before + 1):
        if not _same(old, new):
            role = _role(new)
            where = f"message {number}{role and f' ({role})'}"
            yield Change("conversation", where, _lines(old, new), number, role)
            return
    if len(one) != len(two):
        at = min(len(one), len(two))
        where = (
            f"the length of the conversation ({before + len(two)} messages, "
            f"recorded were {recorded.prompt_count + len(one)})"
        )
        lines = _lines(one[at:], two[at:])
        role = _role((one if len(one) > len(two) else two)[at])
        yield Change("conversation", where, lines, before + at + 1, role)


def _same(one: object, two: object) -> bool:
    """Whether two JSON values are the same: 1, 1.0 and true are three."""
    return one == two and json.dumps(one) == json.dumps(two)


def _role(message: object) -> str:
    if not isinstance(message, dict):
        return ""
    return str(message.get("role") or message.get("type") or "")


def _lines(recorded: object, asked: object) -> tuple[str, ...]:
    one, two = (list(lines_of(_alone(of))) for of in (recorded, asked))
    found = list(unified_diff(one, two, n=1, lineterm=""))
    shown = [line for line in found[2:] if not line.startswith("@@")]
    cut = _cut(shown[:LINES_MAX])
    if len(shown) > LINES_MAX:
        return (*cut, f"... and {len(shown) - LINES_MAX} lines more")
    return tuple(cut)


def _alone(value: object) -> object:
    """What a list holds, where it is one thing."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def _cut(lines: Sequence[str]) -> Iterator[str]:
    """Lines as long as can be read, from shortly before what differs in them."""
    for number, line in enumerate(lines):
        beside = [
            other[1:]
            for other in lines[max(number - 1, 0) : number + 2]
            if {line[0], other[0]} == {"-", "+"}
        ]
        start = max((_common(line[1:], other) for other in beside), default=0)
        yield line[0] + _shown(line[1:], max(start - BEFORE, 0))


def _shown(text: str, start: int) -> str:
    if len(text) <= WIDTH_MAX:
        return text
    end = start + WIDTH_MAX
    return f"{'...' * (start > 0)}{text[start:end]}{'...' * (end < len(text))}"


def _common(one: str, two: str) -> int:
    pairs = enumerate(zip(one, two, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(two)))
