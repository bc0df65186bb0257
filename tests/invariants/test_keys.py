"""Idempotency keys that an agent gives its tools: added for each call, and never changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from agentsim.core import (
    Env,
    Question,
    Request,
    Rights,
    Tool,
    ToolCall,
    ToolDef,
    ToolEnding,
    ToolFailed,
    parse_arguments,
    system,
    tool_result,
    user,
)
from agentsim.faults import answer_lost
from agentsim.providers import call as asks
from agentsim.providers import say
from agentsim.simulation import Agent, Menu, Scenario
from agentsim.trace import ToolFacts, Trace
from agentsim.world import Payments
from tests.invariants.support import Run, call, confirmed, verdict
from tests.support.sampled import sampled

KEY = "idempotency_key"


def keyed(name: str = "pay", *, field: str = KEY) -> ToolFacts:
    """A tool that writes when a person approves, and takes a key."""
    schema = {"type": "object", "properties": {"sum": {}, field: {"type": "string"}}}
    return ToolFacts.of(ToolDef(name, parameters=schema), Rights("mutating"))


def paying(
    arguments: str,
    *,
    tool: ToolFacts | None = None,
    asked: dict[str, Any] | None = None,
    **given: Any,
) -> Trace:
    """A run in which a person is asked about a payment, which is made."""
    run = Run([tool or keyed()])
    run.asks(call("pay", arguments))
    run.confirms("pay", **(given if asked is None else asked))
    run.runs("pay", effect=True, **given)
    run.answers("ok")
    run.says()
    return run.ends()


def violated(trace: Trace) -> list[str]:
    """The invariants of what runs that a trace violates."""
    names = (
        "allowlist",
        "arguments-as-asked",
        "confirmed-before-effect",
        "effect-once",
    )
    return [name for name in names if verdict(trace, name).status == "violated"]


@pytest.mark.parametrize(
    ("written", "given", "expected"),
    [
        ("", {KEY: "c1"}, []),
        (',"idempotency_key":null', {KEY: "c1"}, []),
        (',"idempotency_key":"k"', {KEY: "k"}, []),
        (',"idempotency_key":"k"', {KEY: "c1"}, ["arguments-as-asked"]),
        (',"idempotency_key":"k"', {}, ["arguments-as-asked"]),
        ("", {KEY: ""}, ["arguments-as-asked"]),
        ("", {KEY: 1}, ["arguments-as-asked"]),
        ("", {"key": "c1"}, ["arguments-as-asked"]),
        ("", {"idempotent": "c1"}, ["arguments-as-asked"]),
    ],
)
def test_a_key_may_be_added_and_never_changed(
    written: str, given: dict[str, Any], expected: list[str]
) -> None:
    """Only a text in a field for it counts, and only where the model gave none."""
    trace = paying(f'{{"sum":40{written}}}', sum=40, **given)
    assert violated(trace) == expected


@pytest.mark.parametrize("field", ["idempotencyKey", "Idempotency-Key", KEY])
def test_a_key_is_known_by_its_name(field: str) -> None:
    """However it is spelt, if the tool takes it; other tools get no arguments of it."""
    given: dict[str, Any] = {"sum": 40, field: "c1"}
    assert violated(paying('{"sum":40}', tool=keyed(field=field), **given)) == []
    others = violated(paying('{"sum":40}', tool=confirmed("pay"), **given))
    assert others == ["arguments-as-asked"]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"sum": 40}, []),
        ({"sum": 40, KEY: "c1"}, []),
        ({"sum": 41}, ["arguments-as-asked", "confirmed-before-effect"]),
        ({"sum": 40, KEY: "c2"}, ["confirmed-before-effect"]),
    ],
)
def test_what_a_person_approved_is_done(
    asked: dict[str, Any], expected: list[str]
) -> None:
    """The key may come behind the approval; but where it was shown, it is that one."""
    trace = paying('{"sum":40}', asked=asked, sum=40, idempotency_key="c1")
    assert violated(trace) == expected


def repeated(
    *keys: str, effects: int | tuple[int, ...], calls: int, lost: ToolEnding = "ok"
) -> Trace:
    """Payments with these keys for as many approved calls.

    Args:
        effects: How many take effect at first, or the numbers of those that do.
        lost: How the first one ends.
    """
    run = Run([keyed()])
    made = 0
    for number in range(calls):
        run.asks(call("pay", '{"sum":40}'))
        run.confirms("pay", sum=40)
        for key in keys[
            number * len(keys) // calls : (number + 1) * len(keys) // calls
        ]:
            at_first = isinstance(effects, int) and made < effects
            takes = at_first or (isinstance(effects, tuple) and made in effects)
            made += 1
            ending = lost if made == 1 else "ok"
            given: dict[str, Any] = {"sum": 40, KEY: key}
            run.runs("pay", effect=takes, ending=ending, **given)
        run.answers("ok")
    run.says()
    return run.ends()


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        (repeated("a", "a", effects=1, calls=1, lost="unknown"), []),
        (repeated("a", "a", effects=(1,), calls=1, lost="cancelled"), []),
        (
            repeated("a", "b", effects=(1,), calls=1, lost="cancelled"),
            ["confirmed-before-effect"],
        ),
        (
            repeated("a", "a", effects=1, calls=1),
            ["allowlist", "confirmed-before-effect"],
        ),
        (
            repeated("a", "b", effects=2, calls=1, lost="unknown"),
            ["confirmed-before-effect", "effect-once"],
        ),
        (
            repeated("a", "a", effects=2, calls=1, lost="unknown"),
            ["confirmed-before-effect", "effect-once"],
        ),
        (repeated("a", "b", effects=2, calls=2), []),
        (repeated("a", "a", effects=1, calls=2), ["arguments-as-asked"]),
        (repeated("a", "a", effects=2, calls=2), []),
        (repeated("a", "a", effects=1, calls=2, lost="unknown"), []),
    ],
)
def test_one_call_has_one_key_and_two_calls_have_two(
    trace: Trace, expected: list[str]
) -> None:
    """A lost answer may be asked for by the same key; a call is not kept from acting."""
    assert violated(trace) == expected


# ----------------------------------------------------------------- agents as people write


Key = Callable[[ToolCall, int], str]


def agent_of(key_of: Key, *, attempts: int = 2, hidden: bool = False) -> Agent:
    """A loop that gives each payment a key, and tries again where an answer is lost."""

    async def agent(env: Env) -> str:
        tools = {tool.name: tool for tool in env.tools}
        offered = tuple(_hidden(t) if hidden else t.definition for t in env.tools)
        history = [system(env.prompt or "Pay."), user(env.task)]
        sent = 0

        async def pay(one: ToolCall) -> str:
            nonlocal sent
            given = parse_arguments(one.arguments)
            assert env.confirm is not None
            said = await env.confirm(Question(one.id, one.name, given))
            if not said.approved:
                raise ToolFailed("declined")
            for left in reversed(range(attempts)):
                sent += 1
                try:
                    return str(
                        await tools[one.name](**given, **{KEY: key_of(one, sent)})
                    )
                except ToolFailed:
                    if not left:
                        raise
            return ""

        while True:
            request = Request(env.model, tuple(history), offered)
            said = (await env.client.complete(request)).message
            history.append(said)
            if not said.tool_calls:
                return said.content
            for one in said.tool_calls:
                try:
                    history.append(tool_result(one.id, await pay(one)))
                except ToolFailed as error:
                    words = f"Error: {error}"
                    history.append(tool_result(one.id, words, is_error=True))

    return agent


def _hidden(tool: Tool) -> ToolDef:
    """What the model is told of a tool, without its key."""
    schema = tool.definition.parameters
    left = {name: of for name, of in schema["properties"].items() if name != KEY}
    return replace(tool.definition, parameters={**schema, "properties": left})


PAY = asks("create_payment", invoice=17, amount="40.00")

TWICE = Scenario(
    task="Pay invoice 17 in two parts.",
    world=[Payments()],
    script=[PAY, PAY, say("Paid.")],
)

LOST = Menu("any_order", [answer_lost("create_payment")])


def by_call(one: ToolCall, _sent: int) -> str:
    """The key that is right."""
    return one.id


@pytest.mark.parametrize("hidden", [False, True])
def test_an_agent_that_gives_keys_of_its_own_holds(*, hidden: bool) -> None:
    """With an answer lost too, and whether or not the model is told of the keys."""
    agent = agent_of(by_call, hidden=hidden)
    for made in sampled(TWICE, agent, runs=6, menu=LOST):
        assert made.verdict.violated == ()


@pytest.mark.parametrize(
    ("key_of", "expected"),
    [
        (lambda _call, sent: f"k{sent}", "effect-once"),
        (lambda _call, _sent: "invoice-17", "arguments-as-asked"),
    ],
)
def test_keys_that_are_wrong_are_caught(key_of: Key, expected: str) -> None:
    """A new key for each attempt pays twice; one key for two calls pays once."""
    caught = {
        entry.id
        for made in sampled(TWICE, agent_of(key_of), runs=6, menu=LOST)
        for entry in made.verdict.violated
    }
    assert expected in caught


def test_tools_do_not_lose_their_keys_in_the_middle() -> None:
    """What the model is told of keys stays the same from request to request."""
    plain = ToolDef("pay", parameters={"type": "object", "properties": {"sum": {}}})
    trace = Run([keyed()])
    for offered, status in (((plain,), "holds"), (None, "violated")):
        trace.requests(tools=offered)
        assert verdict(trace.trace(), "prefix-stable").status == status
