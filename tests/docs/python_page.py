"""The reference page of the Python side, made from docstrings and signatures."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cached_property
from typing import Any, Literal, get_args, get_origin

from tests.docs.docstrings import Told, told

__all__ = ["CONTENTS", "public_path", "python_page"]

_HEAD = """\
# Python

<!-- Made from docstrings and signatures by `make docs`; a test compares. -->

What a test, an agent or a scenario in Python uses. Each name is imported from the package
that stands beside it, never from a module inside. [How to test an
agent](../how-to/test-my-agent.md) shows most of them at work. Fields without a default
must be given; types are written as in the source.
"""

CONTENTS: dict[str, dict[str, tuple[str, ...]]] = {
    "Run, explore, replay": {
        "agentsim": (
            *("run", "explore", "replay", "reference"),
            *("Menu", "Run", "Exploration"),
        ),
        "agentsim.simulation": ("Verdict",),
        "agentsim.invariants": ("Judgement", "Violation"),
        "agentsim.core": ("Outcome",),
        "agentsim.trace": ("Trace",),
        "agentsim.report": ("print_timeline", "print_judgements"),
    },
    "A scenario": {
        "agentsim": ("Scenario", "load_scenario"),
        "agentsim.simulation": ("Expectation",),
        "agentsim.world": ("Human",),
    },
    "What the model answers": {
        "agentsim": ("say", "call", "together", "by", "pick", "forever"),
        "agentsim.providers": ("Reply",),
    },
    "What an agent is given": {
        "agentsim": ("Env",),
        "agentsim.core": ("Client", "Tool", "ToolDef", "Rights", "Injected"),
    },
    "Messages": {
        "agentsim.core": (
            *("Request", "Response", "Usage", "Message", "ToolCall"),
            *("system", "user", "assistant", "tool_result"),
            *("parse_arguments", "Question", "Decision"),
        ),
    },
    "Promises and results": {
        "agentsim": ("Limits", "LoopRules", "RunResult", "Finished"),
    },
    "Errors": {
        "agentsim.core": (
            *("ToolFailed", "ProviderError", "InvalidArguments"),
            *("AgentsimError", "UsageError", "InvariantViolation"),
        ),
    },
    "Faults": {
        "agentsim.faults": ("Fault", "Operation", "model_fault", "tool_fault"),
    },
    "Cassettes": {
        "agentsim": ("use_cassette",),
        "agentsim.cassettes.deck": ("Deck",),
        "agentsim.core": ("CassetteMiss", "CassetteBypassed", "CassetteError"),
    },
    "Own invariants": {
        "agentsim.invariants": ("invariant", "rule", "not_applicable"),
    },
    "Parts of a world": {
        "agentsim": ("tool",),
        "agentsim.world": (
            *("Spec", "Subsystem", "world_tool", "AtLeast", "Unchanged", "World"),
        ),
    },
}
"""Title -> package -> names, in the order of the page."""

TYPES: dict[str, tuple[str, ...]] = {
    "agentsim.core": (
        *("Category", "Confirm", "EndingKind", "Inject", "Role", "Status", "Stop"),
        "ToolFunction",
    ),
    "agentsim.invariants": ("VerdictStatus",),
    "agentsim.simulation.menu": ("Policy",),
}
"""Package -> names for types that signatures use."""


def python_page() -> str:
    """The text of `docs/reference/python.md`."""
    chapters = (_chapter(*entry) for entry in CONTENTS.items())
    return "\n".join([_HEAD, *chapters, *_types()])


def public_path(package: str, name: str) -> str:
    """The import that gives a name, as a reader writes it."""
    return f"from {package} import {name}"


def _chapter(title: str, packages: dict[str, tuple[str, ...]]) -> str:
    things = (
        _thing(package, name) for package, names in packages.items() for name in names
    )
    return f"## {title}\n\n" + "\n".join(things)


def _thing(package: str, name: str) -> str:
    thing = getattr(importlib.import_module(package), name)
    lines = _class(thing) if inspect.isclass(thing) else _function(thing)
    kind = "class " if inspect.isclass(thing) else ""
    head = f"### {kind}`{name}`\n\n`{public_path(package, name)}`\n\n"
    return head + "\n".join(lines).rstrip("\n") + "\n"


def _types() -> Iterator[str]:
    yield "## Names for types\n\n| type | is |\n|---|---|"
    for package, names in TYPES.items():
        for name in names:
            of = getattr(importlib.import_module(package), name)
            if get_origin(of) is Literal:
                words = ", ".join(f"`{value}`" for value in get_args(of))
            else:  # without the modules that its parts are from
                words = f"`{_cell(re.sub(r'(?:[a-z_]+[.])+', '', str(of)))}`"
            yield f"| `{name}` | {words} |"
    yield ""


def _function(function: Callable[..., Any]) -> Iterator[str]:
    said = told(function)
    yield f"```text\n{_signature(function)}\n```\n"
    yield "\n\n".join(said.words) + "\n"
    yield from _table("argument", "", said.entries.items())
    yield from _errors(said)


def _class(cls: type) -> Iterator[str]:
    said = told(cls)
    yield "\n\n".join(said.words) + "\n"
    if is_dataclass(cls) or hasattr(cls, "_fields"):
        yield "| field | type | by default | |\n|---|---|---|---|"
        yield from (
            f"| `{name}` | `{_cell(kind)}` | {default} | {_cell(said.entries.get(name, ''))} |"
            for name, kind, default in _fields(cls)
        )
        yield ""
    else:
        own = vars(cls).get("__init__")
        if inspect.isfunction(own) and own.__module__.startswith("agentsim."):
            yield f"```text\n{_signature(own, cls.__name__)}\n```\n"
        yield from _table("attribute", "", _attributes(cls, said))
    yield from _table("property", "type", _properties(cls))
    yield from _table("method", "", _methods(cls))
    yield from _errors(said)


def _fields(cls: type) -> Iterator[tuple[str, str, str]]:
    if is_dataclass(cls):
        for field in fields(cls):
            if field.name not in ("at_ns", "life", "who"):  # said of every event
                yield field.name, str(field.type), _field_default(field)
    else:
        for name in vars(cls)["_fields"]:
            yield name, _annotation(cls.__annotations__[name]), ""


def _attributes(cls: type, said: Told) -> Iterator[tuple[str, str]]:
    """What the docstrings of a class and of its bases say of attributes."""
    slots = (name for name in vars(cls).get("__slots__", ()) if name[0] != "_")
    inherited = dict.fromkeys(slots, "")
    for base in cls.__mro__[1:]:
        if base.__module__.startswith("agentsim."):
            inherited = {**told(base).entries, **inherited}
    yield from {**inherited, **said.entries}.items()


def _properties(cls: type) -> Iterator[tuple[str, ...]]:
    for name, member in vars(cls).items():
        getter = getattr(member, "fget", None) or getattr(member, "func", None)
        if isinstance(member, property | cached_property) and name[0] != "_":
            assert getter is not None
            of = _annotation(getter.__annotations__["return"])
            yield f".{name}", f"`{_cell(of)}`", told(getter).sentence


def _methods(cls: type) -> Iterator[tuple[str, str]]:
    for name, member in vars(cls).items():
        if not inspect.isfunction(member) or (name[0] == "_" and name != "__call__"):
            continue
        called = cls.__name__.lower() if name == "__call__" else f".{name}"
        said = told(member)
        entries = (f"`{entry}`: {words}" for entry, words in said.entries.items())
        errors = (f"Raises `{error}`: {words}" for error, words in said.errors.items())
        yield (
            _signature(member, called, bound=True),
            " ".join((*said.words, *entries, *errors)),
        )


def _errors(said: Told) -> Iterator[str]:
    for name, words in said.errors.items():
        yield f"*Raises* `{name}`: {words}\n"


def _table(title: str, second: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    listed = list(rows)
    if listed:
        columns = [title, *([second] if second else []), ""]
        yield f"| {' | '.join(columns).rstrip()} |"
        yield "|" + "---|" * len(columns)
        for name, *cells in listed:
            told_cells = (c if c.startswith("`") else _cell(c) for c in cells)
            yield f"| `{_cell(name)}` | {' | '.join(told_cells)} |"
        yield ""


def _signature(
    function: Callable[..., Any], name: str | None = None, *, bound: bool = False
) -> str:
    """A call as it is written, with types and defaults; broken if it is long."""
    declared = inspect.signature(function)
    given = list(declared.parameters.values())
    if given and given[0].name == "self":
        given = given[1:]
    parts = list(_parameters(function, given))
    prefix = "await " if inspect.iscoroutinefunction(function) else ""
    called = prefix + (function.__name__ if name is None else name)
    constructs = function.__name__ == "__init__"
    result = "" if constructs else f" -> {_annotation(declared.return_annotation)}"
    line = f"{called}({', '.join(parts)}){result}"
    if bound or len(line) <= 80:
        return line
    return f"{called}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"


_STARS: dict[object, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def _parameters(
    function: Callable[..., Any], given: list[inspect.Parameter]
) -> Iterator[str]:
    starred = False
    for position, one in enumerate(given):
        if one.kind is one.KEYWORD_ONLY and not starred:
            yield "*"
        starred |= one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        stars = _STARS.get(one.kind, "")
        default = "" if one.default is one.empty else f" = {_default(function, one)}"
        yield f"{stars}{one.name}: {_annotation(one.annotation)}{default}"
        after = given[position + 1] if position + 1 < len(given) else None
        if one.kind is one.POSITIONAL_ONLY and (
            after is None or after.kind is not one.POSITIONAL_ONLY
        ):
            yield "/"


def _default(function: Callable[..., Any], one: inspect.Parameter) -> str:
    """A default as the source names it: what is no plain value has a name there."""
    if one.default is None or isinstance(one.default, bool | int | float | str | tuple):
        return repr(one.default)
    names: dict[str, object] = vars(inspect.getmodule(function))
    return next(name for name, value in names.items() if value is one.default)


def _field_default(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        made = field.default_factory()
        name = type(made).__name__
        return f"`{name}()`" if is_dataclass(made) else f"`{made!r}`"
    if field.default is MISSING:
        return ""
    if is_dataclass(field.default):
        return f"`{type(field.default).__name__}()`"
    return f"`{field.default!r}`"


def _annotation(annotation: object) -> str:
    return str(getattr(annotation, "__forward_arg__", annotation))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
