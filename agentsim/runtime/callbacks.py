"""Callbacks of the configuration: what they raise ends the run `failed` (spec R2)."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import TypeVar

from agentsim.runtime.session import RunOver, Session
from agentsim.runtime.texts import describe

__all__ = ["await_callback", "call_back"]

T = TypeVar("T")


def call_back(name: str, function: Callable[[], T]) -> T:
    """Call a plain callback.

    Args:
        name: The field of the configuration, for the error.

    Raises:
        RunOver: `failed`, when it raises.
    """
    try:
        return function()
    except Exception as error:  # noqa: BLE001 a callback ends the run (R2)
        raise RunOver("failed", f"{name} raised {describe(error)}") from None


async def await_callback(
    session: Session, name: str, function: Callable[[], object]
) -> object:
    """Call a callback that may be async, and refuse an answer that came too late.

    Raises:
        RunOver: `failed`, when it raises; the run's own end, when that was first.
    """
    try:
        value = function()
        if inspect.isawaitable(value):
            value = await value
    except asyncio.CancelledError:
        if session.interrupted:
            raise
        raise RunOver("failed", f"{name} was cancelled from within") from None
    except Exception as error:  # noqa: BLE001 a callback ends the run (R2)
        session.check()
        raise RunOver("failed", f"{name} raised {describe(error)}") from None
    session.check()
    return value
