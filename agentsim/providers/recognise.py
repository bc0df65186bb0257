"""Finds the replies of a script in a history (design 2.5, spec R3.13).

A counter of replies is wrong after a retry, a crash or an injection, so the history
decides which reply comes next. A message of the model counts as a reply when the ids of
its calls are the reply's, or, where a runtime gave them other ids, when its content is
that of the next reply, or of the only later one. A message that a fault has changed is
none, and the original still comes next.

Limits: a text is compared without the white space around it; a reply that leaves no
message in the history (an empty one that the runtime drops) is given again for ever;
after a condensation that lost the ids, a reply that several equal is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentsim.core import (
    InvalidArguments,
    Message,
    ToolCall,
    canonical_arguments,
    canonical_json,
    parse_arguments,
    parse_json,
)
from agentsim.providers.prepared import Prepared
from agentsim.providers.reply import Call, Reply, call_id
from agentsim.providers.script import Script

__all__ = ["ReplyFinder", "same_call"]

_DERIVED = re.compile(r"call_([1-9][0-9]{0,8})(?:_[1-9][0-9]{0,8})?(?:-r[0-9]+)?")


class ReplyFinder:
    """Reads a history once and knows the last scripted reply in it.

    Args:
        earlier: How many messages of the model at the start of the history are older
            than the script.
    """

    __slots__ = ("_earlier", "_given", "_ids", "_script", "_skip", "last")

    def __init__(self, script: Script, *, earlier: int = 0) -> None:
        self._script = script
        self._earlier = earlier
        self._given: dict[int, list[Reply]] = {}
        self.restart()

    def begin(self, earlier: int) -> None:
        """Begin anew, behind so many messages of the model."""
        self._earlier = earlier
        self.restart()

    def restart(self) -> None:
        """Forget the history, but not which replies were made on the way."""
        self.last = -1
        self._skip = self._earlier
        self._ids: set[str] = set()

    def feed(self, message: Message) -> None:
        """Read the next message of the history."""
        if message.role != "assistant":
            return
        for call in message.tool_calls:
            self._ids.add(call.id)
        if self._skip:
            self._skip -= 1
            return
        expected = self._script.prepared(self.last + 1)
        if expected is not None and (
            message is expected.message or message == expected.message
        ):
            self.last += 1
            return
        found = self._by_ids(message)
        if found is None:
            found = self._by_content(message)
        if found is not None and found > self.last:
            self.last = found

    def remember(self, index: int, reply: Reply) -> Prepared:
        """Keep a reply that a rule made for this index, and make it ready to send."""
        made = self._given.setdefault(index, [])
        if reply not in made:
            made.append(reply)
        return Prepared(reply, index)

    def message_of(self, prepared: Prepared) -> Message:
        """The message to send, with ids that the history does not have yet.

        An id stands there already when a fault changed this reply under way and the
        runtime kept what came. Ids that the script gives are left as they are.
        """
        if self._ids.isdisjoint(prepared.derived):
            return prepared.message
        return prepared.renumbered(self._ids)

    def _by_ids(self, message: Message) -> int | None:
        """The reply whose ids the calls have; None for none, or for changed calls."""
        found = None
        for call in message.tool_calls:
            claims = list(self._claims(call))
            if not claims:
                continue
            fitting = [index for index, same in claims if same]
            if not fitting:
                return None
            index = next((at for at in fitting if at > self.last), fitting[-1])
            found = index if found is None else max(found, index)
        return found

    def _claims(self, call: ToolCall) -> Iterator[tuple[int, bool]]:
        """Each reply with a call of this id, and whether it is the same call."""
        for index, asked in self._script.calls_with_id(call.id):
            yield index, same_call(asked, call)
        derived = _DERIVED.fullmatch(call.id)
        if derived is None:
            return
        index = int(derived[1]) - 1
        made = self._script.at(index)
        if made is None:
            return
        known = self._known(index)
        if not known and not isinstance(made, Reply):
            yield index, True  # made in another process: the id is all that is left
        own = call.id.split("-r")[0]
        for reply in known:
            count = len(reply.calls)
            for number, asked in enumerate(reply.calls):
                if asked.id is None and call_id(index, number, of=count) == own:
                    yield index, same_call(asked, call)

    def _by_content(self, message: Message) -> int | None:
        following = self.last + 1
        for reply in self._known(following):
            if _same_content(reply, message):
                return following
        return self._script.only_later(_as_reply(message), after=self.last)

    def _known(self, index: int) -> Sequence[Reply]:
        made = self._script.at(index)
        return (made,) if isinstance(made, Reply) else self._given.get(index, ())


def same_call(asked: Call, call: ToolCall) -> bool:
    """Whether a call in a history is the one asked for, written anew or not.

    A wire that can't carry invalid JSON sends `{}` in its place (R1.2), and of a key
    that stands twice the last value.
    """
    if asked.name != call.name:
        return False
    if asked.arguments == call.arguments:
        return True
    seen = canonical_arguments(call.arguments)
    if canonical_arguments(asked.arguments) == seen:
        return True
    return not _valid(asked.arguments) and seen in ("{}", _carried(asked.arguments))


def _valid(arguments: str) -> bool:
    try:
        parse_arguments(arguments)
    except InvalidArguments:
        return False
    return True


def _carried(arguments: str) -> str:
    """What a wire that has objects carries of arguments with a key that stands twice."""
    try:
        return canonical_json(parse_json(arguments, unique_keys=False))
    except InvalidArguments:
        return "{}"


def _same_content(reply: Reply, message: Message) -> bool:
    if len(reply.calls) != len(message.tool_calls):
        return False
    if reply.calls:
        pairs = zip(reply.calls, message.tool_calls, strict=True)
        return all(same_call(asked, call) for asked, call in pairs)
    return reply.text.strip() == message.content.strip()


def _as_reply(message: Message) -> Reply:
    calls = tuple(Call(call.name, call.arguments) for call in message.tool_calls)
    return Reply(message.content, calls)
