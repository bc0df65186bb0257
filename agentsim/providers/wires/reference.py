"""Tables of the reference pages of rules, made from the rules themselves."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict

from agentsim.providers.wires.kinds import kinds_of
from agentsim.providers.wires.rules import WireRule

__all__ = ["paths_table", "phrases_table", "profile_section", "rules_table"]

_RULES_HEAD = """\
| rule | a request is refused unless | status | param | code | sure |
|---|---|---|---|---|---|
"""

_PATHS_HEAD = """\
| rule | a request is refused unless | status | where | sure |
|---|---|---|---|---|
"""

_PHRASES_HEAD = """\
| rule | words |
|---|---|
"""


_PROFILE_HEAD = """
## Its profile

In a scenario `profiles: {{{wire}: lenient}}` chooses it by name. A mapping in place of the
name changes these fields of `strict`, or of the profile that it names as `like`. Code of
your own gives the same to `Scenario(profiles=...)`.

| field | takes | in `strict` | |
|---|---|---|---|
"""


def rules_table(rules: Iterable[WireRule], *, lenient: Collection[str] = ()) -> str:
    """All rules, with the status and the place of their refusals.

    Args:
        lenient: Ids of the rules that the lenient profile leaves out.
    """
    return _RULES_HEAD + "".join(_row(rule, lenient) for rule in rules)


def paths_table(rules: Iterable[WireRule], *, marks: Mapping[str, str]) -> str:
    """The same for a wire whose error bodies have no code.

    Args:
        marks: Id of a rule -> what else there is to say of how sure it is.
    """
    return _PATHS_HEAD + "".join(_path_row(rule, marks.get(rule.id)) for rule in rules)


def phrases_table(rules: Iterable[WireRule]) -> str:
    """The words by which people find the refusals."""
    rows = (f"| `{rule.id}` | {_cell(rule.phrase)} |\n" for rule in rules)
    return _PHRASES_HEAD + "".join(rows)


def profile_section(wire: str, strict: object) -> str:
    """How a scenario says how strict the service is, and which fields that takes.

    Args:
        strict: The profile of this wire that judges unless another is asked for.
    """
    usual = asdict(strict)  # type: ignore[call-overload]
    kinds, told = kinds_of(type(strict)), _told_fields(type(strict))
    rows = (
        f"| `{name}` | {kinds[name]} | `{json.dumps(value)}` | {_cell(told[name])} |\n"
        for name, value in usual.items()
    )
    return _PROFILE_HEAD.format(wire=wire) + "".join(rows)


def _told_fields(cls: type) -> dict[str, str]:
    """What the docstring says of each field, in one line, in the words of a file."""
    _, _, listed = (inspect.getdoc(cls) or "").partition("Attributes:\n")
    entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
    said = {name: " ".join(words.split()) for name, words in entries}
    return {name: re.sub(r"\bNone\b", "`null`", words) for name, words in said.items()}


def _row(rule: WireRule, lenient: Collection[str]) -> str:
    mark = ", left out by `lenient`" if rule.id in lenient else ""
    cells = (
        f"`{rule.id}`",
        _cell(rule.sentence),
        str(rule.status),
        _param(rule.param),
        _cell(rule.code or "null"),
        f"{rule.source}{mark}",
    )
    return f"| {' | '.join(cells)} |\n"


def _path_row(rule: WireRule, mark: str | None) -> str:
    cells = (
        f"`{rule.id}`",
        _cell(rule.sentence),
        str(rule.status),
        "" if rule.param is None else _param(rule.param),
        rule.source if mark is None else f"{rule.source}, {mark}",
    )
    return f"| {' | '.join(cells)} |\n"


def _param(param: str | None) -> str:
    if param is None:
        return "null"
    if param.startswith("the "):
        return param
    return ", ".join(f"`{path}`" for path in param.split(", "))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
