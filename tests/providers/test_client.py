"""The neutral client: what is recorded, when, and what the agent gets."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    Client,
    Delta,
    DeltaReceived,
    History,
    Message,
    ProviderError,
    Request,
    RequestFailed,
    RequestSent,
    Response,
    ResponseReceived,
    StreamFault,
    StreamKind,
    StreamPlace,
    UnscriptedRequest,
    UsageError,
    assistant,
    user,
)
from agentsim.providers import (
    AlterAnswer,
    Answer,
    DeltaStream,
    Entry,
    Reply,
    Script,
    ScriptedClient,
    ScriptedModel,
    by,
    call,
    pick,
    say,
    together,
)
from tests.providers.fakes import FakeBoundary, request, results, scripts, start

BUSY = ProviderError("busy", status=529, kind="overloaded_error")
LOST = ProviderError("reset", status=None, kind="connection_error", definite=False)


class Setting:
    """A client over a fake boundary, and ways to ask it."""

    def __init__(self, entries: Sequence[Entry], **options: Any) -> None:
        self.boundary = FakeBoundary()
        self.model = ScriptedModel(Script(entries))
        self.client = ScriptedClient(self.boundary, self.model, **options)

    def ask(self, messages: Sequence[Message] | None = None) -> Response:
        asked = request(start() if messages is None else messages)
        return asyncio.run(self.client.complete(asked))

    def stream(self, take: int | None = None) -> list[Delta]:
        """Take so many pieces of a streamed answer, then close it."""
        taken: list[Delta] = []

        async def run() -> None:
            async with contextlib.aclosing(
                self.client.stream(request(start()))
            ) as all_:
                if take == 0:
                    return
                async for delta in all_:
                    taken.append(delta)
                    if len(taken) == take:
                        return

        asyncio.run(run())
        return taken

    def get(self, *, streamed: bool) -> None:
        """Take an answer, whole or in pieces."""
        if streamed:
            self.stream()
        else:
            self.ask()

    def kinds(self) -> list[str]:
        return [event.kind for event in self.boundary.events]


def test_it_is_a_client() -> None:
    """The scripted client has the two operations that a runtime asks for."""
    client: Client = Setting([]).client
    assert client is not None


@settings(max_examples=15)
@given(scripts(), st.booleans())
def test_each_request_is_recorded_with_its_answer(
    replies: list[Reply], own_list: bool
) -> None:
    """The trace holds each request as it was sent, numbered, and then its reply."""
    setting = Setting(replies)
    history: list[Message] = start()
    runtime = History(start())
    sent: list[list[Message]] = []
    for _ in replies:
        sent.append(list(history))
        with contextlib.suppress(ProviderError):
            response = setting.ask(history if own_list else runtime.view())
            for one in [response.message, *results(response.message)]:
                history.append(one)  # in place, as careless runtimes do
                runtime.append(one)
    asked = [one for one in setting.boundary.events if isinstance(one, RequestSent)]
    assert [list(event.messages) for event in asked] == sent
    assert [event.number for event in asked] == list(range(1, len(sent) + 1))
    received = [
        one for one in setting.boundary.events if isinstance(one, ResponseReceived)
    ]
    assert [event.reply for event in received] == list(range(len(received)))


def test_views_of_a_runtime_are_kept_as_they_are() -> None:
    """A request that is a view is recorded as that view, without a copy."""
    setting = Setting([say("Done.")])
    view = History(start()).view()
    setting.ask(view)
    sent = setting.boundary.events[0]
    assert isinstance(sent, RequestSent)
    assert sent.messages is view


def test_all_fields_of_a_request_and_its_answer_are_recorded() -> None:
    """Nothing that was sent or received is left out of the trace."""
    setting = Setting([call("a").but(text="Look.", latency_s=3.0)])
    asked = request(start(), model="other", temperature=1.0, max_tokens=9)
    response = asyncio.run(setting.client.complete(asked))
    assert setting.boundary.events == [
        RequestSent(1, "other", History(start()).view(), tuple(asked.tools), 1.0, 9),
        ResponseReceived(1, response.message, "tool_use", response.usage, 0),
    ]
    assert setting.boundary.gates == [("model", 3.0)]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_refused_request_takes_no_reply(streamed: bool) -> None:
    """A bad history gets status 400 after the gate, its rule is in the trace."""
    setting = Setting([say("Done.")], latency_s=0.25)
    asked = request([*start(), assistant(" ")])

    async def run() -> None:
        if not streamed:
            await setting.client.complete(asked)
        else:
            async for _ in setting.client.stream(asked):
                raise AssertionError

    with pytest.raises(ProviderError, match=r"messages\[2\]"):
        asyncio.run(run())
    failed = setting.boundary.events[-1]
    assert failed == RequestFailed(
        1,
        400,
        "invalid_request_error",
        "messages[2]: the message of the model is empty",
        "empty-assistant",
    )
    assert setting.boundary.gates == [("model", 0.25)]
    assert setting.model.unused_indexes() == (0,)


def test_a_lenient_client_answers_anything() -> None:
    """Without strictness a broken history gets its reply."""
    setting = Setting([say("Done.")], strict=False)
    assert setting.ask([assistant("")]).message == assistant("Done.")


@settings(max_examples=15)
@given(st.text(max_size=900), st.integers(0, 2))
def test_a_streamed_answer_is_the_plain_one_in_pieces(text: str, calls: int) -> None:
    """The pieces make up the text and the calls, and the last is the whole response."""
    reply = say(text)
    if calls:
        reply = together(*[call("check_disk")] * calls).but(text=text)
    setting = Setting([reply])
    *pieces, last = setting.stream()
    plain = Setting([reply])
    response = plain.ask()
    assert last == Delta(response=response)
    assert "".join(piece.text for piece in pieces) == text
    assert tuple(p.call for p in pieces if p.call) == response.message.tool_calls
    assert len(pieces) <= 32 + calls
    events = setting.boundary.events
    deltas = [event for event in events if isinstance(event, DeltaReceived)]
    assert "".join(delta.text for delta in deltas) == text
    assert [e for e in events if not isinstance(e, DeltaReceived)] == (
        plain.boundary.events
    )


@pytest.mark.parametrize("take", [0, 1, 2, 3])
def test_a_stream_closed_early_has_received_nothing(take: int) -> None:
    """Only who takes the last piece has received the response."""
    setting = Setting([say("A text of two pieces.")])
    assert len(setting.stream(take)) == take
    expected = ["request", *["delta"] * min(take, 2), *["response"] * (take == 3)]
    assert setting.kinds() == (expected if take else [])


@pytest.mark.parametrize("streamed", [False, True])
def test_a_request_cancelled_at_its_gate_has_received_nothing(streamed: bool) -> None:
    """A task that is cancelled while it waits records no answer and no failure."""
    setting = Setting([say("Done.")])

    async def cancel_here() -> None:
        raise asyncio.CancelledError

    setting.boundary.on_gate = cancel_here
    with pytest.raises(asyncio.CancelledError):
        setting.get(streamed=streamed)
    assert setting.kinds() == ["request"]
    setting.boundary.on_gate = None
    assert setting.ask().message == assistant("Done.")


def test_a_stream_is_over_after_an_error_or_its_end() -> None:
    """Who goes on asking a stream that ended sends no second request."""
    setting = Setting([say("Done.")])

    async def run(stream: DeltaStream) -> list[Delta]:
        with contextlib.suppress(ProviderError):
            async for _ in stream:
                pass
        return [delta async for delta in stream]

    for messages in (start(), []):
        assert asyncio.run(run(setting.client.stream(request(messages)))) == []
    assert setting.kinds().count("request") == 2


def test_faults_change_answers_and_use_up_no_reply() -> None:
    """A changed answer is recorded as none of the script; the original comes next."""
    kept: list[Request] = []

    def tamper(asked: Request, answer: Answer) -> Answer:
        kept.append(asked)
        if len(kept) > 1:
            return answer
        garbled = replace(answer.response, message=assistant("garbled"))
        return replace(answer, response=garbled, index=None, latency_s=9.0)

    setting = Setting([call("check_disk"), say("Done.")], tamper=tamper)
    first = setting.ask().message
    second = setting.ask([*start(), first, user("Again.")]).message
    assert (first, second.tool_calls[0].name) == (assistant("garbled"), "check_disk")
    received = setting.boundary.events[1::2]
    assert [getattr(event, "reply", "?") for event in received] == [None, 0]
    assert setting.boundary.gates == [("model", 9.0), ("model", 1.0)]
    assert list(kept[0].messages) == start()


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("error", [BUSY, LOST])
@pytest.mark.parametrize("raised", [False, True])
def test_an_error_in_place_of_an_answer_is_recorded_and_raised(
    streamed: bool, error: ProviderError, raised: bool
) -> None:
    """A fault may raise, or set, the service's error; the agent gets it at the gate."""

    def tamper(_asked: Request, answer: Answer) -> Answer:
        if raised:
            raise error
        return replace(answer, error=error, latency_s=30.0)

    setting = Setting([say("Done.", latency_s=2.0)], tamper=tamper)
    with pytest.raises(ProviderError) as caught:
        setting.get(streamed=streamed)
    assert caught.value is error
    assert setting.boundary.events[1:] == [
        RequestFailed(1, error.status, error.kind, str(error), definite=error.definite)
    ]
    assert setting.boundary.gates == [("model", 2.0 if raised else 30.0)]


def spoiling(fault: StreamFault, error: ProviderError | None = None) -> AlterAnswer:
    """Let one fault strike every answer."""

    def tamper(_asked: Request, answer: Answer) -> Answer:
        return replace(answer, error=error, fault=fault)

    return tamper


@pytest.mark.parametrize("at", [0, 1, 2, 3, 9])
@pytest.mark.parametrize("kind", ["ends", "cut", "error"])
def test_a_stream_breaks_off_where_a_fault_says(at: int, kind: StreamKind) -> None:
    """So many pieces come, then the error or just the end; the failure is recorded."""
    reply = call("check_disk").but(text="A text of two pieces.")
    error = BUSY if kind == "error" else None
    setting = Setting([reply], tamper=spoiling(StreamFault(kind, at), error))
    if kind == "ends":
        assert len(setting.stream()) == min(at, 3)
    else:
        with pytest.raises(ProviderError) as caught:
            setting.stream()
        told = "overloaded_error" if kind == "error" else "connection_error"
        assert caught.value.kind == told
    assert setting.kinds() == ["request", *["delta"] * min(at, 2), "request_failed"]


@pytest.mark.parametrize(
    ("at", "count"), [("middle", 2), ("end", 3), (None, 2), (17, 1), (99, 3)]
)
def test_a_stream_is_cut_at_a_place_or_a_byte(
    at: int | StreamPlace | None, count: int
) -> None:
    """A piece comes when all bytes of its text do."""
    reply = call("check_disk").but(text="A täxt of two pieces.")
    kind: StreamKind = "cut_bytes" if isinstance(at, int) else "cut"
    setting = Setting([reply], tamper=spoiling(StreamFault(kind, at)))
    with pytest.raises(ProviderError):
        setting.stream()
    assert setting.kinds().count("delta") == min(count, 2)


def test_a_stalled_stream_never_goes_on() -> None:
    """It waits for what is not due: a deadline of the agent's own is all that helps."""
    setting = Setting([say("Hi.")], tamper=spoiling(StreamFault("stalls", 1)))
    assert setting.stream(take=1) == [Delta(text="Hi.")]
    setting.stream(take=2)
    assert setting.boundary.gates[-1] == ("model", math.inf)


def test_a_doubled_piece_comes_twice_and_the_answer_is_what_it_was() -> None:
    """Who trusts the last piece is not harmed."""
    setting = Setting([say("Hi.")], tamper=spoiling(StreamFault("doubled")))
    *pieces, last = setting.stream()
    assert pieces == [Delta(text="Hi.")] * 2
    assert last.response is not None
    assert last.response.message.content == "Hi."


@pytest.mark.parametrize(("at", "count"), [(None, 4), (3, 2), (0, 1)])
def test_pieces_come_in_any_size(at: int | None, count: int) -> None:
    """Of one character, of some, or all at once."""
    setting = Setting([say("Hi!.")], tamper=spoiling(StreamFault("chunks", at)))
    *pieces, last = setting.stream()
    assert len(pieces) == count
    assert last.response is not None


def test_a_plain_answer_that_breaks_off_is_a_lost_connection() -> None:
    """Without a stream a cut answer is an error of the connection, and indefinite."""
    setting = Setting([say("Done.")], tamper=spoiling(StreamFault("ends", 1)))
    with pytest.raises(
        ProviderError, match="before the response was complete"
    ) as caught:
        setting.ask()
    assert (caught.value.status, caught.value.definite) == (None, False)
    assert caught.value.transient
    assert setting.kinds() == ["request", "request_failed"]


def test_without_a_hook_a_used_up_script_is_raised() -> None:
    """The error reaches the agent at once, before any gate."""
    setting = Setting([])
    with pytest.raises(UnscriptedRequest, match="the script ran out"):
        setting.ask()
    assert setting.kinds() == ["request"]
    assert setting.boundary.gates == []


def test_the_hook_may_close_a_used_up_script() -> None:
    """What the hook returns is the answer, and is no reply of the script."""
    told: list[UsageError] = []

    def close(error: UsageError) -> Answer:
        told.append(error)
        return Answer(Response(assistant("That is all.")), None, 0.0)

    setting = Setting([], out_of_script=close)
    assert setting.ask().message == assistant("That is all.")
    assert isinstance(told[0], UnscriptedRequest)
    assert setting.boundary.gates == [("model", 0.0)]


def test_the_hook_hears_of_broken_functions() -> None:
    """An agent that catches everything can't hide a broken script from the run."""
    told: list[UsageError] = []

    def poison(error: UsageError) -> Answer:
        told.append(error)
        raise error

    def broken(_asked: Request) -> Reply:
        raise ValueError

    setting = Setting([by(broken)], out_of_script=poison)
    with pytest.raises(UsageError, match="raised ValueError"):
        setting.ask()
    assert len(told) == 1


def test_a_function_may_answer_with_an_error_of_the_service() -> None:
    """An error raised by a scripted function is the service's answer."""

    def busy(_asked: Request) -> Reply:
        raise BUSY

    setting = Setting([by(busy)])
    with pytest.raises(ProviderError):
        setting.ask()
    assert setting.kinds() == ["request", "request_failed"]


def test_a_policy_draws_at_the_boundary() -> None:
    """The choice of a policy is one of the run's choices."""
    setting = Setting([pick(call("check_disk"))])
    setting.boundary.draws = [1]
    assert setting.ask().message.tool_calls[0].name == "check_disk"
    assert setting.boundary.choices == [("model", ('say "Done."', "call check_disk"))]


def test_incarnations_share_numbers_and_the_model() -> None:
    """After a crash the numbers go on, and the lost reply comes again."""
    numbers = count(1)
    model = ScriptedModel(Script([call("check_disk"), say("Done.")]))
    boundary = FakeBoundary()
    said = [
        asyncio.run(
            ScriptedClient(boundary, model, numbers=numbers).complete(request(start()))
        )
        for _ in range(2)
    ]
    assert said[0] == said[1]
    sent = [one.number for one in boundary.events if isinstance(one, RequestSent)]
    assert sent == [1, 2]
