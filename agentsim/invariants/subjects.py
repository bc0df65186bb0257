"""What an indexed trace consists of: lives, turns, calls, operations, questions."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import (
    FINAL_REASONS,
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

__all__ = ["BLOCK", "Asked", "Conversation", "Life", "Operation", "Question", "Turn"]


DEGENERATE_LENGTH = 256
"""From this length on a response may be a degenerate stream (R8.4)."""

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
        last: Whether it is the last one of its conversation.
        unsure: Whether a run of a tool could have served another call as well.
    """

    __slots__ = (
        "aligned",
        "asked",
        "consumed",
        "echo",
        "last",
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
        self.last = False
        self.unsure = False

    @property
    def incomplete(self) -> bool:
        """Whether the response is no whole answer, so that it may be asked for anew (R7.1).

        It is empty, or may be degenerate; it was cut; or nothing says that it is whole.
        """
        message, reason = self.response.message, self.response.stop_reason
        if not (message.content.strip() or message.tool_calls or message.blocks):
            return True
        if len(message.content) >= DEGENERATE_LENGTH:
            return True
        if reason == "tool_use" and not message.tool_calls:
            return True
        return reason not in ("tool_use", "pause_turn", *FINAL_REASONS)


class Operation:
    """One run of a tool at the boundary.

    Attributes:
        rights: Those of the tool, or None for a tool outside of the list.
        response_at: Index of the latest response before it, or None.
        wanted: Whether a call of that response explains it.
        beside: Operations that were in flight when it started, but those that run it.
        outer: The operation that runs it as a part of its own work, or None.
    """

    __slots__ = (
        "beside",
        "effects",
        "effects_at",
        "end",
        "end_at",
        "outer",
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
        self.outer: Operation | None = None
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


class Conversation:
    """Requests of a life that go on from one another, and their responses.

    Attributes:
        unanswered: How many of its requests have neither a response nor an error yet.
        grows: Whether each of its histories was seen to extend the one before it.
        body: The last request behind its prompt, and of how many requests it was the last.
        copied: Whether it began with a copy of what was said in another one.
    """

    __slots__ = ("body", "copied", "grows", "requests", "turns", "unanswered")

    def __init__(self) -> None:
        self.requests: list[tuple[int, RequestSent]] = []
        self.turns: list[Turn] = []
        self.unanswered = 0
        self.grows = True
        self.body: tuple[int, MessageView] | None = None
        self.copied = False

    @property
    def first(self) -> RequestSent:
        """The first request."""
        return self.requests[0][1]

    @property
    def last(self) -> RequestSent:
        """The last request."""
        return self.requests[-1][1]

    @property
    def answered(self) -> bool:
        """Whether the last request has its response."""
        last = self.turns[-1] if self.turns else None
        return last is not None and last.request_at == self.requests[-1][0]

    @property
    def finished(self) -> bool:
        """Whether the last request has its response, and that is a final answer."""
        last = self.turns[-1].response if self.answered else None
        return (
            last is not None
            and last.stop_reason in FINAL_REASONS
            and not last.message.tool_calls
        )


class Life:
    """One incarnation: what it asked, ran and left.

    Attributes:
        conversations: Its requests and responses, as they go on from one another.
        main: The conversation of which its outcome tells.
        main_known: Whether that is sure: the life was not cut off before it began.
        start_ns: When it began, or declared its limits.
        end_ns: When its last event was.
        beside: What entered the history between two requests beside the responses and
            the results behind them, with the index of the event that shows it.
        rewritten: Pairs of events whose histories do not extend one another.
        tidy: Whether all histories were seen to be in order on the way, so that the
            rules of a history need not be asked.
        smooth: Whether each call ran once and as it was asked, each run is one of those,
            ended well, and its output is literally the result; so in most runs.
        status: The status it returned, where it gave one.
        cancelled_at: Index of the event that cancelled it from outside, or None.
    """

    __slots__ = (
        "beside",
        "cancelled_at",
        "condensed_at",
        "conversations",
        "crashed",
        "end_ns",
        "in_flight",
        "main",
        "main_known",
        "number",
        "operations",
        "outcome",
        "outcome_at",
        "requests",
        "rewritten",
        "smooth",
        "start_ns",
        "status",
        "tidy",
        "turns",
    )

    def __init__(self, number: int, start_ns: int) -> None:
        self.number = number
        self.start_ns = start_ns
        self.end_ns = start_ns
        self.requests: list[tuple[int, RequestSent]] = []
        self.turns: list[Turn] = []
        self.conversations: list[Conversation] = []
        self.main = Conversation()
        self.main_known = True
        self.operations: list[Operation] = []
        self.in_flight: dict[int, Operation] = {}
        self.outcome_at: int | None = None
        self.outcome: Outcome | None = None
        self.condensed_at: list[int] = []
        self.crashed = False
        self.beside: list[tuple[int, Message]] = []
        self.rewritten: list[tuple[int, int]] = []
        self.tidy = True
        self.smooth = False
        self.status: str | None = None
        self.cancelled_at: int | None = None

    def views(self, talk: Conversation) -> Iterator[tuple[int, MessageView]]:
        """Every history of a conversation that can be seen, with the index of its event.

        Of the main one, that is the outcome's too, at the end.
        """
        for at, request in talk.requests:
            yield at, request.messages
        history = self.outcome.history if self.outcome is not None else None
        if talk is self.main and history is not None and self.outcome_at is not None:
            yield self.outcome_at, history

    def conversation_at(self, at: int) -> Conversation:
        """The conversation of a request, by the index of its event; else the main one."""
        for talk in self.conversations:
            if any(sent == at for sent, _request in talk.requests):
                return talk
        return self.main

    def condensed(self, start: int, stop: int | None) -> bool:
        """Whether a condensation was announced between two events."""
        return any(
            start < at and (stop is None or at < stop) for at in self.condensed_at
        )

    @property
    def consumed(self) -> list[Turn]:
        """The responses that the run went on from: its iterations, of the main one."""
        return [turn for turn in self.main.turns if turn.consumed]
