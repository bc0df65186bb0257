"""How a run ends: repaired history, words for a person, one result (spec R3.9, R6.4)."""

from __future__ import annotations

from agentsim.core import (
    ConfirmationAnswered,
    Escalated,
    RequestFailed,
    RunEnded,
    RunResult,
    Status,
    Terminal,
    ToolEnded,
    ToolEnding,
)
from agentsim.runtime.session import RunOver, Session, Slot
from agentsim.runtime.texts import (
    clip,
    iteration_limit,
    not_executed,
    not_finished,
    outcome_unknown,
)

_ADVICE: dict[Status, str] = {
    "max_iterations": "raise max_iterations or narrow the task",
    "token_budget": "raise token_budget or narrow the task",
    "deadline": "raise deadline_s or narrow the task",
    "loop": "find out why the result stays the same and give the agent a hint",
}
"""The boundaries, and what a person can do about each."""


def finish(session: Session, over: RunOver) -> RunResult:
    """Close what is open, repair the history, tell of the end and make the result.

    It can't fail and does not wait: also a cancelled run leaves a history that a
    provider accepts.
    """
    status = over.status
    _close_request(session, status)
    _repair(session, status)
    headline = _headline(session, over)
    words = headline
    if status in _ADVICE:
        words = f"{headline}\n{_particulars(session, status)}"
    if session.memory_fault and session.memory_fault not in words:
        words = f"{words}\n{session.memory_fault}" if words else session.memory_fault
    if status in _ADVICE:
        session.emit(Terminal(status, headline))
        session.emit(Escalated(words))
    result = RunResult(
        status=status,
        output=session.said or None,
        error=words or None,
        iterations=session.iterations,
        usage=session.meter.usage,
        tools=tuple(session.tools_called),
        history=session.history.view(),
        refusal=session.refusal,
    )
    session.emit(_ended(session, result))
    return result


def _ended(session: Session, result: RunResult) -> RunEnded:
    return RunEnded(
        result.status,
        result.error,
        result.output,
        result.iterations,
        result.usage,
        result.tools,
        session.history.view(),
    )


def _close_request(session: Session, status: Status) -> None:
    """Give a request and a question that were cut off their end (R11)."""
    if session.open_request:
        words = f"no answer was awaited any more: {status}"
        session.emit(
            RequestFailed(
                session.open_request, None, "cancelled", words, definite=False
            )
        )
    if session.open_question:
        words = f"no answer was awaited any more: {status}"
        session.emit(
            ConfirmationAnswered(session.open_question, approved=False, reason=words)
        )


def _repair(session: Session, status: Status) -> None:
    """Give every outstanding call its result, in the order of the calls (R3.9)."""
    for slot in session.slots:
        if slot.state == "running":
            _cut(session, slot, status)
        elif slot.state == "waiting":
            slot.content, slot.failed = not_executed(status), True
    try:
        session.append_results()
    except RunOver:
        return  # the history is whole; `memory_fault` goes into the result


def _cut(session: Session, slot: Slot, status: Status) -> None:
    name = slot.call.name
    if slot.writes:
        slot.content = outcome_unknown(name, status)
    else:
        slot.content = not_finished(name, status)
    slot.failed = True
    ending: ToolEnding = "unknown" if slot.writes else "cancelled"
    session.emit(ToolEnded(slot.operation, name, ending, slot.content, slot.call.id))


def _headline(session: Session, over: RunOver) -> str:
    limits = session.config.limits
    if over.words:
        return over.words
    match over.status:
        case "max_iterations":
            return iteration_limit(limits.max_iterations)
        case "token_budget":
            return f"agent: the budget of {limits.token_budget} tokens is spent"
        case "deadline":
            return f"agent: reached the deadline of {_number(limits.deadline_s or 0)} seconds"
        case "cancelled":
            return "agent: cancelled from outside"
        case "truncated":
            return "agent: the response was cut at its token limit before it ended"
        case "refused":
            details = f": {session.refusal}" if session.refusal else ""
            return f"agent: the model refused{details}"
        case "stopped":
            return (
                f"agent: stopped by its predicate after iteration {session.iterations}"
            )
        case _:
            return ""


def _particulars(session: Session, status: Status) -> str:
    """Iteration, tokens, tools and last state, in words to act on (R6.4)."""
    ran = [
        name if count == 1 else f"{name} x {count}"
        for name, count in session.executed.items()
    ]
    return (
        f"iteration {session.iterations}; "
        f"{_number(session.meter.billable)} tokens spent"
        f"{' (estimated)' if session.meter.usage.estimated else ''}; "
        f"tools executed: {', '.join(ran) or 'none'}; "
        f"last state: {_last_state(session)}; "
        f"to go on: {_ADVICE[status]}, then run again with this history"
    )


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3f}".rstrip("0")


def _last_state(session: Session) -> str:
    view = session.history.view()
    last = view[-1] if view else None
    if last is None or last.role in ("system", "user"):
        return "waiting for the model"
    if last.role == "tool":
        return f"a tool answered {clip(last.content)!r}"
    return f"the model said {clip(last.content)!r}"
