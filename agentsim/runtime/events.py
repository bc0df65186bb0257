"""What a run tells of itself while it goes on (spec R11), and the shipped log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from agentsim.core import (
    Event,
    LoopBlocked,
    Observe,
    ResponseReceived,
    RunStarted,
    ToolEnded,
)
from agentsim.runtime.texts import loop_block

__all__ = ["LogEvents"]

_LOGGER = logging.getLogger("agentsim.runtime")


def tell(on: Observe | None, event: Event) -> None:
    """Hand an event, as that of a runtime, to the handler of a run.

    What the handler raises is logged and goes no further (R11).
    """
    if on is None:
        return
    event.who = "runtime"
    try:
        on(event)
    except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001
        _LOGGER.warning(
            "the event handler raised %s at %r; the run goes on",
            type(error).__name__,
            event.kind,
        )


class LogEvents:
    r"""An event handler that writes one line per decision and per result.

    `[Iteration N] Agent decided: ACTION` and `[Iteration N] Tool result: RESULT`, with
    errors, refusals and blocks. Line breaks are written as `\n`. It reads the number of
    the iteration from the events before, so each run that goes on at the same time
    needs one of its own.

    Args:
        write: Takes each line; by default the logger `agentsim.runtime`, level INFO.
    """

    __slots__ = ("_iteration", "_write")

    def __init__(self, write: Callable[[str], object] = _LOGGER.info) -> None:
        self._write = write
        self._iteration = 0

    def __call__(self, event: Event) -> None:
        """Write what the event says, if it is a decision or a result."""
        if isinstance(event, RunStarted):
            self._iteration = 0
        elif isinstance(event, ResponseReceived):
            self._iteration += 1
            self._line("Agent decided", _action(event))
        elif isinstance(event, ToolEnded):
            self._line("Tool result", _result(event))
        elif isinstance(event, LoopBlocked):
            self._line("Tool result", loop_block(event.name, event.count))

    def _line(self, what: str, text: str) -> None:
        flat = text.replace("\r", "\\r").replace("\n", "\\n")
        self._write(f"[Iteration {self._iteration}] {what}: {flat}")


def _action(event: ResponseReceived) -> str:
    calls = [f"{call.name}({call.arguments})" for call in event.message.tool_calls]
    said = [event.message.content] if event.message.content else []
    return " | ".join(said + calls) or f"nothing ({event.stop_reason})"


def _result(event: ToolEnded) -> str:
    if event.ending == "ok" or event.output.startswith("Error: "):
        return event.output
    return f"Error: {event.output}"
