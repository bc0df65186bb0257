"""Tools over a tape: their calls are recorded, and replayed without running any."""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
from asyncio import CancelledError
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn, TypeVar, overload

from agentsim.cassettes.records import RecordedTool
from agentsim.cassettes.tape.taking import ToolTaking
from agentsim.cassettes.tape.tape import Tape
from agentsim.cassettes.tape.values import VALUE, written
from agentsim.core import (
    CassetteError,
    InvalidArguments,
    SyncTool,
    Tool,
    ToolFailed,
    UsageError,
    check_names,
    parse_json,
)

__all__ = ["record_tools"]

T = TypeVar("T")


@overload
def record_tools(
    tape: Tape, tools: Mapping[str, T], *, without: Iterable[str] = ()
) -> dict[str, T]: ...
@overload
def record_tools(
    tape: Tape, tools: Sequence[T], *, without: Iterable[str] = ()
) -> list[T]: ...
def record_tools(
    tape: Tape, tools: Mapping[str, T] | Sequence[T], *, without: Iterable[str] = ()
) -> dict[str, T] | list[T]:
    """Put tools over a tape: what it knows is answered from it, all else is recorded.

    In the mode `replay` no tool runs. A result comes back with the type that it had,
    as far as JSON carries it: of another one the JSON comes (a list for a tuple, a dict
    for a record, a text for a time), and `TapeUse.lost` tells so when it is recorded. A
    failure is raised again, with its class where that takes one text and is loaded, else
    as `ToolFailed`.

    Args:
        tools: Functions, sync or async, by name or with a name of their own; or `Tool`
            and `SyncTool`. They keep name, signature and docstring.
        without: Names of parameters that do not tell calls apart, such as a context.

    Returns:
        The same tools in the same order.

    Raises:
        UsageError: for what is no tool, yields its results, or has another's name.
    """
    left_out = tuple(without)
    if isinstance(tools, Mapping):
        return {name: _taped(tape, name, tools[name], left_out) for name in tools}
    names = [_name_of(tool) for tool in tools]
    check_names(names)
    pairs = zip(names, tools, strict=True)
    return [_taped(tape, name, tool, left_out) for name, tool in pairs]


def _name_of(tool: object) -> str:
    named = tool.name if isinstance(tool, (Tool, SyncTool)) else None
    name = named or getattr(tool, "__name__", None)
    if name is None and isinstance(tool, functools.partial):
        name = getattr(tool.func, "__name__", None)
    if not isinstance(name, str):
        raise UsageError(
            f"tools: expected functions with a name, got one of {type(tool).__name__}: "
            "give a mapping of names to functions"
        )
    return name


def _taped(tape: Tape, name: str, tool: Any, without: tuple[str, ...]) -> Any:  # noqa: ANN401
    if isinstance(tool, (Tool, SyncTool)):
        dry = tool.dry_run
        dry_run = (
            None if dry is None else _wrapped(_Call(tape, f"{name} (dry run)", dry))
        )
        return replace(tool, run=_wrapped(_Call(tape, name, tool.run)), dry_run=dry_run)
    if not callable(tool):
        raise UsageError(
            f"tools: {name}: expected a function, a Tool or a SyncTool, got one of "
            f"{type(tool).__name__}"
        )
    return _wrapped(_Call(tape, name, tool, _signature(tool), without))


def _signature(function: Callable[..., object]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None  # some of those written in C have none


class _Call:
    """Calls of one tool.

    Args:
        signature: Gives positional arguments their names; None: the only argument is a
            mapping of all, or they have none.
        without: Names of parameters that are not recorded.
    """

    def __init__(
        self,
        tape: Tape,
        name: str,
        function: Callable[..., Any],
        signature: inspect.Signature | None = None,
        without: tuple[str, ...] = (),
    ) -> None:
        self.function = function
        self._tape = tape
        self._name = name
        self._signature = signature
        self._without = without

    def answer(
        self, given: tuple[Any, ...], named: dict[str, Any]
    ) -> RecordedTool | ToolTaking:
        """What was recorded of such a call, or what a real one is told to."""
        arguments, _ = written(self._arguments(given, named))
        found = self._tape.answer_tool(self._name, arguments)
        return found or self._tape.begin_tool(self._name, arguments)

    def _arguments(self, given: tuple[Any, ...], named: dict[str, Any]) -> object:
        if self._signature is None:
            alone = len(given) == 1 and not named
            return given[0] if alone else {**named, **_positions(given)}
        try:
            bound = self._signature.bind(*given, **named).arguments
        except TypeError:  # the tool itself tells what is wrong with them
            return {**named, **_positions(given)}
        for parameter in self._signature.parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                bound.update(bound.pop(parameter.name, {}))
        return {key: one for key, one in bound.items() if key not in self._without}


def _positions(given: tuple[Any, ...]) -> dict[str, Any]:
    return {f"argument {number}": one for number, one in enumerate(given, 1)}


def _wrapped(call: _Call) -> Callable[..., Any]:
    """The function over the tape, which looks as before to whoever inspects it."""
    function = call.function
    inner = function if inspect.isroutine(function) else getattr(function, "__call__")  # noqa: B004, B009
    for one in (function, inner):
        if inspect.isgeneratorfunction(one) or inspect.isasyncgenfunction(one):
            raise UsageError(
                f"tools: {_name_of(function)}: it yields its results: give a function "
                "that returns them"
            )
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(inner):
        return _wrapped_async(call)

    def run(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - as of the tool
        found = call.answer(given, named)
        if isinstance(found, RecordedTool):
            return _replayed(found)
        try:
            value = function(*given, **named)
        except BaseException as error:
            _failed(found, error)
            raise
        _done(found, value)
        return value

    return _like(function, run)


def _wrapped_async(call: _Call) -> Callable[..., Any]:
    async def run(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - as of the tool
        found = call.answer(given, named)
        if isinstance(found, RecordedTool):
            return _replayed(found)
        try:
            value = await call.function(*given, **named)
        except BaseException as error:
            _failed(found, error)
            raise
        _done(found, value)
        return value

    return _like(call.function, run)


def _like(function: Callable[..., Any], run: Callable[..., Any]) -> Callable[..., Any]:
    known = functools.WRAPPER_ASSIGNMENTS
    return functools.wraps(
        function, [name for name in known if hasattr(function, name)]
    )(run)


def _done(taking: ToolTaking, value: object) -> None:
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        taking.end(error="it returned something to await", raised="TypeError")
        raise UsageError(
            "tools: a function that is no `async def` returned something to await: "
            "write it as one"
        )
    if type(value) is str:
        taking.end(value)
        return
    text, lost = written(value)
    taking.end(text, returned=f"{VALUE} of {', '.join(lost)}" if lost else VALUE)


def _failed(taking: ToolTaking, error: BaseException) -> None:
    if isinstance(error, CancelledError):
        taking.end(error="the call was cancelled")
    elif isinstance(error, Exception):
        cls = type(error)
        home = "" if cls.__module__ == "builtins" else f"{cls.__module__}."
        taking.end(error=_words(error), raised=f"{home}{cls.__qualname__}")


def _words(error: Exception) -> str:
    """What an exception was made with, if that is one text; else what it says."""
    given = error.args
    return given[0] if len(given) == 1 and type(given[0]) is str else str(error)


def _replayed(found: RecordedTool) -> object:
    if found.error is not None:
        _raise_again(found.error, found.raised)
    if not found.returned:
        return found.result
    try:
        return parse_json(found.result)
    except InvalidArguments as fault:
        raise CassetteError(
            f"call {found.number} of the cassette, {found.name}: result: no JSON: "
            f"{fault}: mend it, or record again"
        ) from None


def _raise_again(words: str, raised: str) -> NoReturn:
    cls = _class_named(raised)
    if cls is not None:
        try:
            error = cls(words)
        except Exception:  # noqa: BLE001 - a class of others may refuse a text in any way
            error = None
        if error is not None and _words(error) == words:
            raise error
    raise ToolFailed(words)


def _class_named(name: str) -> type[Exception] | None:
    """The class of an exception, if its module is loaded: a cassette imports nothing."""
    module, _, last = name.rpartition(".")
    home: object = sys.modules.get(module) if module else builtins
    found = getattr(home, last, None)
    is_one = isinstance(found, type) and issubclass(found, Exception)
    return found if is_one else None
