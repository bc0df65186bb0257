"""Options and arguments as commands declare them, and command lines of the plain kind.

typer and what it takes with it need a tenth of a second to load. A line of known options,
each with a value that can't be anything else, needs no such help: it is read here. All
others, and so every help and every refusal, are left to typer.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

__all__ = ["Argument", "Option", "for_typer", "plain_values"]

DIGITS_MAX = 18


class Option:
    """An option, as metadata of the annotation of a parameter.

    Args:
        names: Such as `--port`, or `--cancel/--no-cancel` for both answers.
        says: One sentence for the help.
        metavar: What the help calls its value.
        least: The smallest number that it takes.
    """

    def __init__(
        self,
        *names: str,
        says: str,
        metavar: str | None = None,
        least: int | None = None,
    ) -> None:
        self.names = names
        self.says = says
        self.metavar = metavar
        self.least = least


class Argument:
    """A word of the command line without a name before it; a list takes all that are left."""

    def __init__(self, *, metavar: str, says: str) -> None:
        self.metavar = metavar
        self.says = says


def for_typer(command: Callable[..., int]) -> Callable[..., int]:
    """The same command with its options as typer has them."""
    import typer

    signature = inspect.signature(command, eval_str=True)
    parameters = []
    for entry in signature.parameters.values():
        of, *notes = get_args(entry.annotation)
        match notes:
            case [Option() as own]:
                note: Any = typer.Option(
                    *own.names, help=own.says, metavar=own.metavar, min=own.least
                )
            case [Argument() as own]:
                note = typer.Argument(metavar=own.metavar, help=own.says)
            case _:
                note = notes[0]
        parameters.append(entry.replace(annotation=Annotated[of, note]))

    @functools.wraps(command)
    def call(**values: Any) -> int:
        return command(**values)

    vars(call)["__signature__"] = signature.replace(parameters=parameters)
    call.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return call


class _NotPlain(Exception):
    """Only typer knows what to do with this line."""


def plain_values(
    command: Callable[..., int], words: Sequence[str]
) -> dict[str, Any] | None:
    """What to call a command with; None for a line that is left to typer."""
    try:
        return _Line(command).read(words)
    except _NotPlain:
        return None


class _Line:
    """The parameters of a command, and what a line says of them."""

    def __init__(self, command: Callable[..., int]) -> None:
        self._parameters = inspect.signature(command, eval_str=True).parameters
        self._options: dict[str, tuple[str, bool | None]] = {}
        self._arguments: list[str] = []
        self._values: dict[str, Any] = {}
        for name in self._parameters:
            match self._note(name):
                case Option() as option:
                    self._options |= self._named(name, option)
                case Argument():
                    self._arguments.append(name)
                case _:
                    raise _NotPlain

    def read(self, words: Sequence[str]) -> dict[str, Any]:
        """The values of all parameters.

        Raises:
            _NotPlain: for a line that is left to typer.
        """
        loose: list[str] = []
        left = list(words)
        while left:
            word = left.pop(0)
            if word == "--":
                loose += left
                break
            if word.startswith("-"):
                self._take_option(word, left)
            else:
                loose.append(word)
        self._take_arguments(loose)
        for name, declared in self._parameters.items():
            if name not in self._values:
                if declared.default is inspect.Parameter.empty:
                    raise _NotPlain
                self._values[name] = declared.default
        return self._values

    def _take_option(self, word: str, left: list[str]) -> None:
        name, answer = self._options.get(word, ("", None))
        if not name or name in self._values:
            raise _NotPlain
        if answer is not None:
            self._values[name] = answer
        elif left and not left[0].startswith("-"):
            self._values[name] = self._read(name, left.pop(0))
        else:
            raise _NotPlain

    def _take_arguments(self, loose: list[str]) -> None:
        left = list(loose)
        for name in self._arguments:
            of = _without_none(self._of(name))
            if get_origin(of) is list and left:
                [inner] = get_args(of)
                self._values[name] = [_converted(inner, word) for word in left]
                left.clear()
            elif get_origin(of) is not list and left:
                self._values[name] = self._read(name, left.pop(0))
        if left:
            raise _NotPlain

    def _named(self, name: str, option: Option) -> dict[str, tuple[str, bool | None]]:
        """Word -> parameter, and the answer that it is where it takes no value."""
        if self._of(name) is not bool:
            return dict.fromkeys(option.names, (name, None))
        return {
            word: (name, number == 0)
            for both in option.names
            for number, word in enumerate(both.split("/"))
        }

    def _read(self, name: str, word: str) -> object:
        value = _converted(_without_none(self._of(name)), word)
        least = getattr(self._note(name), "least", None)
        if isinstance(value, int) and least is not None and value < least:
            raise _NotPlain
        return value

    def _of(self, name: str) -> Any:  # noqa: ANN401 - any annotation
        return get_args(self._parameters[name].annotation)[0]

    def _note(self, name: str) -> object:
        return get_args(self._parameters[name].annotation)[-1]


def _without_none(of: Any) -> Any:  # noqa: ANN401 - any annotation
    if get_origin(of) not in (Union, UnionType):
        return of
    [inner] = [part for part in get_args(of) if part is not NoneType]
    return inner


_READERS: Mapping[Any, Callable[[str], object]] = {str: str, Path: Path, int: int}


def _converted(of: Any, word: str) -> object:  # noqa: ANN401 - any annotation
    plain_number = word.isascii() and word.isdigit() and len(word) <= DIGITS_MAX
    if of not in _READERS or not word or (of is int and not plain_number):
        raise _NotPlain
    return _READERS[of](word)
