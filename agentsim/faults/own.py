"""Faults of your own: a function that spoils a reply or an output, and its data.

A fault without a function is data alone: `CATALOGUE.add(Fault(...))`.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc

from agentsim.core import UsageError
from agentsim.faults.catalogue import CATALOGUE
from agentsim.faults.groups import GROUPS
from agentsim.faults.kinds import Fault, Garble, Tamper

__all__ = ["model_fault", "tool_fault"]


def model_fault(
    name: str | None = None,
    *,
    sentence: str | None = None,
    calls_min: int = 0,
    lasts: int | None = 1,
    rare: bool = False,
) -> Callable[[Tamper], Fault]:
    """Make a function from a response to a faulty one a fault of the model.

    The fault is in the catalogue from then on, so that scenarios, menus and options can
    name it. The function must be pure: the same response and operation give the same.

    Args:
        name: By default that of the function.
        sentence: What happens, for a person; by default the first line of the
            function's docstring.
        calls_min: How many calls a reply must have for the fault to strike it.
        lasts: See `Fault`.
        rare: See `Fault`.

    Raises:
        UsageError: without a sentence, and for a name that there is already.
    """
    _check_name(name)

    def make(function: Tamper) -> Fault:
        called, says = _told(function, name, sentence)
        return CATALOGUE.add(
            Fault(
                called,
                "model",
                says,
                calls_min=calls_min,
                tamper=function,
                lasts=lasts,
                rare=rare,
            )
        )

    return make


def tool_fault(
    name: str | None = None,
    *,
    sentence: str | None = None,
    needs_write: bool = False,
    lasts: int | None = 1,
    rare: bool = False,
) -> Callable[[Garble], Fault]:
    """Make a function from a tool's output to a faulty one a fault of tools.

    The tool does what it does, and answers otherwise. The fault is in the catalogue
    from then on, and the function must be pure, as for `model_fault`.

    Args:
        name: By default that of the function.
        sentence: What happens, for a person; by default the first line of the
            function's docstring.
        needs_write: Whether it strikes only tools that change the world.
        lasts: See `Fault`.
        rare: See `Fault`.

    Raises:
        UsageError: without a sentence, and for a name that there is already.
    """
    _check_name(name)

    def make(function: Garble) -> Fault:
        called, says = _told(function, name, sentence)
        return CATALOGUE.add(
            Fault(
                called,
                "tool",
                says,
                needs_write=needs_write,
                garble=function,
                lasts=lasts,
                rare=rare,
            )
        )

    return make


def _check_name(name: object) -> None:
    if name is not None and not isinstance(name, str):
        raise UsageError("write the parentheses: @model_fault() or @tool_fault()")


def _told(
    function: Callable[..., object], name: str | None, sentence: str | None
) -> tuple[str, str]:
    called = name if name is not None else str(getattr(function, "__name__", ""))
    if called in GROUPS:
        raise UsageError(f"fault {called!r}: a group has this name, take another one")
    first, *_others = (getdoc(function) or "").splitlines() or [""]
    says = sentence or first.removesuffix(".")
    if not says:
        raise UsageError(
            f"fault {called!r}: say in a docstring, or by sentence=, what happens"
        )
    return called, says
