"""The turns of a recorded conversation: from what the user asked to the last answer.

A message of the user begins a turn unless it stands amid one, behind results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agentsim.cassettes.conversations import Heard, RecordedConversation, Spoken
from agentsim.core import Message

__all__ = ["Turn", "media_in", "turns_of"]

_MEDIA = (
    *("audio", "container_upload", "document", "file", "image", "image_url"),
    *("input_audio", "input_file", "input_image", "search_result"),
)
"""Types of what the neutral form has no place for."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a conversation in which something was recorded.

    Attributes:
        number: Which turn of its conversation it is, 1-based.
        earlier: What was said before the task.
        spoken: The answers, the results and what the user said amid them.
        failed: Exchanges of the turn without a whole answer.
        after: Number of the last exchange before the turn; 0: there is none.
        before: Number of the first exchange behind the turn; None: there is none.
    """

    number: int
    earlier: tuple[Message, ...]
    task: Message
    spoken: tuple[Spoken, ...]
    failed: tuple[Heard, ...] = ()
    after: int = 0
    before: int | None = None

    @property
    def heard(self) -> tuple[Heard, ...]:
        """The exchanges with an answer, in order."""
        return tuple(one.heard for one in self.spoken if one.heard is not None)

    @property
    def replies(self) -> tuple[Spoken, ...]:
        """What the model said, recorded or found in later requests."""
        return tuple(one for one in self.spoken if one.message.role == "assistant")

    @property
    def results(self) -> dict[str, Message]:
        """Call -> its result, where that stands in a history."""
        return {
            one.message.tool_call_id or "": one.message
            for one in self.spoken
            if one.message.role == "tool"
        }

    @property
    def amid(self) -> tuple[Message, ...]:
        """What the user said amid the turn."""
        return tuple(one.message for one in self.spoken if one.message.role == "user")


def turns_of(conversation: RecordedConversation) -> tuple[Turn, ...]:
    """The turns of a conversation; those that were over before the recording are none."""
    spoken = conversation.spoken
    starts = list(_starts(spoken))
    turns = []
    ends = [*starts[1:], len(spoken)]
    for number, (start, end) in enumerate(zip(starts, ends, strict=False), 1):
        # What the user says twice in a row before the next answer is of the next turn.
        inner = _without_next(_replies_only(spoken[start + 1 : end]))
        if not any(one.heard for one in inner):
            continue
        wire = next(one.wire for one in inner if one.heard)
        earlier = in_order([_of_wire(one, wire).message for one in spoken[:start]])
        own = tuple(_of_wire(one, wire) for one in inner)
        turn = Turn(number, tuple(earlier), spoken[start].message, own)
        turns.append(_placed(turn, conversation))
    return tuple(turns)


def _of_wire(one: Spoken, wire: str) -> Spoken:
    """What was said, without blocks of another wire: a service knows only its own."""
    if one.wire == wire or not one.message.blocks:
        return one
    return replace(one, message=replace(one.message, blocks=()))


def in_order(messages: Sequence[Message]) -> list[Message]:
    """A history with the results of each answer in the order of its calls.

    Services take them in any order, and what judges an agent does not.
    """
    found: list[Message] = []
    places: dict[str | None, int] = {}
    for message in messages:
        if message.role != "tool":
            places = {call.id: n for n, call in enumerate(message.tool_calls)}
            found.append(message)
            continue
        at = len(found)
        while (
            at
            and found[at - 1].role == "tool"
            and _later(found[at - 1], message, places)
        ):
            at -= 1
        found.insert(at, message)
    return found


def _later(one: Message, other: Message, places: Mapping[str | None, int]) -> bool:
    """Whether a result is of a later call than another."""
    places_of = [places.get(m.tool_call_id, 0) for m in (one, other)]
    return places_of[0] > places_of[1]


def _starts(spoken: Sequence[Spoken]) -> Iterator[int]:
    """Where the tasks stand: the last message of the user before an answer."""
    before: Message | None = None
    for position, one in enumerate(spoken):
        message = one.message
        if message.role != "user":
            before = message
            continue
        follows = spoken[position + 1 : position + 2]
        if follows and follows[0].message.role == "user":
            continue
        if before is None or (before.role == "assistant" and not before.tool_calls):
            yield position


def _replies_only(spoken: Sequence[Spoken]) -> list[Spoken]:
    """A turn without texts of the model that stood before an answer, and were none.

    Such a text was put there for the model to go on from; a reply would end the turn.
    """
    pairs = zip(spoken, [*spoken[1:], None], strict=True)
    return [one for one, after in pairs if not _is_put(one, after)]


def _is_put(one: Spoken, after: Spoken | None) -> bool:
    said = one.message
    if one.heard is not None or said.role != "assistant" or said.tool_calls:
        return False
    return after is not None and after.message.role == "assistant"


def _without_next(spoken: Sequence[Spoken]) -> tuple[Spoken, ...]:
    end = len(spoken)
    while end and spoken[end - 1].message.role == "user":
        end -= 1
    return tuple(spoken[:end])


def _placed(turn: Turn, conversation: RecordedConversation) -> Turn:
    """The turn with where it stands among the exchanges, and with what failed in it."""
    first, last = turn.heard[0], turn.heard[-1]
    low, high = len(first.messages), len(last.messages) + 1
    numbers = [one.exchange.number for one in conversation.answered]
    earlier = [n for n in numbers if n < first.exchange.number]
    later = [n for n in numbers if n > last.exchange.number]
    return replace(
        turn,
        failed=tuple(
            one for one in conversation.failed if low <= len(one.messages) <= high
        ),
        after=max(earlier, default=0),
        before=min(later, default=None),
    )


def media_in(message: Message) -> list[str]:
    """What a message holds beside texts: the types, each once."""
    return list(dict.fromkeys(_media(list(message.blocks))))


def _media(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        kind = value.get("type")
        if kind in _MEDIA:
            yield str(kind)
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _media(part)
