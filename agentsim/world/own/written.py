"""Where a function was written: its name, docstring and annotations stand there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import isroutine

__all__ = ["annotated", "bound_by_name", "documented", "unbound"]

AnyFunction = Callable[..., object]


def unbound(function: AnyFunction) -> AnyFunction:
    """The function of a partial one; any other itself."""
    while isinstance(function, partial):
        function = function.func
    return function


def bound_by_name(function: AnyFunction) -> frozenset[str]:
    """Parameters of a partial function that have their value: a model gives none."""
    bound: set[str] = set()
    while isinstance(function, partial):
        bound |= function.keywords.keys()
        function = function.func
    return frozenset(bound)


def annotated(function: AnyFunction) -> AnyFunction:
    """What has the annotations: the function itself, or the `__call__` of an object."""
    function = unbound(function)
    if isroutine(function) or isinstance(function, type):
        return function
    called: AnyFunction = type(function).__call__
    # One that is written in C, or made by a decorator, has none of its own.
    return called if isroutine(called) else function


def documented(function: AnyFunction) -> AnyFunction:
    """What has the docstring: what has the annotations, or the object that is called."""
    origin = annotated(function)
    return origin if origin.__doc__ else unbound(function)
