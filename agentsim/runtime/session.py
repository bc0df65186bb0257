"""All that belongs to one run and not to its configuration (spec R2).

Also how its callbacks are called: what they raise ends the run `failed`.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from functools import partial
from math import inf
from typing import Literal, TypeVar

from agentsim.core import (
    CallKey,
    Event,
    History,
    Message,
    Status,
    Tool,
    ToolCall,
    system,
    tool_result,
    user,
)
from agentsim.runtime.accounting import Meter
from agentsim.runtime.config import AgentConfig, keeper, open_calls, recall
from agentsim.runtime.detector import Detector
from agentsim.runtime.events import tell
from agentsim.runtime.ids import CallIds
from agentsim.runtime.texts import SUPERSEDED, describe

T = TypeVar("T")

Cause = Literal["deadline", "cancelled"]
"""What can end a run from outside of its own course."""


class RunOver(Exception):
    """The run ends here: carried from a leaf to the loop, never out of the runtime.

    Attributes:
        words: The reason, in a sentence for a person.
    """

    def __init__(self, status: Status, words: str = "") -> None:
        super().__init__(words)
        self.status = status
        self.words = words


class Slot:
    """One call of the response at hand, and how far it has come.

    Attributes:
        tool: The tool it names, or None if no such tool is allowed.
        key: Name and canonical arguments; None while the arguments were not read.
        raw: The tool's own output or the words of the error, before any replacement.
        blocked_by: The signature for which the call was refused unrun (R5.5).
        content: The result that the model gets.
    """

    __slots__ = (
        "blocked_by",
        "call",
        "content",
        "failed",
        "key",
        "operation",
        "raw",
        "state",
        "tool",
    )

    def __init__(self, call: ToolCall, tool: Tool | None) -> None:
        self.call = call
        self.tool = tool
        self.state: Literal["waiting", "running", "answered"] = "waiting"
        self.operation = 0
        self.blocked_by: str | None = None
        self.key: CallKey | None = None
        self.raw = self.content = ""
        self.failed = False

    @property
    def alone(self) -> bool:
        """Whether the call must not overlap any other (R4.2)."""
        return self.tool is not None and self.tool.rights.alone

    @property
    def writes(self) -> bool:
        """Whether the call may change the world."""
        return self.tool is not None and not self.tool.rights.read_only

    @property
    def result(self) -> Message:
        """The result as an entry of the history."""
        return tool_result(self.call.id, self.content, is_error=self.failed)

    def answer(self, raw: str, *, failed: bool) -> None:
        """Take the result of the call."""
        self.raw = self.content = raw
        self.failed = failed
        self.state = "answered"


class Session:
    """The state of one run.

    Attributes:
        history: What is sent; it only grows.
        slots: The calls of the response at hand, until their results are appended.
        closed: What ended the run from outside, once something did: from then on
            nothing starts.
        deadline_at: By the loop's clock; infinite without a deadline.
        open_request: Number of the request in flight, or 0.
        open_question: Number of the question that waits for a person, or 0.
        said: The text of the last response.
        tools_called: Names of the calls that had their turn, in order.
        executed: How often each tool was really run.
        memory_fault: Why the memory took no more messages, or the empty text.
    """

    def __init__(self, config: AgentConfig) -> None:
        self.config = config
        self.history = History()
        self.meter = Meter(config.limits)
        self.detector = Detector(config.loop)
        self.ids = CallIds()
        self.emit: Callable[[Event], None] = partial(tell, config.on)
        self.tools = {tool.name: tool for tool in config.tools}
        self.definitions = tuple([tool.definition for tool in config.tools])
        self.iterations = 0
        self.requests = self.operations = self.questions = 0
        self.open_request = self.open_question = 0
        self.slots: list[Slot] = []
        self.said = ""
        self.refusal: str | None = None
        self.tools_called: list[str] = []
        self.executed: dict[str, int] = {}
        self.closed: Cause | None = None
        self.memory_fault = ""
        self._memory = keeper(config.memory)
        self._now = asyncio.get_running_loop().time
        seconds = config.limits.deadline_s
        self.deadline_at = inf if seconds is None else self._now() + seconds

    def open(self, task: str) -> None:
        """Begin the history: prompt, what was said before, and the task.

        Calls that an earlier run left open (it waited for a person) are closed as not
        executed, since a new message comes in their place (R3.9).
        """
        if self.config.prompt:
            self.history.append(system(self.config.prompt))
        try:
            earlier = recall(self.config.memory)
        except Exception as error:  # noqa: BLE001 a callback ends the run (R2)
            self._memory = None
            raise RunOver("failed", f"memory raised {describe(error)}") from None
        still_open = open_calls(earlier)
        for message in earlier:
            self.history.append(message)
        self.ids.know(earlier)
        closed = [
            tool_result(call_id, SUPERSEDED, is_error=True) for call_id in still_open
        ]
        self.append(*closed, user(task))

    def append(self, *messages: Message) -> None:
        """Add messages to the history, all of them, and to the memory.

        A memory that fails is given nothing more, so that what it holds stays a
        beginning of the history.

        Raises:
            RunOver: when the memory fails, after the history got every message.
        """
        for message in messages:
            self.history.append(message)
        if self._memory is None:
            return
        try:
            for message in messages:
                self._memory.append(message)
        except Exception as error:  # noqa: BLE001 a callback ends the run (R2)
            self._memory = None
            self.memory_fault = f"memory raised {describe(error)}"
            raise RunOver("failed", self.memory_fault) from None

    def append_results(self) -> None:
        """Append the result of every call of the response at hand, in their order.

        Raises:
            RunOver: when the memory fails.
        """
        slots, self.slots = self.slots, []
        results = []
        for slot in slots:
            if slot.state != "waiting":
                self.tools_called.append(slot.call.name)
            results.append(slot.result)
        self.append(*results)

    def check(self) -> None:
        """Refuse to go on in a run that is closed, or at its deadline.

        Called before everything that starts and after everything that was awaited: so
        what comes at the very instant of the deadline is late (R6.3), and a tool that
        swallows its cancellation changes nothing.

        Raises:
            RunOver: with the cause.
        """
        if self.closed is None:
            if self._now() < self.deadline_at:
                return
            self.closed = "deadline"
        raise RunOver(self.closed)

    @property
    def interrupted(self) -> bool:
        """Whether a cancellation seen now was meant for this task.

        If not, a client, a tool or a callback raised it by itself: that is its error,
        and not the end of the run.
        """
        task = asyncio.current_task()
        return self.closed is not None or (task is not None and task.cancelling() > 0)


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
