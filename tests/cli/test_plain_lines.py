"""A command line that is read without typer means what typer takes it for."""

from __future__ import annotations

import functools
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_args

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.cli.app import COMMANDS, load_command
from agentsim.cli.options.declared import Argument, Option, for_typer, plain_values

WORDS = ("a.yaml", "5", "0", "007", "-1", "", "x y", "-", "--", "--help", "--no-such")


def words_of(command: Callable[..., int]) -> tuple[str, ...]:
    """The options of a command, and words that could be anything."""
    found: list[str] = []
    for entry in inspect.signature(command, eval_str=True).parameters.values():
        note = get_args(entry.annotation)[-1]
        if isinstance(note, Option):
            found += [name for both in note.names for name in both.split("/")]
    return (*found, f"{found[0]}=5", *WORDS)


def by_typer(command: Callable[..., int]) -> typer.Typer:
    """An app that tells what typer would call a command with."""

    @functools.wraps(command)
    def told(**values: object) -> dict[str, object]:
        return values

    app = typer.Typer(add_completion=False)
    app.command()(for_typer(told))  # type: ignore[arg-type]
    return app


@pytest.mark.parametrize("name", COMMANDS)
def test_a_plain_line_means_what_typer_takes_it_for(name: str) -> None:
    """Whatever the words are: the same values, or the line is left to typer."""
    command = load_command(name)
    app = by_typer(command)

    @settings(max_examples=15)
    @given(st.lists(st.sampled_from(words_of(command)), max_size=6))
    def agrees(words: list[str]) -> None:
        values = plain_values(command, words)
        if values is not None:
            assert values == app(words, standalone_mode=False)

    agrees()


def example(
    *,
    file: Annotated[Path, Argument(metavar="FILE", says="x")],
    rest: Annotated[list[str] | None, Argument(metavar="REST", says="x")] = None,
    port: Annotated[int | None, Option("--port", "-p", says="x", least=1)] = None,
    name: Annotated[str, Option("--name", says="x")] = "n",
    quick: Annotated[bool, Option("--quick/--slow", says="x")] = False,
    many: Annotated[list[str] | None, Option("--many", says="x")] = None,
) -> int:
    """Have one of each kind."""
    return 0


USUAL: dict[str, Any] = {
    "file": Path("f"),
    "rest": None,
    "port": None,
    "name": "n",
    "quick": False,
    "many": None,
}


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("f", {}),
        ("f --port 8 --quick", {"port": 8, "quick": True}),
        ("--slow -p 8 f", {"port": 8}),
        ("f -- --port 8", {"rest": ["--port", "8"]}),
        ("f g h --name m", {"rest": ["g", "h"], "name": "m"}),
    ],
)
def test_plain_lines_are_read(line: str, changes: dict[str, Any]) -> None:
    """Options in any order, words without a name in theirs, and all behind `--`."""
    expected = USUAL | changes
    assert plain_values(example, line.split()) == expected
    assert by_typer(example)(line.split(), standalone_mode=False) == expected


@pytest.mark.parametrize(
    "line",
    [
        *("", "f --help", "f --prt 8", "f --port", "f --port -1", "f --port x"),
        *(
            "f --port 0",
            "f --name a --name b",
            "f --many a",
            "f --name=a",
            "f --quick=1",
        ),
    ],
)
def test_lines_that_are_not_plain_are_left_to_typer(line: str) -> None:
    """Help, whatever is wrong, and what may be written in several ways."""
    assert plain_values(example, line.split()) is None


def test_options_as_typer_has_them_are_left_to_typer() -> None:
    """A command may declare its options by typer, and goes on as it did."""

    def old(name: Annotated[str, typer.Option("--name")] = "n") -> int:
        return 0

    assert plain_values(old, ["--name", "m"]) is None
    assert by_typer(old)(["--name", "m"], standalone_mode=False) == {"name": "m"}


@pytest.mark.slow
def test_a_plain_line_loads_no_typer() -> None:
    """Nor pydantic and pytest: what takes long to load is loaded where it is needed."""
    code = (
        "import sys; from agentsim.cli import main\n"
        "try: main(['run', 'scenarios/high_cpu.yaml', '--json'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "assert not {'typer', 'pydantic', 'pytest'} & set(sys.modules)"
    )
    root = Path(__file__).parents[2]
    subprocess.run(
        [sys.executable, "-c", code], cwd=root, check=True, stdout=subprocess.DEVNULL
    )
