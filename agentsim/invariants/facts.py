"""The index of a trace that all invariants share: read once, in one pass.

Only witnesses outside of the agent are read (design 2.7); of what a runtime says of
itself, just the announcements that exempt it: condensations, recovered calls and
replaced ids.
The index never fails, whatever the order or the numbers of the events: what does not
fit together is left unmatched, and the invariants say what they can.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from agentsim.core import (
    CallIdsReplaced,
    CallRecovered,
    CancelRequested,
    CondenseEnded,
    CondenseFailed,
    CondenseStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    Crashed,
    Declared,
    EffectApplied,
    Event,
    FaultStruck,
    MessageInjected,
    Outcome,
    RequestFailed,
    RequestSent,
    ResponseReceived,
    ResumeProbe,
    Returned,
    ToolEnded,
    ToolStarted,
)
from agentsim.invariants.aligning import align
from agentsim.invariants.conversing import conversation_of
from agentsim.invariants.flags import read_flags
from agentsim.invariants.matching import (
    explains,
    give_to_shown,
    is_smooth,
    reads_anew,
    served,
    settle,
)
from agentsim.invariants.settling import settle_conversations
from agentsim.invariants.subjects import Conversation, Life, Operation, Question, Turn
from agentsim.invariants.toolset import Toolset
from agentsim.trace import Header, Trace

__all__ = ["Facts"]


class Facts:
    """A trace, indexed.

    Attributes:
        tools: The tools on the list.
        rights: Those of each tool on the list.
        lives: Every incarnation, in order.
        recovered: Index and name of each announced recovery of a call (R8.5).
        failures: Index and event of each failed request.
        replaced: Announced pairs of a call's id as it came and the one in its place.
        injected: Index and event of each message that a user sent meanwhile.
        late: Index and event of each request, start of a tool and effect after the
            agent had returned; nothing else of them is read.
        probe: Index and event of the question whether the history left is accepted.
        stray_effects: Effects of operations that never started.
        memory: What several invariants need is worked out once and kept here.
    """

    def __init__(self, trace: Trace) -> None:
        self.header: Header = trace.header
        self.events = trace.events
        self.tools = Toolset.of(self.header.tools)
        self.rights = self.tools.rights
        self.lives: list[Life] = []
        self.questions: list[Question] = []
        self.faults: list[FaultStruck] = []
        self.failures: list[tuple[int, RequestFailed]] = []
        self.recovered: list[tuple[int, CallRecovered]] = []
        self.stray_effects: list[tuple[int, EffectApplied]] = []
        self.replaced: dict[tuple[str, str], int] = {}
        self.injected: list[tuple[int, MessageInjected]] = []
        self.late: list[tuple[int, Event]] = []
        self.probe: tuple[int, ResumeProbe] | None = None
        self.memory: dict[str, object] = {}
        _Reader(self).read()
        for life in self.lives:
            settle_conversations(life, self.header.prompt, self.rights)
            align(life)
            if len(life.conversations) > 1:
                give_to_shown(life)
            read_flags(life)
            for turn in life.turns:
                if turn.unsure or turn.questions:
                    settle(turn)
            life.smooth = is_smooth(life)


class _Reader:
    """Walks over the events once, and remembers what is open."""

    __slots__ = ("asked", "facts", "life", "returned", "running", "sent", "turn")

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.life: Life  # that of the latest event
        self.turn: Turn | None = None
        self.returned = False
        self.sent: dict[int, tuple[int, RequestSent, Conversation]] = {}
        self.running: dict[int, Operation] = {}
        self.asked: dict[int, Question] = {}

    def read(self) -> None:
        lives: dict[int, Life] = {}
        last: Event | None = None
        number: int | None = None
        take_of = _TAKE.get
        for at, event in enumerate(self.facts.events):
            kind = type(event)
            if event.who == "runtime" and kind not in _ANNOUNCEMENTS:
                continue
            if event.life != number:
                self._leave(last)
                number = event.life
                if number not in lives:
                    lives[number] = Life(number, event.at_ns)
                    self.facts.lives.append(lives[number])
                self.life = lives[number]
            last = event
            take = take_of(kind)
            if self.returned and kind in _WORK:
                self.facts.late.append((at, event))
            elif take is not None:
                take(self, at, event)
        self._leave(last)

    def _leave(self, last: Event | None) -> None:
        if last is not None:
            self.life.end_ns = last.at_ns

    def request(self, at: int, event: RequestSent) -> None:
        talk = conversation_of(self.life, event)
        sent = at, event
        talk.requests.append(sent)
        talk.unanswered += 1
        self.life.requests.append(sent)
        self.sent[event.number] = at, event, talk

    def response(self, at: int, event: ResponseReceived) -> None:
        sent = self.sent.pop(event.number, None)
        if sent is not None:
            request_at, request, talk = sent
            turn = self.turn = Turn(request_at, request, at, event)
            self.life.turns.append(turn)
            talk.turns.append(turn)
            talk.unanswered -= 1

    def failure(self, at: int, event: RequestFailed) -> None:
        sent = self.sent.pop(event.number, None)
        if sent is not None:
            sent[2].unanswered -= 1
        self.facts.failures.append((at, event))

    def start(self, at: int, event: ToolStarted) -> None:
        life = self.life
        turn = self.turn if len(life.conversations) < 2 else self.turn_of(event)
        operation = Operation(at, event, self.facts.rights.get(event.name))
        if life.in_flight:
            around = self._around(event)
            if event.inside in around and event.inside is not None:
                operation.outer = self.running[event.inside]
            flight = life.in_flight.items()
            operation.beside = [other for key, other in flight if key not in around]
        life.in_flight[event.operation] = operation
        life.operations.append(operation)
        self.running[event.operation] = operation
        if turn is not None and not life.requests and reads_anew(turn, operation):
            turn = None
        if turn is not None:
            operation.response_at = turn.response_at
            turn.operations.append(operation)
            asked = served(turn, event)
            if asked is not None:
                operation.wanted = True
                asked.operations.append(operation)

    def _around(self, event: ToolStarted) -> set[int]:
        """The operations whose own work a run is: a tool may run others."""
        found: set[int] = set()
        inside = event.inside
        while inside in self.running and inside not in found:
            found.add(inside)
            inside = self.running[inside].start.inside
        return found

    def end(self, at: int, event: ToolEnded) -> None:
        operation = self.running.get(event.operation)
        if operation is not None and operation.end is None:
            operation.end_at, operation.end = at, event
            self.life.in_flight.pop(event.operation, None)

    def effect(self, at: int, event: EffectApplied) -> None:
        operation = self.running.get(event.operation)
        if operation is None:
            self.facts.stray_effects.append((at, event))
        else:
            operation.effects.append(event)
            operation.effects_at.append(at)

    def ask(self, at: int, event: ConfirmationAsked) -> None:
        question = self.asked[event.question] = Question(at, event)
        self.facts.questions.append(question)
        alone = len(self.life.conversations) < 2
        turn = self.turn if alone else self.turn_of(event)
        if turn is not None:
            turn.questions.append(question)

    def turn_of(self, told: ToolStarted | ConfirmationAsked) -> Turn | None:
        """The response that a run or a question comes of.

        Of several conversations, that is the first that explains it among the latest of
        each: calls that are alike have their turns as they came.
        """
        talks = self.life.conversations
        latest = [talk.turns[-1] for talk in talks if talk.turns]
        latest.sort(key=attrgetter("response_at"))
        return next((turn for turn in latest if explains(turn, told)), self.turn)

    def answer(self, at: int, event: ConfirmationAnswered) -> None:
        question = self.asked.get(event.question)
        if question is not None and question.answer is None:
            question.answer_at, question.answer = at, event

    def declared(self, _at: int, event: Declared) -> None:
        self.life.start_ns = event.at_ns

    def condensed(self, at: int, _event: Event) -> None:
        self.life.condensed_at.append(at)

    def recovered(self, at: int, event: CallRecovered) -> None:
        self.facts.recovered.append((at, event))

    def replaced(self, at: int, event: CallIdsReplaced) -> None:
        self.facts.replaced |= dict.fromkeys(event.replaced, at)

    def injected(self, at: int, event: MessageInjected) -> None:
        self.facts.injected.append((at, event))

    def gone(self, _at: int, _event: Returned) -> None:
        self.returned = True

    def probe(self, at: int, event: ResumeProbe) -> None:
        self.facts.probe = at, event

    def fault(self, _at: int, event: FaultStruck) -> None:
        self.facts.faults.append(event)

    def cancel(self, at: int, _event: CancelRequested) -> None:
        if self.life.cancelled_at is None:
            self.life.cancelled_at = at

    def crash(self, _at: int, _event: Crashed) -> None:
        self.life.crashed = True

    def outcome(self, at: int, event: Outcome) -> None:
        life = self.life
        life.outcome_at, life.outcome, life.status = at, event, event.status


_TAKE: dict[type[Event], Any] = {
    RequestSent: _Reader.request,
    ResponseReceived: _Reader.response,
    RequestFailed: _Reader.failure,
    ToolStarted: _Reader.start,
    ToolEnded: _Reader.end,
    EffectApplied: _Reader.effect,
    ConfirmationAsked: _Reader.ask,
    ConfirmationAnswered: _Reader.answer,
    Declared: _Reader.declared,
    CondenseStarted: _Reader.condensed,
    CondenseEnded: _Reader.condensed,
    CondenseFailed: _Reader.condensed,
    CallRecovered: _Reader.recovered,
    CallIdsReplaced: _Reader.replaced,
    MessageInjected: _Reader.injected,
    Returned: _Reader.gone,
    ResumeProbe: _Reader.probe,
    FaultStruck: _Reader.fault,
    CancelRequested: _Reader.cancel,
    Crashed: _Reader.crash,
    Outcome: _Reader.outcome,
}

_ANNOUNCEMENTS = frozenset(
    (
        CondenseStarted,
        CondenseEnded,
        CondenseFailed,
        CallRecovered,
        CallIdsReplaced,
    )
)

_WORK = (RequestSent, ToolStarted, EffectApplied)
"""What no agent does any more once it returned."""
