"""The one error tree: who was wrong tells which branch an error is on.

`UsageError`: you called us wrongly. `WorldError`: the simulated outside failed, which
is what agents see. `Finding`: the tool did its work. `InternalError`: our own bug.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

__all__ = [
    "AgentsimError",
    "CassetteBypassed",
    "CassetteError",
    "CassetteInUse",
    "CassetteMiss",
    "Change",
    "ChangeKind",
    "Deadlock",
    "Finding",
    "HeldForEver",
    "ImproperRequest",
    "InternalError",
    "InvariantViolation",
    "NondeterminismError",
    "ProviderError",
    "ScenarioError",
    "TaskLeak",
    "TokenError",
    "ToolFailed",
    "UnscriptedRequest",
    "UsageError",
    "WorldError",
    "linked_errors",
]


class AgentsimError(Exception):
    """The root of every error that agentsim raises on purpose.

    Attributes:
        found: The `Exploration` that it ended, with what was found before; None where
            it ended none.
    """

    found: Any = None


class UsageError(AgentsimError):
    """You called agentsim wrongly; the message says what was expected and what came.

    Attributes:
        token: That of the run which it ended, if something was not as usual in it. A
            note of the error says what.
    """

    token: str | None = None


class ImproperRequest(UsageError):
    """An agent's request is of wrong types; the message says where.

    Where all went as usual it ends the simulation. Where something did not, that is what
    brought it to light, and the run is judged as one that raised it.
    """


class HeldForEver(UsageError):
    """An agent went on without waiting for anything; the message says where it was.

    To find that out takes half a real minute, so that no run like it is made after it.
    """


class ScenarioError(UsageError):
    """A scenario can't be read or built; the message names file, line and field."""


class CassetteError(UsageError):
    """A cassette can't be read or written; the message names file, line and field."""


class CassetteBypassed(UsageError):
    """Something was about to leave the process around a cassette that is replayed."""


class CassetteInUse(CassetteError):
    """Another process, or another recording of this one, is writing the cassette."""


ChangeKind = Literal[
    "dialect",
    "model",
    "streaming",
    "tools",
    "prompt",
    "conversation",
    "count",
    "nothing recorded",
    "settings",
]
"""In what a request can differ from what was recorded.

`prompt` is the system prompt; `count`: it was recorded, and is asked once more;
`settings`, such as the temperature, count for nothing and are told for information.
"""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing in which a request differs from the recording that is nearest to it.

    Attributes:
        what: Which kind of thing.
        where: The same in words, such as `message 4 (tool)`.
        lines: The difference: what was recorded begins with `-`, what is asked with `+`;
            what is long is cut.
        message: Of a conversation, the first message that differs, 1-based; None: the
            difference is in no message.
        role: Of that message; empty when it has none.
    """

    what: ChangeKind
    where: str
    lines: tuple[str, ...] = ()
    message: int | None = None
    role: str = ""


class CassetteMiss(UsageError):
    """A request was never recorded; the message shows the nearest one that was.

    Attributes:
        changes: All in which it differs from that one; `settings` are never the cause.
        nearest: Number of the nearest exchange; None when nothing was recorded.
        turn: Which turn of the model was asked for, 1-based; 0: not known.
    """

    def __init__(
        self,
        message: str,
        *,
        changes: tuple[Change, ...] = (),
        nearest: int | None = None,
        turn: int = 0,
    ) -> None:
        super().__init__(message)
        self.changes = changes
        self.nearest = nearest
        self.turn = turn


class UnscriptedRequest(UsageError):
    """The script ran out, or was not used up, in a run without deviations."""


class TokenError(UsageError):
    """A replay token is malformed, or does not fit the scenario it is used with."""


class WorldError(AgentsimError):
    """The simulated outside failed.

    Attributes:
        definite: True when the operation certainly did not happen, False when it may
            have happened (the answer was lost). Retrying hangs on this flag.
    """

    def __init__(self, message: str, *, definite: bool = True) -> None:
        super().__init__(message)
        self.definite = definite


class ToolFailed(WorldError):
    """A simulated tool could not do what it was asked; the model sees the message."""


class ProviderError(WorldError):
    """The model's service answered with an error, or did not answer.

    Attributes:
        status: HTTP status, or None when no answer came (network, timeout).
        kind: The provider's own error type, such as `invalid_request_error`.
        param: Where in the request the fault is, such as `messages[3]`, or None.
        code: The provider's own code for it, such as `rate_limit_exceeded`, or None.
        retry_after_s: Seconds the service asks to wait, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None,
        kind: str,
        param: str | None = None,
        code: str | None = None,
        retry_after_s: float | None = None,
        definite: bool = True,
    ) -> None:
        super().__init__(message, definite=definite)
        self.status = status
        self.kind = kind
        self.param = param
        self.code = code
        self.retry_after_s = retry_after_s

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are copied by their positional arguments, and two here have names.
        made = partial(type(self), status=self.status, kind=self.kind)
        return made, self.args, vars(self)

    @property
    def transient(self) -> bool:
        """Whether trying again may help (R7.1): no answer, 408, 409, 429 or 5xx."""
        return (
            self.status is None or self.status in (408, 409, 429) or self.status >= 500
        )


class Finding(AgentsimError):
    """The tool did its work: something is wrong with what was simulated."""


class InvariantViolation(Finding, AssertionError):
    """An invariant does not hold; the message is the failure text."""


class NondeterminismError(Finding):
    """The same choices gave another run; the message names the first divergence."""


class Deadlock(Finding):
    """Nothing can run and nothing is pending; the message names who waits for what."""


class TaskLeak(Finding):
    """The agent returned while tasks of it were still alive; the message names them."""


class InternalError(AgentsimError):
    """A bug of agentsim itself: please report it, with the token of the run."""


def linked_errors(error: BaseException) -> list[BaseException]:
    """An error, those that it came from, and those of groups among them, each once."""
    found: list[BaseException] = []
    ahead: list[BaseException | None] = [error]
    while ahead:
        one = ahead.pop()
        if one is None or any(one is other for other in found):
            continue
        found.append(one)
        ahead += (one.__cause__, None if one.__suppress_context__ else one.__context__)
        if isinstance(one, BaseExceptionGroup):
            ahead += one.exceptions
    return found
