"""How a run ended, and what a person decided (spec R1.9, R1.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from agentsim.core.messages import Message, Usage

__all__ = [
    "STATUSES",
    "Decision",
    "Finished",
    "Injected",
    "Question",
    "RunResult",
    "Status",
]

Status = Literal[
    "done",
    "stopped",
    "max_iterations",
    "token_budget",
    "deadline",
    "loop",
    "waiting_human",
    "truncated",
    "refused",
    "cancelled",
    "failed",
]

STATUSES: tuple[str, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run returns, in success and in every terminal state (R1.9).

    Attributes:
        output: The final answer, or the text that came with the boundary.
        error: What a person needs to know when the run did not end `done`.
        tools: Names of the tools called, in order, the ending call included.
        history: Everything that was said; a provider accepts it with a new user
            message after it.
        refusal: Details of a refusal, or None.
    """

    status: Status
    output: str | None
    error: str | None
    iterations: int
    usage: Usage
    tools: tuple[str, ...]
    history: Sequence[Message]
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """How a run ended, told by an agent that has no `RunResult` to give (R1.9).

    It takes nothing that only a runtime of one's own counts: what it leaves out is told
    by nobody, and not judged.

    Attributes:
        output: The final answer, or the text that came with the boundary.
        error: What a person needs to know when the run did not end `done`.
    """

    status: Status
    output: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person said to a question (R1.10).

    Attributes:
        confirmed_by: Id of the person, from an authenticated session; an approval
            without it is no approval.
    """

    approved: bool
    confirmed_by: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One call that a person is asked to approve (R4.4).

    Attributes:
        arguments: As the tool would get them, parsed.
    """

    call_id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Injected:
    """A user's message that enters a running turn (R9)."""

    id: str
    text: str
