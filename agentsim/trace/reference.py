"""The reference page of events and trace files, made from their dataclasses."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from typing import Any

from agentsim.core import EVENT_KINDS, Event
from agentsim.trace.header import VERSION, Header

__all__ = ["events_page"]

_HEAD = f"""\
# Events and trace files

<!-- Made from the kinds of events by `make docs`; a test compares the two. -->

`agentsim run SCENARIO --trace FILE` writes the trace of a run as JSON Lines, in ASCII;
`agentsim show FILE` and `agentsim check FILE` read it. Equal runs give equal bytes. The
first line is the header, and begins with `"agentsim_trace": {VERSION}`, the version of
the schema. Each further line is an event, and begins with its `kind`.

- Fields that have their default are left out; those with a default are in brackets here.
- Times are whole nanoseconds of virtual time since the run began.
- A history is written as a change to the last one in the file: `keep` so many messages,
  then `add` these.
- The tools of a request are written once, as a list; after that as the number of that
  list in the file. List 0 is that of the header.

Two witnesses write the same kinds. `who` is `boundary` for what surrounds the agent, and
is there for any agent; `runtime` for what an agent's runtime says of itself (`env.on`);
`world`, `fault` and `engine` for what the outside did. Invariants judge by the boundary.
"""


def events_page() -> str:
    """The text of `docs/reference/events.md`."""
    sections = (_section(f"`{kind}`", cls) for kind, cls in EVENT_KINDS.items())
    common = _section("Every event", Event)
    return "\n".join((_HEAD, *_table(), _section("Header", Header), common, *sections))


def _table() -> Iterator[str]:
    yield "| kind | what happened |"
    yield "|---|---|"
    for kind, event in EVENT_KINDS.items():
        yield f"| [`{kind}`](#{kind}) | {_sentence(event)} |"
    yield ""


def _section(title: str, cls: type) -> str:
    told = _told_fields(cls)
    common = () if cls is Event else tuple(field.name for field in fields(Event))
    rows = [
        f"| {_name(field)} | `{_cell(field.type)}` | {told.get(field.name, '')} |\n"
        for field in fields(cls)
        if field.name not in common and field.name != "version"
    ]
    head = "\n| field | type | |\n|---|---|---|\n" if rows else ""
    return f"## {title}\n\n{_sentence(cls)}\n{head}{''.join(rows)}"


def _name(field: Field[Any]) -> str:
    needed = field.default is MISSING and field.default_factory is MISSING
    return f"`{field.name}`" if needed else f"[`{field.name}`]"


def _cell(text: object) -> str:
    return str(text).replace("|", "\\|")


def _sentence(cls: type) -> str:
    return _told(cls).partition("\n")[0]


def _told(cls: type) -> str:
    """Its docstring, without the numbers of the specification that it points to."""
    words = inspect.getdoc(cls) or ""
    return re.sub(r" (?:\((?:design|R)[ 0-9.]+\)|of R[0-9.]+[0-9])", "", words)


def _told_fields(cls: type) -> dict[str, str]:
    """What the docstring says of each field, in one line."""
    _, _, listed = _told(cls).partition("Attributes:\n")
    entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
    return {name: _cell(" ".join(words.split())) for name, words in entries}
