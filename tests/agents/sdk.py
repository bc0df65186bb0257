"""What loops on SDKs share, whatever wire they speak: words, and what binds them.

The loops know nothing of agentsim: `told`, `keep_steps` and `approving` stand between.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from agentsim.core import Decision, Env, Finished, Limits, Question


class BadCall(Exception):
    """A call that can't be run; the message goes to the model."""


@dataclass(frozen=True)
class End:
    """How a run ended: the answer, or why there is none."""

    status: Literal["done", "truncated", "refused", "max_iterations", "failed"]
    text: str


def read_arguments(given: object) -> dict[str, Any]:
    """The arguments of a call: an object; no text is an empty one.

    Args:
        given: Text of JSON, or what the SDK has read of it.

    Raises:
        BadCall: for what is no JSON object, or one that can be read in two ways.
    """
    if given is None or (isinstance(given, str) and not given.strip()):
        return {}
    try:
        text = given if isinstance(given, str) else json.dumps(given)
        value = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except ValueError:
        raise BadCall("the arguments are no valid JSON") from None
    if not isinstance(value, dict):
        raise BadCall("the arguments are no JSON object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        raise ValueError("a field stands twice")
    return record


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def as_text(output: object) -> str:
    """The output of a tool as the text that a message carries.

    Half of a surrogate pair can't be sent, and would fail inside of the SDK.
    """
    if isinstance(output, bytes):
        return output.decode("utf-8", "replace")
    text = output if isinstance(output, str) else json.dumps(output, default=str)
    return text.encode("utf-8", "replace").decode("utf-8")


def told(end: End) -> Finished:
    """How a run ended, as agentsim takes it."""
    if end.status == "done":
        return Finished("done", end.text)
    return Finished(end.status, error=end.text or "no text")


def keep_steps(env: Env) -> None:
    """Promise the limit of steps, which these loops keep, and no other."""
    env.declare(limits=Limits(env.limits.max_iterations, None, None, None))


def approving(env: Env) -> Callable[[str, str, dict[str, Any]], Awaitable[str | None]]:
    """Asks the person of an environment where a tool needs it."""
    confirming = _confirming(env)

    async def approve(call_id: str, name: str, arguments: dict[str, Any]) -> str | None:
        if name not in confirming:
            return None
        if env.confirm is None:
            return "nobody is there to approve"
        return _words(await env.confirm(Question(call_id, name, arguments)))

    return approve


def approving_sync(env: Env) -> Callable[[str, str, dict[str, Any]], str | None]:
    """The same, blocking."""
    confirming = _confirming(env)

    def approve(call_id: str, name: str, arguments: dict[str, Any]) -> str | None:
        if name not in confirming:
            return None
        if env.sync.confirm is None:
            return "nobody is there to approve"
        return _words(env.sync.confirm(Question(call_id, name, arguments)))

    return approve


def _confirming(env: Env) -> tuple[str, ...]:
    return tuple(tool.name for tool in env.tools if tool.rights.confirms)


def _words(decision: Decision) -> str | None:
    if decision.approved and decision.confirmed_by:
        return None
    return decision.reason or "by the operator"
