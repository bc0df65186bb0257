"""One run of a program that lives elsewhere: answered, recorded, and judged when asked."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Literal

from agentsim.core import (
    EndingKind,
    IncarnationStarted,
    Message,
    Outcome,
    ProviderError,
    RequestSent,
    Rights,
    UsageError,
)
from agentsim.engine import EPOCH_NS
from agentsim.faults import FaultPlan, FaultRule
from agentsim.providers import Attempt
from agentsim.providers.transports import (
    HttpRequest,
    ModelService,
    Served,
    error_answer_to,
)
from agentsim.providers.wires import Asked, HttpAnswer
from agentsim.server.asgi import not_retried
from agentsim.server.deviating import Deviations
from agentsim.server.living import Halted, LiveLife
from agentsim.simulation import Scenario, Scene, scripted_client
from agentsim.trace import Header, ToolFacts, Trace

__all__ = ["Session", "State"]

State = Literal["fresh", "running", "halted", "ended"]

NS_PER_S = 1_000_000_000

SHRUNK = (
    "a request holds less than the one before: a program that is started again, or holds "
    "several conversations, gives each a run of its own (the key agentsim-NAME, or the "
    "header x-agentsim-run)"
)

PASSING = (408, 409, 429)
"""Statuses below 500 after which SDKs ask again."""


class Session:
    """A run: its script, what it was asked, and what it answered.

    Args:
        name: Of the run.
        program: What is told of the program in its trace.
        real: Whether answers take their time.

    Attributes:
        outcome: How the run ended, or None while it goes on.
        late: How many requests came after the run was halted or had ended.
    """

    def __init__(
        self, name: str, scenario: Scenario, *, program: str, real: bool = False
    ) -> None:
        self.name = name
        self.scenario = scenario
        self.deviations = Deviations(self._attempts)
        self.scene = Scene(scenario, self._plan(), self.deviations, replanned=True)
        self.life = LiveLife(self.scene.recorder.add, self.deviations, real=real)
        self.outcome: Outcome | None = None
        self.late = 0
        self._program = program
        self._real = real
        self._asked_for: list[FaultRule] = []
        self._client = scripted_client(self.scene, self.life)
        served = Served(
            scenario.model,
            self._attempt,
            self._unix_s,
            self._end,
            scenario.profiles or {},
            warn=self.scene.warn,
        )
        self._service = ModelService(served, rooted=True)
        self._left = False
        self._last: Sequence[Message] = ()
        self.life.record(IncarnationStarted(who="engine"))

    @property
    def state(self) -> State:
        """Where the run stands."""
        if self.outcome is not None:
            return "ended"
        if self.life.failure is not None:
            return "halted"
        return "running" if self.life.asked else "fresh"

    @property
    def tells(self) -> bool:
        """Whether there is something to tell of it, if only why the model heard nothing."""
        asked = self.life.asked > 0
        return asked or self.life.failure is not None or bool(self.scene.warnings)

    @property
    def requests(self) -> list[RequestSent]:
        """The requests to the model so far."""
        events = self.scene.recorder.events
        return [event for event in events if isinstance(event, RequestSent)]

    def ask_for(self, rules: Sequence[FaultRule]) -> None:
        """Make these deviations, each at the next request that it can strike."""
        self.deviations.pending += rules
        self._asked_for += rules

    async def answer(self, request: HttpRequest) -> HttpAnswer:
        """Answer a request as the service would.

        Raises:
            NoAnswer: when none comes: the connection is to break, or to stay silent.
        """
        if self.state in ("halted", "ended"):
            self.late += 1
            return not_retried(error_answer_to(request, self._why_silent()))
        try:
            answer = await self._service.answer(request)
        except Halted:
            return not_retried(error_answer_to(request, self._why_silent()))
        return answer if self._real else _retried_at_once(answer)

    def left(self) -> None:
        """The client of the task at hand went away before it had its answer."""
        self._left = self.life.left() or self._left

    def end(self, ending: EndingKind = "returned", error: str | None = None) -> None:
        """Close the run: nothing is recorded any more. A second time changes nothing."""
        if self.outcome is None:
            self.outcome = self._outcome(ending, error)
            self.life.record(self.outcome)
            self.life.over = True

    def trace(self) -> Trace:
        """What happened so far."""
        return self.scene.recorder.trace(self._header())

    def trace_to_judge(self) -> Trace:
        """The trace as it would be if the run ended now."""
        if self.outcome is not None:
            return self.trace()
        events = [*self.scene.recorder.events, self._outcome("returned", None)]
        return Trace(self._header(), events)

    def _attempts(self) -> int:
        return self.scene.striker.attempts("model", "model")

    def _plan(self) -> FaultPlan:
        return self.deviations.plan(tuple(self.scenario.rules))

    async def _attempt(
        self, asked: Asked, *, timeout_s: float | None = None, streamed: bool = False
    ) -> Attempt:
        """Answer one request; how long its sender would wait, only the sender knows."""
        del timeout_s
        if self._asked_for:
            self.scene.striker.plan = self._plan()
        messages = asked.request.messages
        if self._left and not _extends(messages, self._last):
            self.life.number += 1
            self.life.record(IncarnationStarted(who="engine"))
        elif len(messages) < len(self._last):
            self.scene.warn(SHRUNK)
        self._left, self._last = False, messages
        return await self._client.attempt(asked, streamed=streamed)

    def _unix_s(self) -> int:
        return (EPOCH_NS + self.life.now_ns) // NS_PER_S

    async def _end(self, error: UsageError) -> None:
        self.life.halt(error)
        raise Halted

    def _why_silent(self) -> ProviderError:
        if self.outcome is not None:
            words = f"the run {self.name!r} has ended"
        else:
            words = f"the run {self.name!r} was halted: {self.life.failure}"
        words += f"; POST /_agentsim/runs/{self.name}/reset begins it anew"
        return ProviderError(
            words, status=400, kind="invalid_request_error", code="agentsim_run_over"
        )

    def _outcome(self, ending: EndingKind, error: str | None) -> Outcome:
        now_ns, life = self.life.now_ns, self.life.number
        return Outcome(ending, None, None, error, at_ns=now_ns, life=life)

    def _header(self) -> Header:
        scenario = self.scenario
        asked_for = ",".join(rule.text for rule in self._asked_for)
        return Header(
            scenario=scenario.name,
            scenario_digest=scenario.digest,
            agent=self._program,
            policy="served",
            menu=f"deviations={asked_for or 'none'}",
            task=scenario.task,
            tools=self._tools(),
            wire_only=True,
        )

    def _tools(self) -> tuple[ToolFacts, ...]:
        """The tools that the program offers, and those that the script may call."""
        known = {facts.name: facts for facts in self.scenario.allowed_tools}
        found: dict[str, ToolFacts] = {}
        for request in self.requests:
            for tool in request.tools:
                same = known.get(tool.name)
                rights = Rights() if same is None else same.rights
                found[tool.name] = ToolFacts(tool, rights)
        return tuple({**known, **found}.values())


def _retried_at_once(answer: HttpAnswer) -> HttpAnswer:
    """The same answer, after which SDKs wait for no more than a millisecond.

    What else it says of a wait stays as it is: it is for the program to read.
    """
    if answer.status not in PASSING and answer.status < 500:
        return answer
    headers = {"retry-after-ms": "1", **answer.headers}
    return HttpAnswer(answer.status, headers, answer.body)


def _extends(messages: Sequence[Message], seen: Sequence[Message]) -> bool:
    """Whether messages are those that were seen, with nothing or something after them."""
    return len(messages) >= len(seen) and all(map(operator.eq, seen, messages))
