"""The rules of a history, applied to what a reader made of a wire body.

Enforced is what the services are known to refuse; the order of results and the place of
system messages are not. See `core.HistoryRules` for the rules themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from agentsim.core import Breach, HistoryRules, Rule
from agentsim.providers.transcripts.reading import (
    Entry,
    Path,
    Reading,
    WireBreach,
    WireNote,
    path_text,
    printable,
)
from agentsim.providers.transcripts.results import TranscriptWire

RULES_OF_WIRE: dict[TranscriptWire, Callable[[], HistoryRules]] = {
    "openai-chat": lambda: HistoryRules(unique_over="response"),
    "openai-responses": lambda: HistoryRules(results="anywhere"),
    "anthropic-messages": HistoryRules,
    "unclear": HistoryRules,
}

CALL_RULES: tuple[Rule, ...] = ("unanswered", "duplicate-id", "missing-id")
"""Rules whose breach is shown at the call, not where the history noticed it."""


@dataclass(slots=True)
class Judgement:
    """What was found in one history."""

    breaches: list[WireBreach] = field(default_factory=list)
    notes: list[WireNote] = field(default_factory=list)
    calls: int = 0


def judge(
    reading: Reading,
    wire: TranscriptWire,
    *,
    request: bool,
    answer: Iterable[Entry] = (),
    told: Callable[[Path], str] = path_text,
) -> Judgement:
    """Judge one history.

    Args:
        request: Whether the history was sent as it is: calls that are open at its end
            are then a breach, and a note if not.
        answer: What the service replied: only the ids of its calls are judged.
        told: How a place is called in what is said of another one.
    """
    found = Judgement(breaches=list(reading.breaches), notes=list(reading.notes))
    if reading.held is not None:
        words = f"the service holds a part of the history ({reading.held.name})"
        found.notes.append(WireNote((), words))
    run = _Run(reading, found, told)
    client = [(n, e) for n, e in enumerate(reading.entries) if not e.server_side]
    rules = RULES_OF_WIRE[wire]()
    run.history(rules, client)
    for breach in rules.close():
        run.open_at_end(breach, client, request=request)
    run.answer(rules, client, list(answer))
    server = [(n, e) for n, e in enumerate(reading.entries) if e.server_side]
    run.history(HistoryRules(results="anywhere"), server)
    found.breaches.sort(key=lambda breach: _sortable(breach.at))
    return found


Numbered = list[tuple[int, Entry]]


class _Run:
    def __init__(
        self, reading: Reading, found: Judgement, told: Callable[[Path], str]
    ) -> None:
        self._told = told
        self._held = reading.held
        self._found = found

    def history(self, rules: HistoryRules, entries: Numbered) -> None:
        for number, entry in entries:
            for breach in rules.feed(entry.message):
                if breach.rule == "order":
                    continue
                if breach.rule == "role" and entry.message.role == "system":
                    continue
                if breach.rule == "orphan" and self._is_held(number):
                    self._note_held(entry)
                    continue
                self._add(breach, entries)
            if not entry.server_side:
                self._found.calls += len(entry.message.tool_calls)

    def open_at_end(self, breach: Breach, entries: Numbered, *, request: bool) -> None:
        if self._held is not None and self._held.results:
            at = _place(breach, entries)
            words = f"the result of {breach.call_id} may be in the {self._held.name}"
            self._found.notes.append(WireNote(at, printable(words)))
        elif request or _went_on(breach, entries):
            self._add(breach, entries)
        else:
            words = f"the conversation ends before the result of {breach.call_id}"
            at = _place(breach, entries)
            self._found.notes.append(WireNote(at, printable(words)))

    def answer(
        self, rules: HistoryRules, entries: Numbered, answer: list[Entry]
    ) -> None:
        whole = entries + [(-1, entry) for entry in answer if not entry.server_side]
        for _, entry in whole[len(entries) :]:
            for breach in rules.feed(entry.message):
                if breach.rule in ("duplicate-id", "missing-id"):
                    self._add(breach, whole)
            self._found.calls += len(entry.message.tool_calls)

    def _is_held(self, number: int) -> bool:
        held = self._held
        return held is not None and (held.entries is None or number < held.entries)

    def _note_held(self, entry: Entry) -> None:
        assert self._held is not None
        call_id = entry.message.tool_call_id
        words = f"the call that {call_id} answers may be in the {self._held.name}"
        self._found.notes.append(WireNote(entry.at, printable(words)))

    def _add(self, breach: Breach, entries: Numbered) -> None:
        words = breach.words
        if breach.rule == "unanswered":
            due = breach.position
            words += (
                f"; it was due before {self._told(entries[due][1].at)}"
                if due < len(entries)
                else "; the history ends without it"
            )
        at = _place(breach, entries)
        self._found.breaches.append(WireBreach(breach.rule, at, printable(words)))


def _went_on(breach: Breach, entries: Numbered) -> bool:
    """Whether a message stands behind a call that has no result.

    Possible only where results may come anywhere: calls and items of built-in tools
    may belong to the response that asked, a message shows that the loop went on.
    """
    after = entries[(breach.asked_at or 0) + 1 :]
    return any(
        entry.message.role != "tool"
        and not entry.message.tool_calls
        and not entry.message.blocks
        for _, entry in after
    )


def _place(breach: Breach, entries: Numbered) -> Path:
    """Where a breach is shown: at its call where it is about one, else at its message."""
    if breach.rule in CALL_RULES and breach.call_number is not None:
        asked = breach.position if breach.asked_at is None else breach.asked_at
        return entries[asked][1].calls_at[breach.call_number]
    return entries[breach.position][1].at


def _sortable(path: Path) -> tuple[tuple[int, int, str], ...]:
    return tuple(
        (0, part, "") if isinstance(part, int) else (1, 0, part) for part in path
    )
