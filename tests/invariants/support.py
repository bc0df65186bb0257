"""A small language to write traces in: what the model asks for, what the tools do.

    run = Run(tools=[read("look"), write("pay")])
    run.asks(call("look"))          # a request and its response
    run.runs("look")                # a tool starts and ends, at the boundary
    run.answers("seen")             # the results go into the history
    run.says("done")                # the last response
    trace = run.ends()              # the outcome

Nothing is checked here: a trace may be as wrong as its test wants it to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from agentsim.core import (
    ConfirmationAnswered,
    ConfirmationAsked,
    Crashed,
    Declared,
    DeltaReceived,
    EffectApplied,
    EndingKind,
    Event,
    FaultStruck,
    History,
    IncarnationStarted,
    Limits,
    LoopRules,
    Message,
    MessageView,
    Outcome,
    RequestFailed,
    RequestSent,
    ResponseReceived,
    ResumeProbe,
    Rights,
    ToolCall,
    ToolDef,
    ToolEnded,
    ToolEnding,
    ToolStarted,
    Usage,
    assistant,
    parse_arguments,
    system,
    tool_result,
    user,
)
from agentsim.invariants import INVARIANTS, Judgement, judge
from agentsim.providers import StrictRules
from agentsim.trace import Header, ToolFacts, Trace

__all__ = ["BLOCK", "Run", "asked", "call", "confirmed", "read", "verdict", "write"]

PROMPT = "You are an agent."
BLOCK = (
    "Error: loop detected: look called 3 times with the same result; change approach"
)
SECOND = 1_000_000_000


def read(name: str, *, parallel: bool = True) -> ToolFacts:
    """A tool that only reads."""
    return ToolFacts.of(ToolDef(name), Rights(parallel=parallel))


def write(name: str) -> ToolFacts:
    """A tool that writes without asking."""
    return ToolFacts.of(ToolDef(name), Rights("mutating", confirm=False))


def confirmed(name: str) -> ToolFacts:
    """A tool that writes when a person approves."""
    return ToolFacts.of(ToolDef(name), Rights("mutating"))


def call(name: str, arguments: str = "{}") -> tuple[str, str]:
    """A call of the model; its id is given by the run."""
    return name, arguments


def asked(name: str, arguments: str = "{}", *, id: str = "") -> ToolCall:  # noqa: A002
    """A call of the model with an id of its own."""
    return ToolCall(id, name, arguments)


class Run:
    """Writes the events of a run, with a history that grows beside it.

    Attributes:
        wire: The wire that its requests go by.
    """

    wire = ""

    def __init__(
        self,
        tools: Sequence[ToolFacts] = (),
        *,
        limits: Limits | None = None,
        loop: LoopRules | None = None,
        prompt: str | None = PROMPT,
        task: str = "go",
    ) -> None:
        self.header = Header(
            scenario="written",
            prompt=prompt,
            tools=tuple(tools),
            limits=limits,
            loop=loop,
        )
        self.events: list[Event] = []
        self.life = 1
        self.now_ns = 0
        self.message = assistant()
        self._requests = count(1)
        self._operations = count(1)
        self._questions = count(1)
        self._calls = count(1)
        self._open: dict[str, int] = {}
        self.begins(task)

    def adds(self, event: Event) -> int:
        """Put an event down at the present time and life, and return its index."""
        event.at_ns, event.life = self.now_ns, self.life
        self.events.append(event)
        return len(self.events) - 1

    def begins(self, task: str = "go") -> None:
        """A life begins with a history of its own."""
        start = [system(self.header.prompt)] if self.header.prompt else []
        self.history = History([*start, user(task)])
        self.adds(IncarnationStarted(who="engine"))
        if self.header.limits is not None or self.header.loop is not None:
            self.adds(Declared(self.header.limits, self.header.loop))

    def waits(self, seconds: float) -> None:
        """Time goes by."""
        self.now_ns += round(seconds * SECOND)

    def requests(
        self,
        view: MessageView | None = None,
        *,
        tools: tuple[ToolDef, ...] | None = None,
        wire: str = "",
    ) -> int:
        """A request goes out, and its number is returned."""
        number = next(self._requests)
        given = tuple(facts.definition for facts in self.header.tools)
        view = self.history.view() if view is None else view
        offered = given if tools is None else tools
        self.adds(RequestSent(number, "m", view, offered, wire=wire or self.wire))
        return number

    def responds(
        self,
        message: Message,
        *,
        stop: str | None = None,
        usage: Usage | None = Usage(10, 5),  # noqa: B008  # frozen
        keep: bool = True,
    ) -> None:
        """A request goes out and is answered; the answer is kept in the history."""
        number = self.requests()
        reason = stop or ("tool_use" if message.tool_calls else "end_turn")
        self.message = message
        self.adds(ResponseReceived(number, message, reason, usage))
        if keep:
            self.history.append(message)

    def asks(
        self, *calls: tuple[str, str] | ToolCall, text: str = "", **more: Any
    ) -> None:
        """The model asks for tools."""
        made = [
            c if isinstance(c, ToolCall) else ToolCall(f"c{next(self._calls)}", *c)
            for c in calls
        ]
        self.responds(assistant(text, *made), **more)

    def says(self, text: str = "done", **more: Any) -> None:
        """The model answers with a text."""
        self.responds(assistant(text), **more)

    def fails(self, status: int | None = 500, rule: str | None = None) -> None:
        """A request goes out and fails."""
        number = self.requests()
        self.adds(RequestFailed(number, status, "server_error", "it failed", rule))

    def breaks(
        self, *pieces: str, status: int | None = None, definite: bool = False
    ) -> None:
        """A request goes out, pieces of the answer come, and it breaks off."""
        number = self.requests()
        for piece in pieces:
            self.adds(DeltaReceived(number, piece))
        kind = "connection_error" if status is None else "overloaded_error"
        words = "the connection was closed before the response was complete"
        self.adds(RequestFailed(number, status, kind, words, definite=definite))

    def starts(self, name: str, **arguments: Any) -> int:
        """A tool starts; its operation is returned."""
        operation = next(self._operations)
        self._open[name] = operation
        self.adds(ToolStarted(operation, name, arguments))
        return operation

    def stops(
        self,
        name: str,
        output: str = "ok",
        *,
        ending: ToolEnding = "ok",
        operation: int | None = None,
    ) -> None:
        """A tool ends: the last one of its name, or the operation given."""
        number = self._open[name] if operation is None else operation
        self.adds(ToolEnded(number, name, ending, output))

    def effects(self, name: str, **arguments: Any) -> None:
        """The tool of that name that started last takes effect."""
        event = EffectApplied(self._open.get(name, 0), name, arguments, who="world")
        self.adds(event)

    def runs(
        self,
        name: str,
        output: str = "ok",
        *,
        ending: ToolEnding = "ok",
        effect: bool = False,
        **arguments: Any,
    ) -> None:
        """A tool starts, takes effect if it does, and ends."""
        self.starts(name, **arguments)
        if effect:
            self.effects(name, **arguments)
        self.stops(name, output, ending=ending)

    def confirms(
        self,
        name: str,
        *,
        by: str | None = "ann",
        approved: bool = True,
        reason: str | None = None,
        call_id: str | None = None,
        **arguments: Any,
    ) -> None:
        """A person is asked about a call, and answers."""
        question = next(self._questions)
        self.adds(ConfirmationAsked(question, name, arguments, call_id))
        self.adds(ConfirmationAnswered(question, approved, by, reason))

    def answers(self, *texts: str, error: bool = False) -> None:
        """Results for the calls of the latest response, in the order of the texts."""
        for entry, text in zip(self.message.tool_calls, texts, strict=False):
            self.history.append(tool_result(entry.id, text, is_error=error))

    def tells(self, *results: str) -> None:
        """Results for all calls of the latest response; those that say so are errors."""
        assert len(results) == len(self.message.tool_calls)
        for entry, text in zip(self.message.tool_calls, results, strict=True):
            error = text.startswith("Error")
            self.history.append(tool_result(entry.id, text, is_error=error))

    def looks(
        self, output: str = "ok", *, name: str = "look", result: str | None = None
    ) -> None:
        """One whole turn: asks for a tool, runs it and answers; `result` may replace it."""
        self.asks(call(name))
        self.runs(name, output)
        if result is None:
            self.answers(output)
        else:
            self.answers(result, error=True)

    def crashes(self) -> None:
        """The process dies, and a new life begins."""
        self.adds(Crashed(who="engine"))
        self.life += 1
        self.begins()

    def struck(self, fault: str) -> None:
        """A fault strikes."""
        self.adds(FaultStruck(fault, "look", True, fault, who="fault"))

    def trace(self) -> Trace:
        """What was written so far."""
        return Trace(self.header, self.events)

    def ends(
        self,
        status: str | None = "done",
        *,
        ending: EndingKind = "returned",
        error: str | None = "",
        output: str | None = "",
        history: Sequence[Message] | None = None,
        **more: Any,
    ) -> Trace:
        """The run ends with an outcome, whose history the strict service is shown."""
        view = self.history.view() if history is None else History(history).view()
        if error == "":
            error = None if status == "done" else f"the run ended: {status}"
        if output == "":
            output = self.message.content if status == "done" else None
        if status != "waiting_human":
            refusal = StrictRules().resumes(view)
            told = (refusal.rule, refusal.words, refusal.param) if refusal else ()
            self.adds(ResumeProbe(*told, who="engine"))
        self.adds(Outcome(ending, status, output, error, history=view, **more))
        return self.trace()


def verdict(trace: Trace, name: str) -> Judgement:
    """The judgement of one invariant; all others must come to some judgement too."""
    found = judge(trace)
    assert [entry.id for entry in found] == list(INVARIANTS)
    for entry in found:
        check(trace, entry)
    return next(entry for entry in found if entry.id == name)


def check(trace: Trace, judgement: Judgement) -> None:
    """What is true of every judgement, whatever it says."""
    assert (judgement.status == "violated") == bool(judgement.violations)
    assert (judgement.status in ("holds", "violated")) == bool(judgement.evidence)
    assert (judgement.status in ("holds", "violated")) == (judgement.why == "")
    for violation in judgement.violations:
        assert violation.words
        assert violation.expected
        assert violation.found
        assert violation.events
        assert all(0 <= at < len(trace) for at in violation.events)


def parsed(text: str) -> dict[str, Any]:
    """The arguments of a call, for a tool."""
    return parse_arguments(text)
