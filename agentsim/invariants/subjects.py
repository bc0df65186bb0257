"""What an indexed trace consists of: lives, turns, calls, operations, questions."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import (
    ConfirmationAnswered,
    ConfirmationAsked,
    EffectApplied,
    Message,
    MessageView,
    Outcome,
    RequestSent,
    ResponseReceived,
    Rights,
    ToolCall,
    ToolEnded,
    ToolStarted,
)

__all__ = ["BLOCK", "Asked", "Life", "Operation", "Question", "Turn"]


BLOCK = "Error: loop detected"
"""How the result begins that a runtime gives in place of a repeated one (R5.2)."""


class Asked:
    """One call that the model asked for.

    Attributes:
        operations: The runs of the tool that serve it, in order; several after retries.
        result: The result that the model got, or None where none can be seen.
        declined: The question about it that a person declined, or None.
        guessed: Whether runs were repeated of which nothing tells whose they are.
    """

    __slots__ = ("call", "declined", "guessed", "operations", "result")

    def __init__(self, call: ToolCall) -> None:
        self.call = call
        self.operations: list[Operation] = []
        self.result: Message | None = None
        self.declined: Question | None = None
        self.guessed = False

    @property
    def blocked(self) -> bool:
        """Whether a block stands in place of its result."""
        result = self.result
        return (
            result is not None and result.is_error and result.content.startswith(BLOCK)
        )

    @property
    def last(self) -> Operation | None:
        """The last run of the tool for this call."""
        return self.operations[-1] if self.operations else None


class Turn:
    """A request with its response, and what became of them.

    Attributes:
        echo: The response as the next history has it, with ids replaced or not.
        consumed: Whether the run went on from this response; a response that is
            discarded and asked for again is not consumed (R7.1).
        shown_at: Index of the event whose history shows the results, or None.
        aligned: Whether that history extends the one of the request.
        unsure: Whether a run of a tool could have served another call as well.
    """

    __slots__ = (
        "aligned",
        "asked",
        "consumed",
        "echo",
        "operations",
        "questions",
        "request",
        "request_at",
        "response",
        "response_at",
        "shown_at",
        "unsure",
    )

    def __init__(
        self, request_at: int, request: RequestSent, at: int, response: ResponseReceived
    ) -> None:
        self.request_at = request_at
        self.request = request
        self.response_at = at
        self.response = response
        self.asked = [Asked(call) for call in response.message.tool_calls]
        self.operations: list[Operation] = []
        self.questions: list[Question] = []
        self.echo: Message | None = None
        self.consumed = True
        self.aligned = False
        self.shown_at: int | None = None
        self.unsure = False


class Operation:
    """One run of a tool at the boundary.

    Attributes:
        rights: Those of the tool, or None for a tool outside of the list.
        response_at: Index of the latest response before it, or None.
        wanted: Whether a call of that response explains it.
        beside: Operations that were in flight when it started.
    """

    __slots__ = (
        "beside",
        "effects",
        "effects_at",
        "end",
        "end_at",
        "response_at",
        "rights",
        "start",
        "start_at",
        "wanted",
    )

    def __init__(
        self, start_at: int, start: ToolStarted, rights: Rights | None
    ) -> None:
        self.start_at = start_at
        self.start = start
        self.rights = rights
        self.end_at: int | None = None
        self.end: ToolEnded | None = None
        self.response_at: int | None = None
        self.wanted = False
        self.beside: list[Operation] = []
        self.effects: list[EffectApplied] = []
        self.effects_at: list[int] = []

    @property
    def alone(self) -> bool:
        """Whether it must not overlap any other (R4.2)."""
        return self.rights is not None and not self.rights.parallel

    @property
    def writes(self) -> bool:
        """Whether the tool may change the world."""
        return self.rights is not None and not self.rights.read_only


class Question:
    """One question to a person, and the answer."""

    __slots__ = ("answer", "answer_at", "ask", "ask_at")

    def __init__(self, ask_at: int, ask: ConfirmationAsked) -> None:
        self.ask_at = ask_at
        self.ask = ask
        self.answer_at: int | None = None
        self.answer: ConfirmationAnswered | None = None

    @property
    def approved(self) -> bool:
        """Whether a person with an id approved (R1.10)."""
        return bool(
            self.answer is not None
            and self.answer.approved
            and self.answer.confirmed_by
        )


class Life:
    """One incarnation: what it asked, ran and left.

    Attributes:
        start_ns: When it began, or declared its limits.
        end_ns: When its last event was.
        beside: What entered the history between two requests beside the responses and
            the results behind them, with the index of the event that shows it.
        rewritten: Pairs of events whose histories do not extend one another.
        tidy: Whether all histories were seen to be in order on the way, so that the
            rules of a history need not be asked.
    """

    __slots__ = (
        "beside",
        "condensed_at",
        "crashed",
        "end_ns",
        "in_flight",
        "number",
        "operations",
        "outcome",
        "outcome_at",
        "requests",
        "rewritten",
        "start_ns",
        "tidy",
        "turns",
    )

    def __init__(self, number: int, start_ns: int) -> None:
        self.number = number
        self.start_ns = start_ns
        self.end_ns = start_ns
        self.requests: list[tuple[int, RequestSent]] = []
        self.turns: list[Turn] = []
        self.operations: list[Operation] = []
        self.in_flight: dict[int, Operation] = {}
        self.outcome_at: int | None = None
        self.outcome: Outcome | None = None
        self.condensed_at: list[int] = []
        self.crashed = False
        self.beside: list[tuple[int, Message]] = []
        self.rewritten: list[tuple[int, int]] = []
        self.tidy = True

    def views(self) -> Iterator[tuple[int, MessageView]]:
        """Every history that can be seen, in order, with the index of its event."""
        for at, request in self.requests:
            yield at, request.messages
        history = self.outcome.history if self.outcome is not None else None
        if history is not None and self.outcome_at is not None:
            yield self.outcome_at, history

    def condensed(self, start: int, stop: int | None) -> bool:
        """Whether a condensation was announced between two events."""
        return any(
            start < at and (stop is None or at < stop) for at in self.condensed_at
        )

    @property
    def consumed(self) -> list[Turn]:
        """The responses that the run went on from: its iterations."""
        return [turn for turn in self.turns if turn.consumed]

    @property
    def status(self) -> str | None:
        """The status it returned, where it gave one."""
        return self.outcome.status if self.outcome is not None else None
