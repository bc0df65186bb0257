"""The scripted model: the successor of the last reply in the history (spec T3.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from agentsim.core import (
    Carried,
    MessageView,
    ProviderError,
    Request,
    Response,
    StreamFault,
    UnscriptedRequest,
    count_words,
    tokens_of,
)
from agentsim.providers.caching import PromptCache
from agentsim.providers.cursor import Cursor, as_view
from agentsim.providers.entries import Pick
from agentsim.providers.recognise import ReplyFinder
from agentsim.providers.reply import Reply
from agentsim.providers.script import Script
from agentsim.providers.words import message_words

__all__ = ["Answer", "Choose", "Model", "ScriptedModel"]

Choose = Callable[[str, Sequence[str]], int]
"""Draws one choice: a label and the names of the options; 0 is the dull one."""

LATENCY_S = 1.0

MESSAGES_SHOWN = 4

REPLIES_SHOWN = 8


def _dull(_label: str, _options: Sequence[str]) -> int:
    return 0


@dataclass(slots=True)
class Answer:
    """What becomes of one request, known when it is sent; to change it, copy it.

    Attributes:
        index: That of the scripted reply it is, or None when it is none.
        latency_s: Virtual seconds until it is due.
        error: What comes in place of the response, or breaks off its stream.
        fault: What goes wrong with a streamed answer; None for nothing.
        carried: How the answer comes: whole, in pieces of the neutral form, or as the
            bytes of a stream.
    """

    response: Response
    index: int | None = None
    latency_s: float = LATENCY_S
    error: ProviderError | None = field(default=None, kw_only=True)
    fault: StreamFault | None = field(default=None, kw_only=True)
    carried: Carried = field(default="whole", kw_only=True)


class Model(Protocol):
    """What a fake service asks for its answers."""

    def answer(self, request: Request, *, choose: Choose, latency_s: float) -> Answer:
        """Answer one request.

        Args:
            choose: Draws what is left to chance.
            latency_s: For an answer that has no latency of its own.
        """


class ScriptedModel:
    """Answers from a script, by what stands in the request's history.

    One model serves one run over all its incarnations. Usage that a reply leaves to
    the service is four characters to a token, and not marked as an estimate; of a long
    prompt what the request before had too is read from the cache.

    Args:
        earlier: How many messages of the model stood in the history before the script
            began: those of a conversation that this run continues. None: as many as the
            first request holds.
    """

    __slots__ = ("_begun", "_cache", "_cursor", "_finder", "_given", "script")

    def __init__(self, script: Script, *, earlier: int | None = 0) -> None:
        self.script = script
        self._cache = PromptCache()
        self._cursor = Cursor()
        self._finder = ReplyFinder(script, earlier=earlier or 0)
        self._begun = earlier is not None
        self._given: set[int] = set()

    def answer(
        self,
        request: Request,
        *,
        choose: Choose = _dull,
        latency_s: float = LATENCY_S,
    ) -> Answer:
        """Give the reply that comes next.

        Raises:
            UnscriptedRequest: when the script has run out.
            UsageError: when a function of the script raises, or returns no reply.
        """
        view = as_view(request.messages)
        index = self._read(view) + 1
        prepared = self.script.prepared(index)
        if prepared is None:
            reply = self._made(index, request, choose)
            prepared = self._finder.remember(index, reply)
        reply = prepared.reply
        self._given.add(index)
        message, usage = self._finder.message_of(prepared), reply.usage
        if usage == "counted":
            cached = self._cache.read(request, view)
            response = prepared.counted(tokens_of(view.characters), cached)
            if message is not prepared.message:
                response = replace(response, message=message)
        else:
            response = Response(message, prepared.reason, usage, reply.refusal)
        own = reply.latency_s
        return Answer(response, index, latency_s if own is None else own)

    def unused_indexes(self) -> tuple[int, ...]:
        """Indexes of the replies that were never given; endless entries never count."""
        finite = len(self.script) - self.script.endless
        return tuple(index for index in range(finite) if index not in self._given)

    def unused(self) -> str | None:
        """The error sentence for a script that was not used up, or None."""
        unused = self.unused_indexes()
        if not unused:
            return None
        shown = [f"{i + 1} ({self.script[i].words})" for i in unused[:REPLIES_SHOWN]]
        if len(unused) > REPLIES_SHOWN:
            shown.append(f"{len(unused) - REPLIES_SHOWN} more")
        given = len(self.script) - self.script.endless - len(unused)
        return (
            f"the script was not used up: the agent was given {given} of "
            f"{count_words(given + len(unused), 'reply')} and never asked for "
            f"{', '.join(shown)}; take them out of the script, or find out why the "
            "agent ended early"
        )

    def _read(self, view: MessageView) -> int:
        """Read what is new in the history; return the index of its last reply."""
        if not self._begun:
            # No reply was given yet: what the model said so far is older than the script.
            self._begun = True
            self._finder.begin(sum(message.role == "assistant" for message in view))
        finder = self._finder
        start = self._cursor.advance(view)
        if start == 0:
            finder.restart()
        for message in view.since(start):
            finder.feed(message)
        return finder.last

    def _made(self, index: int, request: Request, choose: Choose) -> Reply:
        made = self.script.at(index)
        if made is None:
            raise UnscriptedRequest(_ran_out(self.script, as_view(request.messages)))
        assert not isinstance(made, Reply)
        if isinstance(made, Pick):
            return made.reply(index - len(self.script) + 1, choose)
        return made.reply(request)


def _ran_out(script: Script, view: MessageView) -> str:
    held = len(script)
    said = (
        f"the script ran out: the agent asked for reply {held + 1} and the script "
        f"holds {count_words(held, 'reply')}; add one for this request, or end the "
        "script with forever(...)"
    )
    lines = [said, "  the request ended with:"]
    if len(view) > MESSAGES_SHOWN:
        lines.append(
            f"    ({count_words(len(view) - MESSAGES_SHOWN, 'message')} before)"
        )
    lines += [f"    {message_words(message)}" for message in view[-MESSAGES_SHOWN:]]
    if held:
        lines.append("  the script holds:")
        first = max(0, held - REPLIES_SHOWN)
        if first:
            lines.append(f"    ({count_words(first, 'reply')} before)")
        lines += [f"    {n + 1}: {script[n].words}" for n in range(first, held)]
    return "\n".join(lines)
