"""One call: name, arguments, loop refusal, confirmation, execution (spec R4).

Not here yet: the dry run of a destructive tool (R4.5; it is confirmed like a mutating
one) and questions that pause the run (R4.6).
"""

from __future__ import annotations

import asyncio
import inspect
import json
from typing import Any

from agentsim.core import (
    ConfirmationAnswered,
    ConfirmationAsked,
    Decision,
    InvalidArguments,
    Question,
    Tool,
    ToolEnded,
    ToolEnding,
    ToolStarted,
    WorldError,
    call_key,
    canonical_json,
    copied_arguments,
)
from agentsim.runtime.arguments import APPROVER, check_arguments, read_arguments
from agentsim.runtime.session import (
    RunOver,
    Session,
    Slot,
    await_callback,
)
from agentsim.runtime.texts import NO_CONFIRM, describe

__all__ = ["result_text"]


async def answer_call(session: Session, slot: Slot) -> None:
    """Give one call its result; an error of the tool is a result too (R3.4).

    A call that is refused because of a loop gets its words when it is counted.

    Raises:
        RunOver: when the run ends meanwhile; the slot then says how far the call came.
    """
    session.check()
    call, tool = slot.call, slot.tool
    if tool is None:
        _refuse(session, slot, f"Error: unknown tool {call.name}")
        return
    try:
        arguments = read_arguments(call.arguments)
        slot.key = call_key(call.name, call.arguments)
        check_arguments(arguments, session.config.schemas[tool.name])
    except InvalidArguments as fault:
        _refuse(session, slot, f"Error: invalid arguments for {call.name}: {fault}")
        return
    if slot.writes:
        slot.blocked_by = session.detector.refuses(slot.key)
        if slot.blocked_by is not None:
            slot.answer("", failed=True)
            return
    if tool.rights.confirms:
        refusal = await _confirm(session, slot, arguments)
        if refusal is not None:
            _refuse(session, slot, refusal)
            return
    await _execute(session, slot, tool, arguments)


def _refuse(session: Session, slot: Slot, words: str) -> None:
    slot.answer(words, failed=True)
    session.emit(ToolEnded(0, slot.call.name, "error", words, slot.call.id))


async def _confirm(
    session: Session, slot: Slot, arguments: dict[str, Any]
) -> str | None:
    """Ask a person; return the words of a refusal, or note who approved (R4.4)."""
    confirm = session.config.confirm
    if confirm is None:
        return NO_CONFIRM
    session.questions += 1
    number = session.open_question = session.questions
    call = slot.call
    session.emit(
        ConfirmationAsked(number, call.name, copied_arguments(arguments), call.id)
    )
    question = Question(call.id, call.name, copied_arguments(arguments))
    decision = await await_callback(session, "confirm", lambda: confirm(question))
    if not isinstance(decision, Decision):
        kind = type(decision).__name__
        raise RunOver("failed", f"confirm returned {kind}; expected a Decision")
    person = decision.confirmed_by
    approved = decision.approved and bool(person)
    reason = decision.reason
    if decision.approved and not approved:
        reason = "an approval needs the id of a person (confirmed_by)"
    session.open_question = 0
    session.emit(ConfirmationAnswered(number, approved, person, reason))
    if approved:
        arguments[APPROVER] = person
        return None
    return f"Error: declined: {reason}" if reason else "Error: declined by user"


async def _execute(
    session: Session, slot: Slot, tool: Tool, arguments: dict[str, Any]
) -> None:
    name = tool.name
    session.operations += 1
    slot.operation = session.operations
    slot.state = "running"
    session.executed[name] = session.executed.get(name, 0) + 1
    if session.config.on is not None:  # the copy is worth it only if somebody listens
        session.emit(
            ToolStarted(slot.operation, name, copied_arguments(arguments), slot.call.id)
        )
    ending: ToolEnding
    try:
        value: object = tool.run(arguments)
        if inspect.isawaitable(value):
            value = await value
        raw, ending = result_text(name, value)
    except asyncio.CancelledError:
        if session.interrupted:
            raise
        raw, ending = f"Error: {name} cancelled itself", "cancelled"
    except Exception as error:  # noqa: BLE001 a tool's error is a result (R3.4)
        raw, ending = _error_text(slot, error)
    # Late: the slot stays `running`, and is reported as not finished or unknown.
    session.check()
    slot.answer(raw, failed=ending != "ok")
    session.emit(ToolEnded(slot.operation, name, ending, raw, slot.call.id))


def result_text(name: str, value: object) -> tuple[str, ToolEnding]:
    """The text of a tool's result: text as it is, anything else as compact JSON."""
    if isinstance(value, str):
        return value, "ok"
    try:
        canonical_json(value)
    except (TypeError, ValueError):
        kind = type(value).__name__
        words = f"Error: {name} ran, but JSON can't carry its result, a {kind}"
        return words, "error"
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")), "ok"


def _error_text(slot: Slot, error: Exception) -> tuple[str, ToolEnding]:
    words = describe(error)
    if isinstance(error, WorldError) and not error.definite:
        if slot.writes:
            words = f"outcome unknown, it may have taken effect: {words}"
        return f"Error: {words}", "unknown"
    return f"Error: {words}", "error"
