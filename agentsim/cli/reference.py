"""The reference page of the command line, made from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from agentsim.cli.app import COMMANDS, load_command
from agentsim.cli.options.declared import for_typer

__all__ = ["command_line_page"]

_HEAD = """\
# The command line

<!-- Made from the commands by `make docs`; a test compares the two. -->

`agentsim COMMAND --help` shows the same on a terminal.

| exit code | verdict | |
|---|---|---|
| 0 | holds | nothing is violated, and all that was named was met |
| 1 | violated | an invariant is violated, or the scenario's expectation |
| 2 | unknown | something that you named was never met |
| 3 | usage | a file, an option or a script is wrong; one sentence says how |
| 4 | internal | a bug of agentsim: please report it |

With `--json` a command prints one JSON object to standard output, whose `schema_version`
tells its form. Its `verdict` is the word of the table above. Errors go to standard error.
"""

_TABLE = "| argument or option | by default | |\n|---|---|---|\n"


@dataclass(frozen=True, slots=True)
class _Parameter:
    """One parameter of a command: its type, what typer is told of it, its default."""

    of: Any
    info: ArgumentInfo | OptionInfo
    default: object

    @property
    def names(self) -> list[str]:
        """Its names as an option; an argument has none."""
        # typer takes the first name of an annotated option for its default at first.
        given = (self.info.default, *(self.info.param_decls or ()))
        texts = [text for text in given if isinstance(text, str)]
        return [name for text in texts for name in text.split("/")]


def command_line_page() -> str:
    """The text of `docs/reference/command-line.md`."""
    return "\n".join([_HEAD, *map(_section, COMMANDS)])


def _section(name: str) -> str:
    command = for_typer(load_command(name))
    parameters = tuple(_parameters(command))
    arguments = [str(p.info.metavar) for p in parameters if not p.names]
    last = [words for words in arguments if "--" in words]
    first = [words for words in arguments if words not in last]
    usage = " ".join(["agentsim", name, *first, "[OPTIONS]", *last])
    rows = "".join(map(_row, parameters))
    return (
        f"## agentsim {name}\n\n```text\n{usage}\n```\n\n"
        f"{inspect.getdoc(command)}\n\n{_TABLE}{rows}"
    )


def _parameters(command: Callable[..., int]) -> Iterator[_Parameter]:
    hints = get_type_hints(command, include_extras=True)
    for name, declared in inspect.signature(command).parameters.items():
        of, info = get_args(hints[name])
        yield _Parameter(of, info, declared.default)


def _row(parameter: _Parameter) -> str:
    needed = parameter.default is inspect.Parameter.empty
    default = "needed" if needed else _default(parameter)
    return f"| {_written(parameter)} | {default} | {parameter.info.help} |\n"


def _written(parameter: _Parameter) -> str:
    if not parameter.names:
        return f"`{parameter.info.metavar}`"
    value = "" if parameter.of is bool else f" {_value(parameter)}"
    repeated = " (may be repeated)" if "list" in str(parameter.of) else ""
    return ", ".join(f"`{name}{value}`" for name in parameter.names) + repeated


def _value(parameter: _Parameter) -> str:
    given = parameter.info.metavar
    return given or ("N" if "int" in str(parameter.of) else "NAME")


def _default(parameter: _Parameter) -> str:
    if parameter.of is bool:
        given = parameter.names[:1] if parameter.default else parameter.names[1:]
        return "".join(f"`{name}`" for name in given)
    return "" if parameter.default is None else f"`{parameter.default}`"
