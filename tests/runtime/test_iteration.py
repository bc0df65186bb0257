"""One iteration, in its order (R3): what is sent, kept, answered, and what ends it."""

import asyncio
from collections.abc import Sequence
from typing import Any, NoReturn, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    Injected,
    Limits,
    Message,
    ProviderError,
    Request,
    Response,
    Status,
    ToolCall,
    Usage,
    assistant,
    breaches,
    system,
    user,
)
from agentsim.runtime import DEFAULT_PROMPT, run_agent
from tests.runtime.fakes import (
    Events,
    Reply,
    ScriptedClient,
    asks,
    call,
    config,
    play,
    results,
    says,
    tool,
)


def test_the_prompt_is_sent_first_and_the_same_in_every_request() -> None:
    """System prompt and tools are the unchanged prefix of all requests (R3.6)."""
    client = ScriptedClient(asks(call("look")), says("done"))
    asyncio.run(run_agent(config(client, tool()), "task"))
    first, second = client.requests
    assert client.sent[0] == [system(DEFAULT_PROMPT), user("task")]
    assert client.sent[1][:2] == client.sent[0]
    assert first.tools == second.tools == (tool().definition,)
    assert (first.temperature, first.model, first.max_tokens) == (0.2, "m", None)


def test_an_empty_prompt_sends_no_system_message() -> None:
    """The empty text is a choice of the user: nothing is sent in its place."""
    assert play(says("done"), prompt="").history[0] == user("task")


@pytest.mark.parametrize("reason", ["end_turn", "stop", "stop_sequence"])
@pytest.mark.parametrize(
    "text", ["done", "not done yet, I will go on", "task complete"]
)
def test_a_run_ends_by_structure_and_not_by_text(reason: str, text: str) -> None:
    """A response without calls is final, whatever it says, and is appended (R3.1)."""
    result = play(says(text, reason))
    assert (result.status, result.output, result.error) == ("done", text, None)
    assert result.history[-1] == assistant(text)


@pytest.mark.parametrize("reason", ["tool_use", "stop", "end_turn", "stop_sequence"])
def test_calls_are_run_whatever_the_reason_says(reason: str) -> None:
    """Structure beats reason, and text beside calls is kept (R3.10, R3.12)."""
    result = play(
        asks(call("look"), text="done", reason=reason), says("bye"), tools=[tool()]
    )
    assert result.output == "bye"
    assert [m.role for m in result.history[1:]] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert result.history[2].content == "done"


@pytest.mark.parametrize(
    ("response", "status", "words"),
    [
        (says("half", "max_tokens"), "truncated", "cut at its token limit"),
        (says("no", "refusal"), "refused", "refused"),
        (says("", "content_filter"), "failed", "'content_filter'"),
        (says("x", "brand_new"), "failed", "'brand_new'"),
        (says(""), "failed", "empty"),
        (says("", "tool_use"), "failed", "empty"),
        (says("I call now", "tool_use"), "failed", "empty"),
        (says("", "pause_turn"), "failed", "empty"),
    ],
)
def test_other_reasons_end_the_run_with_a_status_of_their_own(
    response: Response, status: Status, words: str
) -> None:
    """A cut, refused, filtered or empty response is no success and is named (R3.8)."""
    result = play(response)
    assert result.status == status
    assert words in (result.error or "")


@pytest.mark.parametrize("reason", ["max_tokens", "refusal", "content_filter"])
def test_calls_of_a_cut_response_are_answered_and_never_run(reason: str) -> None:
    """What was cut may be half a call: it gets a result that says so (R3.8, R3.9)."""
    ran: list[object] = []

    async def note(arguments: dict[str, Any]) -> str:
        ran.append(arguments)
        return ""

    result = play(
        asks(call("look"), text="so far", reason=reason), tools=[tool(run=note)]
    )
    assert not ran
    assert result.tools == ()
    assert result.output == "so far"
    assert results(result)[0].startswith("Error: not executed: ")
    assert breaches(result.history) == []


def test_details_of_a_refusal_are_kept() -> None:
    """The result carries why the model refused."""
    result = play(Response(assistant("no"), "refusal", Usage(1, 1), refusal="policy 7"))
    assert result.refusal == "policy 7"
    assert result.error == "agent: the model refused: policy 7"


def test_an_empty_response_leaves_no_trace_in_the_history() -> None:
    """An empty assistant message would be refused: only its tokens are kept."""
    result = play(says(""))
    assert [m.role for m in result.history] == ["system", "user"]
    assert (result.iterations, result.usage) == (0, Usage(10, 1))


def test_a_pause_is_continued_without_a_new_user_message() -> None:
    """After `pause_turn` the model is asked again; an injected message waits (R3.8)."""
    waiting = [[], [Injected("1", "stop that")]]
    client = ScriptedClient(
        says("thinking", "pause_turn"), says("more", "pause_turn"), says("x")
    )

    def inject() -> list[Injected]:
        return waiting.pop(0) if waiting else []

    result = asyncio.run(run_agent(config(client, inject=inject), "task"))
    assert client.sent[2] == [*client.sent[0], assistant("thinking"), assistant("more")]
    assert result.iterations == 3
    assert waiting == [[Injected("1", "stop that")]]


def test_a_pause_of_opaque_blocks_only_is_continued() -> None:
    """Reasoning without text is no empty response while the model only paused."""
    paused = Message("assistant", blocks=({"type": "thinking"},))
    result = play(Response(paused, "pause_turn", Usage(1, 1)), says("x"))
    assert result.history[2] == paused
    assert result.status == "done"


def test_injected_messages_enter_before_the_next_request() -> None:
    """They stand after complete results, and each is told as an event (R9)."""
    inbox = [[], [Injected("1", "also this"), Injected("2", "and that")]]
    client, events = ScriptedClient(asks(call("look")), says("done")), Events()
    asyncio.run(
        run_agent(
            config(client, tool(), inject=lambda: inbox.pop(0), on=events), "task"
        )
    )
    assert client.sent[1][-2:] == [user("also this"), user("and that")]
    assert events.kinds.count("injected") == 2


def test_nothing_is_taken_from_the_inbox_when_no_request_follows() -> None:
    """A message that arrives at the end stays for the next run (R9)."""
    taken: list[int] = []

    def inject() -> list[Injected]:
        taken.append(1)
        return []

    play(
        asks(call("look")),
        tools=[tool()],
        inject=inject,
        limits=Limits(max_iterations=1),
    )
    play(
        asks(call("look")),
        tools=[tool()],
        inject=inject,
        limits=Limits(token_budget=11),
    )
    assert len(taken) == 2


def test_a_failing_tool_is_a_result_and_the_loop_goes_on() -> None:
    """Errors go to the model, flagged, and break nothing (R3.4)."""
    result = play(
        asks(call("look")), says("done"), tools=[tool(returns=OSError("disk"))]
    )
    assert result.status == "done"
    assert result.history[3].is_error
    assert result.history[3].content == "Error: OSError: disk"


def test_an_unknown_tool_is_an_error_result() -> None:
    """The model is told the name that does not exist (R3.5)."""
    result = play(asks(call("rm")), says("done"), tools=[tool()])
    assert results(result) == ["Error: unknown tool rm"]
    assert result.history[3].is_error


def test_the_stop_predicate_sees_the_history_and_ends_the_run() -> None:
    """It is asked after the results are appended; True ends the run as `stopped`."""
    seen: list[int] = []

    def stop(history: Sequence[Message]) -> bool:
        seen.append(len(history))
        return len(seen) == 2

    result = play(asks(call("look")), tools=[tool()], stop=stop)
    assert (result.status, seen) == ("stopped", [4, 6])
    assert "iteration 2" in (result.error or "")


@pytest.mark.parametrize("name", ["resolve", "inject", "stop", "confirm"])
def test_a_callback_that_raises_ends_the_run_failed(name: str) -> None:
    """The result names the callback and its words, and the history is whole (R2)."""

    def broken(*arguments: object) -> NoReturn:
        raise KeyError("gone")

    result = play(
        asks(call("pay"), call("look")),
        tools=[tool("pay", category="mutating"), tool()],
        **{name: broken},
    )
    assert result.status == "failed"
    assert result.error == f"{name} raised KeyError: 'gone'"
    assert breaches(result.history) == []


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"resolve": lambda: None}, "resolve returned NoneType; expected a Client"),
        ({"inject": lambda: None}, "inject returned NoneType; expected a list"),
        ({"confirm": lambda question: None}, "confirm returned NoneType; expected"),
        ({"stop": lambda history: history[99]}, "stop raised IndexError"),
    ],
)
def test_a_callback_that_returns_nonsense_ends_the_run_failed(
    fields: dict[str, Any], words: str
) -> None:
    """What comes back is checked, and the sentence says what was expected."""
    result = play(asks(call("pay")), tools=[tool("pay", category="mutating")], **fields)
    assert result.status == "failed"
    assert words in (result.error or "")


def test_a_provider_error_ends_the_run_with_the_providers_words() -> None:
    """No layer of retries is hidden here; the words are kept as they are (R7.2)."""
    error = ProviderError("messages[3]: bad", status=400, kind="invalid_request_error")
    events = Events()
    result = play(error, on=events)
    assert (result.status, result.error) == ("failed", "messages[3]: bad")
    assert events.kinds == ["run_started", "request", "request_failed", "run_ended"]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (ConnectionError("reset"), "the client raised ConnectionError: reset"),
        (asyncio.CancelledError(), "the client was cancelled from within"),
        (lambda request: cast(Response, None), "the client returned NoneType"),
        (lambda request: Response(user("hi")), "a message of role user"),
    ],
)
def test_a_client_that_breaks_its_word_ends_the_run_failed(
    reply: Reply, words: str
) -> None:
    """Whatever a client does, the run has a result that names it."""
    result = play(reply)
    assert result.status == "failed"
    assert words in (result.error or "")


def test_resolve_may_be_async_and_is_called_once_per_run() -> None:
    """One client serves all requests of a run (R2)."""
    calls: list[int] = []
    client = ScriptedClient(asks(call("look")), says("done"))

    async def resolve() -> ScriptedClient:
        calls.append(1)
        return client

    asyncio.run(run_agent(config(None, tool(), resolve=resolve), "task"))
    assert calls == [1]
    assert len(client.requests) == 2


def test_what_a_provider_sent_is_kept_whole() -> None:
    """Opaque blocks and odd argument texts go back unchanged (R1.1, R1.2)."""
    blocks = ({"type": "thinking", "signature": "s"},)
    message = Message(
        "assistant", "", (ToolCall("1", "look", '{"b":1, "a":'),), blocks=blocks
    )
    client = ScriptedClient(Response(message, "tool_use", Usage(1, 1)), says("done"))
    asyncio.run(run_agent(config(client, tool()), "task"))
    assert client.sent[1][2] == message


Calls = st.lists(
    st.builds(
        ToolCall,
        st.sampled_from(["", "a", "b", "call_1_1", "call_2_1"]),
        st.sampled_from(["look", "pay", "boom", "nothing"]),
        st.sampled_from(["{}", "", "[]", '{"x": 1}', "{", '{"x": NaN}']),
    ),
    max_size=5,
)
Replies = st.lists(
    st.builds(
        lambda text, calls, reason: Response(
            assistant(text, *calls), reason, Usage(1, 1)
        ),
        st.sampled_from(["", "text"]),
        Calls,
        st.sampled_from(
            ["end_turn", "tool_use", "pause_turn", "max_tokens", "refusal", "odd"]
        ),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40)
@given(replies=Replies, budget=st.sampled_from([None, 3, 9]))
def test_every_history_is_one_that_a_provider_accepts(
    replies: list[Response], budget: int | None
) -> None:
    """Whatever a model answers, calls are answered once, in order, with ids (R3.2)."""
    client = ScriptedClient(*replies)
    tools = (
        tool(parallel=True),
        tool("pay", category="mutating", confirm=False),
        tool("boom", returns=ValueError("no")),
    )
    limits = Limits(max_iterations=8, token_budget=budget)
    result = asyncio.run(run_agent(config(client, *tools, limits=limits), "task"))
    assert breaches(result.history) == []
    for sent in client.sent:
        assert breaches(sent) == []
        assert list(result.history[: len(sent)]) == sent
    assert len(client.requests) <= 8
    assert result.usage == Usage(len(client.requests), len(client.requests))


def test_a_request_is_a_view_and_no_copy() -> None:
    """Requests grow with the history at no cost: a view of one list (design 2.8)."""
    kept: list[Request] = []

    def reply(request: Request) -> Response:
        kept.append(request)
        return asks(call("look")) if len(kept) < 3 else says("done")

    play(reply, tools=[tool()])
    assert [len(request.messages) for request in kept] == [2, 4, 6]
