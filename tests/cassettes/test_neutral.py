"""The neutral client plays what it recorded: answers, pieces and failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.cassettes import RecordedAnswer, RecordedChunk, load_cassette
from agentsim.cassettes.neutral import (
    Unreadable,
    events_of,
    read_answer,
    read_delta,
    read_error,
    request_text,
    response_text,
)
from agentsim.cassettes.redaction import audit_cassette
from agentsim.cassettes.tape import SyncTapedClient, Tape, TapedClient
from agentsim.core import (
    CassetteError,
    CassetteMiss,
    Delta,
    Message,
    ProviderError,
    Request,
    Response,
    ToolCall,
    ToolDef,
    Usage,
    UsageError,
    assistant,
    parse_json,
    system,
    tool_result,
    user,
)

texts = st.text(st.characters(codec=None), max_size=6)

values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | texts,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2)
    ),
    max_leaves=3,
)

calls = st.builds(ToolCall, texts, texts, texts)

messages = st.builds(
    Message,
    st.sampled_from(("system", "user", "assistant", "tool")),
    texts,
    st.lists(calls, max_size=2).map(tuple),
    st.none() | texts,
    st.booleans(),
    st.lists(st.dictionaries(texts, values, max_size=2), max_size=1).map(tuple),
)

usages = st.builds(
    Usage, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.booleans()
)

responses = st.builds(Response, messages, texts, st.none() | usages, st.none() | texts)

errors = st.builds(
    ProviderError,
    texts,
    status=st.none() | st.integers(0, 700),
    kind=texts,
    param=st.none() | texts,
    code=st.none() | texts,
    retry_after_s=st.none() | st.floats(0, 9, width=16),
    definite=st.booleans(),
)

pieces = st.builds(Delta, texts, st.none() | calls)

Play = Response | ProviderError


@dataclass
class Canned:
    """A model, async and sync, that gives what it was made with, one after the other."""

    plays: list[tuple[list[Delta], Play]]

    def play(self) -> tuple[list[Delta], Response]:
        """The next pieces and the response behind them."""
        pieces, end = self.plays.pop(0)
        if isinstance(end, ProviderError):
            raise end
        return pieces, end

    async def complete(self, request: Request) -> Response:
        """The next response."""
        assert request.messages
        return self.play()[1]

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        """The next pieces."""
        for delta in Blocking(self.plays).stream(request):
            yield delta


@dataclass
class Blocking:
    """The same as a synchronous model."""

    plays: list[tuple[list[Delta], Play]]

    def complete(self, request: Request) -> Response:
        """The next response."""
        assert request.messages
        return Canned(self.plays).play()[1]

    def stream(self, request: Request) -> Iterator[Delta]:
        """The next pieces."""
        assert request.messages
        pieces, end = self.plays.pop(0)
        yield from pieces
        if isinstance(end, ProviderError):
            raise end
        yield Delta(response=end)


Heard = list[object]


def told(error: ProviderError) -> object:
    """All that an error says."""
    return (str(error), dict(vars(error)))


async def listen(
    client: TapedClient | SyncTapedClient, request: Request, *, streamed: bool
) -> Heard:
    """What comes of a request, sync or async, the failure included."""
    heard: Heard = []
    try:
        if streamed and isinstance(client, SyncTapedClient):
            heard.extend(client.stream(request))
        elif streamed:
            assert isinstance(client, TapedClient)
            async for delta in client.stream(request):
                heard.append(delta)
        else:
            found = client.complete(request)
            heard.append(found if isinstance(found, Response) else await found)
    except ProviderError as error:
        heard.append(told(error))
    return heard


def taped(
    tape: Tape, inner: Canned | None, *, sync: bool
) -> TapedClient | SyncTapedClient:
    """A client over a tape."""
    if sync:
        return SyncTapedClient(tape, None if inner is None else Blocking(inner.plays))
    return TapedClient(tape, inner)


def ask(text: str = "x", *earlier: Message) -> Request:
    """A request."""
    tools = (ToolDef("look", "Looks.", {"type": "object"}),)
    return Request("m", [system("Be kind."), *earlier, user(text)], tools)


@settings(max_examples=30)
@given(
    st.lists(st.tuples(st.lists(pieces, max_size=3), responses | errors), max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_what_was_recorded_is_played(
    tmp_path_factory: pytest.TempPathFactory,
    plays: list[tuple[list[Delta], Play]],
    streamed: bool,
    sync: bool,
) -> None:
    """Answers, pieces and failures are equal in the replay, in the recorded order."""
    path = tmp_path_factory.mktemp("neutral") / "n.yaml"

    async def hear(tape: Tape, inner: Canned | None) -> list[Heard]:
        client = taped(tape, inner, sync=sync)
        return [await listen(client, ask(), streamed=streamed) for _ in plays]

    with Tape(path, "record") as tape:
        heard = asyncio.run(hear(tape, Canned(list(plays))))
    direct = Blocking(list(plays))
    if streamed:
        assert [[d for d in one if isinstance(d, Delta)] for one in heard] == [
            [*pieces, *([Delta(response=end)] if isinstance(end, Response) else [])]
            for pieces, end in direct.plays
        ]
    else:
        assert heard == [
            [end] if isinstance(end, Response) else [told(end)]
            for _, end in direct.plays
        ]
    with Tape(path) as tape:
        assert asyncio.run(hear(tape, None)) == heard
        assert tape.use.unused == ()


@settings(max_examples=30)
@given(responses, messages)
def test_the_form_loses_nothing(response: Response, message: Message) -> None:
    """An answer read back is equal, and requests that differ are written otherwise."""
    assert read_answer(RecordedAnswer(body=response_text(response))) == response
    written = parse_json(request_text(Request("m", [message]), streamed=False))
    again = read_delta({"response": {"message": written["messages"][0]}}).response
    assert again is not None
    assert again.message == message


def test_mappings_of_all_kinds_are_written() -> None:
    """A schema may be frozen, at any depth, and its lists may be tuples."""
    frozen = MappingProxyType({"enum": ("a", MappingProxyType({"b": 1}))})
    one, two = (
        Request(
            "m", [user("x")], (ToolDef("t", parameters={"type": "object", "p": p}),)
        )
        for p in (frozen, {"enum": ["a", {"b": 1}]})
    )
    assert request_text(one, streamed=True) == request_text(two, streamed=True)
    odd = ToolDef("t", parameters={"default": object()})
    with pytest.raises(TypeError, match="JSON can't carry a value of type object"):
        request_text(Request("m", [user("x")], (odd,)), streamed=False)


def test_a_session_is_found_by_its_meaning(tmp_path: Path) -> None:
    """Other ids of calls are the same session, another question is none."""

    async def session(client: TapedClient, call_id: str, task: str) -> Response:
        first = await client.complete(ask(task))
        call = ToolCall(call_id, "look", '{"a": 1}')
        turn = (user(task), assistant("", call), tool_result(call_id, "found"))
        assert first.message.tool_calls
        return await client.complete(ask("and then?", *turn))

    path = tmp_path / "s.yaml"
    call = Response(assistant("", ToolCall("call_1", "look", '{"a": 1}')), "tool_use")
    done = Response(assistant("Done."), usage=Usage(3, 4))
    with Tape(path, "record") as tape:
        inner = Canned([([], call), ([], done)])
        assert asyncio.run(session(TapedClient(tape, inner), "call_1", "Look.")) == done
    assert load_cassette(path).exchanges[1].message is not None
    with Tape(path) as tape:
        assert asyncio.run(session(TapedClient(tape), "call_2", "Look.")) == done
        assert (tape.use.hits, tape.use.misses, tape.use.live) == (2, 0, 0)
    with Tape(path) as tape:
        with pytest.raises(CassetteMiss, match="message 2 \\(user\\)"):
            asyncio.run(session(TapedClient(tape), "call_1", "Pay."))
        assert [change.where for change in tape.use.changes] == ["message 2 (user)"]


def test_a_stream_left_is_kept_as_far_as_it_came(tmp_path: Path) -> None:
    """Who leaves a stream finds its pieces again, and an error where he reads on."""
    path = tmp_path / "l.yaml"
    whole = ([Delta("a"), Delta("b")], Response(assistant("ab")))

    async def leave(client: TapedClient) -> list[Delta]:
        stream = client.stream(ask())
        heard = [await anext(stream)]
        await stream.aclose()  # type: ignore[attr-defined]
        return heard + [delta async for delta in stream]

    with Tape(path, "record") as tape:
        assert asyncio.run(leave(TapedClient(tape, Canned([whole])))) == [Delta("a")]
        sync = SyncTapedClient(tape, Blocking([whole]))
        stream = sync.stream(ask("sync"))
        assert next(stream) == Delta("a")
        stream.close()  # type: ignore[attr-defined]
    assert [one.answer.ended for one in load_cassette(path).exchanges] == [
        *("closed by the client", "closed by the client"),
    ]
    with Tape(path) as tape:
        assert asyncio.run(leave(TapedClient(tape))) == [Delta("a")]
        heard = SyncTapedClient(tape).stream(ask("sync"))
        assert next(heard) == Delta("a")
        with pytest.raises(ProviderError, match="recorded up to here: closed by the"):
            next(heard)


def test_a_stream_is_kept_before_its_last_piece_is_given_on(tmp_path: Path) -> None:
    """Who has the whole answer finds it in the file, whatever happens then."""
    path = tmp_path / "k.yaml"
    whole: tuple[list[Delta], Play] = ([Delta("a")], Response(assistant("a")))

    async def hear(client: TapedClient) -> list[int]:
        return [len(load_cassette(path).entries) async for _ in client.stream(ask())]

    with Tape(path, "record") as tape:
        assert asyncio.run(hear(TapedClient(tape, Canned([whole])))) == [0, 1]
        client = SyncTapedClient(tape, Blocking([whole]))
        kept = [len(load_cassette(path).entries) for _ in client.stream(ask("sync"))]
        assert kept == [1, 2]


def test_a_secret_cut_over_pieces_is_not_kept(tmp_path: Path) -> None:
    """Wherever it is cut: the pieces of a replay are those of the placeholder."""
    path, key = tmp_path / "p.yaml", "sk-proj-aaaa1111bbbb2222cccc"
    plays: list[tuple[list[Delta], Play]] = [
        (
            [Delta("The "), Delta(key[:at]), Delta(key[at:])],
            Response(assistant(f"The {key}")),
        )
        for at in range(len(key) + 1)
    ]
    with Tape(path, "record") as tape:
        client = SyncTapedClient(tape, Blocking(list(plays)))
        for pieces, end in plays:
            assert list(client.stream(ask())) == [*pieces, Delta(response=end)]  # type: ignore[arg-type]
    assert audit_cassette(load_cassette(path)) == ()
    with Tape(path) as tape:
        client = SyncTapedClient(tape)
        for _ in plays:
            *heard, last = client.stream(ask())
            told = "".join(delta.text for delta in heard)
            assert last.response is not None
            assert told == last.response.message.content == "The __REDACTED_KEY_1__"


def test_a_stream_without_its_end_ends_so_again(tmp_path: Path) -> None:
    """What an inner client does not send is not made up."""
    path = tmp_path / "e.yaml"

    class Short:
        """A model whose streams lack the last piece."""

        async def stream(self, request: Request) -> AsyncIterator[Delta]:
            """One piece, or none."""
            if request.messages[-1].content == "one":
                yield Delta("one")

        complete = Canned([]).complete

    async def hear(tape: Tape, inner: Short | None) -> list[Heard]:
        client = TapedClient(tape, inner)
        return [await listen(client, ask(t), streamed=True) for t in ("one", "none")]

    with Tape(path, "record") as tape:
        assert asyncio.run(hear(tape, Short())) == [[Delta("one")], []]
    with Tape(path) as tape:
        assert asyncio.run(hear(tape, None)) == [[Delta("one")], []]


def test_what_breaks_beside_the_service_is_kept_too(tmp_path: Path) -> None:
    """A cancelled request and a bug of the client are no answers, and said to be none."""
    path = tmp_path / "b.yaml"

    class Broken(Canned):
        """A model that hangs."""

        async def complete(self, request: Request) -> Response:
            """Never."""
            assert request.messages
            await asyncio.Event().wait()
            raise AssertionError

    async def cancel(client: TapedClient) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.complete(ask()), 0.001)

    with Tape(path, "record") as tape:
        asyncio.run(cancel(TapedClient(tape, Broken([]))))
        with pytest.raises(IndexError):
            SyncTapedClient(tape, Blocking([])).complete(ask())
        with pytest.raises(IndexError):
            list(SyncTapedClient(tape, Blocking([])).stream(ask()))
    with Tape(path) as tape:
        client = SyncTapedClient(tape)
        with pytest.raises(ProviderError, match="CancelledError while") as caught:
            client.complete(ask())
        assert caught.value.transient
        assert not caught.value.definite
        with pytest.raises(ProviderError, match="IndexError while"):
            client.complete(ask())
        with pytest.raises(ProviderError, match="IndexError while"):
            list(client.stream(ask()))


def test_misuse_is_told(tmp_path: Path) -> None:
    """Nobody to ask, a request that JSON can't carry, a file that was spoilt."""
    path = tmp_path / "m.yaml"
    with Tape(path, "record") as tape:
        with pytest.raises(UsageError, match="no client to ask in the mode record"):
            asyncio.run(TapedClient(tape).complete(ask()))
        with pytest.raises(UsageError, match="no client to ask in the mode record"):
            list(SyncTapedClient(tape).stream(ask()))
        with pytest.raises(CassetteError, match="can't be looked up: JSON can't carry"):
            TapedClient(tape).stream(
                Request("m", [user("x")], temperature=float("nan"))
            )
        answer = Response(assistant("ok"))
        SyncTapedClient(tape, Blocking([([], answer)])).complete(ask())
        list(SyncTapedClient(tape, Blocking([([], answer)])).stream(ask()))
    text = path.read_text().replace('"role":"assistant"', '"role":5')
    path.write_text(text)
    with Tape(path) as tape:
        with pytest.raises(CassetteError, match=r"exchange 1: .*role: expected a text"):
            SyncTapedClient(tape).complete(ask())
        with pytest.raises(CassetteError, match=r"exchange 2: .*role: expected a text"):
            list(SyncTapedClient(tape).stream(ask()))


SPOILT = {
    "": "no JSON",
    "[]": "expected a JSON object",
    "{}": "expected message",
    '{"message":{"role":"user"},"more":1}': "more: there is no such field",
    '{"message":5}': "message: expected an object",
    '{"message":{"role":"user","tool_calls":{}}}': "tool_calls: expected a list",
    '{"message":{"role":"user","is_error":1}}': "is_error: expected true or false",
    '{"message":{"role":"user"},"usage":{"prompt":true}}': "prompt: expected a whole",
    '{"error":{"status":"a"}}': "error.status: expected a whole number or null",
}


@pytest.mark.parametrize("text", SPOILT)
def test_a_spoilt_answer_is_told_with_its_place(text: str) -> None:
    """What is no answer of this form is refused with the field and what was expected."""
    with pytest.raises(Unreadable, match=SPOILT[text]):
        read_answer(RecordedAnswer(body=text))


def test_a_stream_as_an_answer_is_its_last_piece() -> None:
    """The whole response is read from a stream; one that lacks it is told."""
    last = 'data: {"response":{"message":{"role":"user"}}}\n\n'
    body = f'data: {{"text":"a"}}\n\n{last}'
    assert [read_error(event) for event in events_of(body)] == [None, None]
    whole = RecordedAnswer(chunks=(RecordedChunk(0, body),))
    assert read_answer(whole) == Response(user(""))
    failed = 'data: {"error":{"message":"lost"}}\n\n'
    broken = RecordedAnswer(chunks=(RecordedChunk(0, failed),))
    assert isinstance(read_answer(broken), ProviderError)
    with pytest.raises(Unreadable, match="no last piece"):
        read_answer(RecordedAnswer(chunks=()))
