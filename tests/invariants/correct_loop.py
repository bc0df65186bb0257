"""A small agent loop that keeps every rule: one tool after the other, no concurrency.

It is written for these tests alone, by the specification and in the plainest way, so
that a correct run of any shape can be generated: whatever the model says and the tools
do, no invariant may be violated by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agentsim.core import (
    InvalidArguments,
    Limits,
    LoopRules,
    LoopWindow,
    ToolCall,
    ToolEnding,
    Usage,
    assistant,
    call_key,
    parse_arguments,
    signature,
    tool_result,
)
from agentsim.trace import ToolFacts, Trace
from tests.invariants.support import Run

__all__ = ["Habits", "Reply", "Step", "live"]

DECLINED = "Error: declined"
"""How a refusal begins; its reason goes to the model (R4.4)."""

CLOSED = "Error: not executed: the run is over"


@dataclass(frozen=True)
class Step:
    """What a tool does when it runs next.

    Attributes:
        again: Whether it is run once more if it certainly failed.
        approved: What a person says who is asked.
        reason: What they say to a refusal.
        seconds: How long it takes.
    """

    output: str = "ok"
    fails: bool = False
    lost: bool = False
    again: bool = False
    approved: bool = True
    reason: str | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Habits:
    """What differs between loops that are all correct.

    Attributes:
        asks_by_id: Whether a question names its call.
        ids: Whether the model gives its calls ids; else the loop does.
        person: Whether there is anybody who approves.
        own_words: Whether errors, but for refusals, are told in words of the loop's own.
        signs: Whether a tool is told who approved its call.
    """

    asks_by_id: bool = False
    ids: bool = True
    person: bool = True
    own_words: bool = False
    signs: bool = False


@dataclass(frozen=True)
class Reply:
    """What the model says next.

    Attributes:
        empty: Whether an empty response comes first, which is asked for again.
        fails: Whether an error of the service comes first.
        breaks: Whether a stream with a piece of it comes first, and breaks off.
    """

    calls: tuple[tuple[str, str], ...] = ()
    text: str = ""
    stop: str | None = None
    tokens: int = 1
    seconds: float = 0.0
    empty: bool = False
    fails: bool = False
    breaks: bool = False


@dataclass
class _Loop:
    run: Run
    tools: dict[str, ToolFacts]
    limits: Limits
    rules: LoopRules
    habits: Habits
    steps: list[Step]
    spent: int = 0
    taken: int = 0
    used: list[str] = field(default_factory=list)
    status: str | None = None
    ids: int = 0
    window: LoopWindow = field(init=False)
    texts: LoopWindow = field(init=False)

    def __post_init__(self) -> None:
        self.window = LoopWindow(self.rules)
        self.texts = LoopWindow(self.rules)

    def late(self) -> bool:
        """Whether the deadline has come."""
        seconds = self.limits.deadline_s
        if seconds is not None and self.run.now_ns >= round(seconds * 1e9):
            self.status = self.status or "deadline"
        return self.status is not None

    def turn(self, reply: Reply) -> None:
        """One iteration, or the end."""
        bound = self.limits.max_iterations
        if bound is not None and self.taken >= bound:
            self.status = "max_iterations"
        budget = self.limits.token_budget
        if budget is not None and self.spent >= budget:
            self.status = self.status or "token_budget"
        if self.status is not None or self.late():
            return
        if reply.fails:
            self.run.fails()
        if reply.breaks:
            self.run.breaks((reply.text or "so")[:4])
        if reply.empty:
            self.run.says("", keep=False, usage=Usage(0, 0))
        self.respond(reply)

    def respond(self, reply: Reply) -> None:
        """Ask, account, and answer every call."""
        calls = []
        for name, arguments in reply.calls:
            self.ids += 1
            calls.append(ToolCall(f"c{self.ids}", name, arguments))
        text = reply.text or ("" if calls else "so")
        given = calls if self.habits.ids else [replace(call, id="") for call in calls]
        self.run.responds(
            assistant(text, *given),
            stop=reply.stop,
            usage=Usage(reply.tokens, 0),
            keep=False,
        )
        self.run.history.append(assistant(text, *calls))
        self.taken += 1
        self.spent += reply.tokens
        budget = self.limits.token_budget
        if budget is not None and self.spent > budget:
            self.status = "token_budget"
        elif reply.stop == "max_tokens":
            self.status = "truncated"
        elif not calls and reply.stop is None:
            self.status = "done"
        for call in calls:
            self.answer(call)
        if not calls and self.status is None:
            self.hear(text)
        self.run.waits(reply.seconds)

    def hear(self, text: str) -> None:
        """Count a text with which the model pauses; it has the terminal level only."""
        sign = signature("", "", text)
        if self.texts.add(sign, ("", ""), writes=False) >= self.rules.end_at:
            self.status = "loop"

    def answer(self, call: ToolCall) -> None:
        """One result for one call."""
        if self.late():
            self.tell(call, CLOSED, error=True)
            return
        self.used.append(call.name)
        facts = self.tools.get(call.name)
        writes = facts is not None and not facts.rights.read_only
        key = call_key(call.name, call.arguments)
        blocking = self.window.blocking(key) if writes else None
        raw, failed = ("", True) if blocking else self.execute(call, facts)
        if self.late():
            self.tell(call, "Error: outcome unknown: the run is over", error=True)
            return
        sign = blocking or signature(call.name, call.arguments, raw)
        count = self.window.add(sign, key, writes=writes, failed=failed)
        if count >= self.rules.end_at:
            self.status = "loop"
        if count >= self.rules.block_at:
            words = f"Error: loop detected: {call.name} called {count} times"
            self.tell(call, words, error=True)
        elif failed and self.habits.own_words and not raw.startswith(DECLINED):
            self.tell(call, "Error: that did not work", error=True)
        else:
            self.tell(call, raw, error=failed)

    def execute(self, call: ToolCall, facts: ToolFacts | None) -> tuple[str, bool]:
        """Run one call, and say whether it failed."""
        if facts is None:
            return f"Error: unknown tool {call.name}", True
        try:
            arguments = parse_arguments(call.arguments)
        except InvalidArguments as error:
            return f"Error: {error}", True
        step = self.step()
        if facts.rights.confirms:
            refusal = self.confirm(call, step, arguments)
            if refusal is not None:
                return refusal, True
            if self.habits.signs:
                arguments = {**arguments, "confirmed_by": "ann"}
        raw, failed = self.once(facts, step, arguments)
        certain = step.fails or facts.rights.read_only
        if failed and certain and step.again and not self.late():
            raw, failed = self.once(facts, self.step(), arguments)
        return raw, failed

    def step(self) -> Step:
        """What the next tool does."""
        return self.steps.pop(0) if self.steps else Step()

    def confirm(
        self, call: ToolCall, step: Step, arguments: dict[str, Any]
    ) -> str | None:
        """Ask a person, and return the words of a refusal."""
        if not self.habits.person:
            return "Error: nobody can approve"
        self.run.confirms(
            call.name,
            approved=step.approved,
            reason=step.reason,
            call_id=call.id if self.habits.asks_by_id else None,
            **arguments,
        )
        if step.approved:
            return None
        return f"{DECLINED}: {step.reason}" if step.reason else DECLINED

    def once(
        self, facts: ToolFacts, step: Step, arguments: dict[str, Any]
    ) -> tuple[str, bool]:
        """Run a tool once, and say whether it failed."""
        name = facts.definition.name
        self.run.starts(name, **arguments)
        if not facts.rights.read_only and not step.fails:
            self.run.effects(name, **arguments)
        if self.cut_within(step.seconds):
            self.run.stops(name, "", ending="cancelled")
            return "", True
        self.run.waits(step.seconds)
        failed = step.fails or step.lost
        ending: ToolEnding = "error" if step.fails else "unknown" if step.lost else "ok"
        self.run.stops(name, step.output, ending=ending)
        return (f"Error: {step.output}", True) if failed else (step.output, False)

    def cut_within(self, seconds: float) -> bool:
        """Whether the deadline comes first; then it is there."""
        limit_s = self.limits.deadline_s
        if limit_s is None or self.run.now_ns + seconds * 1e9 < limit_s * 1e9:
            return False
        self.run.now_ns = max(self.run.now_ns, round(limit_s * 1e9))
        return True

    def tell(self, call: ToolCall, text: str, *, error: bool) -> None:
        """Put a result into the history."""
        self.run.history.append(tool_result(call.id, text, is_error=error))


def live(
    tools: Sequence[ToolFacts],
    replies: Sequence[Reply],
    steps: Sequence[Step],
    limits: Limits,
    *,
    rules: LoopRules = LoopRules(),  # noqa: B008  # frozen
    habits: Habits = Habits(),  # frozen
) -> Trace:
    """A correct run: the model says these things, the tools do those."""
    run = Run(tools, limits=limits, loop=rules)
    named = {facts.name: facts for facts in tools}
    loop = _Loop(run, named, limits, rules, habits, list(steps))
    for reply in (*replies, *[Reply(text="so")] * 8):
        loop.turn(reply)
        if loop.status is not None:
            break
    else:
        loop.status = "stopped"
    answered = loop.status in ("done", "token_budget")
    return run.ends(
        loop.status,
        output=run.message.content if answered else None,
        iterations=loop.taken,
        usage=Usage(loop.spent, 0),
        tools=tuple(loop.used),
    )
