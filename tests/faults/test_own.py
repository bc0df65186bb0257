"""Faults of one's own: a decorator, and the name is known everywhere."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from agentsim.core import FaultStruck, Response, UsageError, user
from agentsim.engine import Replay
from agentsim.faults import (
    CATALOGUE,
    Fault,
    Operation,
    model_fault,
    parse_rule,
    tool_fault,
)
from agentsim.simulation import EXPLORING, Menu, explore, run
from tests.support.scenarios import scenario

HIGH_CPU = scenario("high_cpu")


@pytest.fixture(autouse=True)
def catalogue() -> Iterator[None]:
    """Leave the catalogue as it was."""
    yield
    for name in list(CATALOGUE):
        if name not in CATALOGUE.own:
            CATALOGUE.discard(name)


def polite(response: Response, _operation: Operation) -> Response:
    """The model says please."""
    return replace(response, message=replace(response.message, content="Please."))


def html(_output: object, operation: Operation) -> object:
    """The output is the page of a proxy.

    Whatever the tool said.
    """
    return f"<html>{operation.name}</html>"


def test_a_function_on_replies_is_a_fault_of_the_model() -> None:
    """Its name and its sentence are the function's, and it strikes where it may."""
    fault = model_fault(calls_min=1)(polite)
    assert (fault.name, fault.sentence) == ("polite", "The model says please")
    assert CATALOGUE["polite"] is fault
    made = run(HIGH_CPU, menu=Menu(faults=("polite",)), choices=Replay({0: 1}))
    assert made.struck == ("polite",)
    assert made.words == ("polite strikes model",)
    assert made.verdict.status == "holds"


def test_a_function_on_outputs_is_a_fault_of_tools() -> None:
    """By a name of its own it is known to texts, data and scenarios."""
    fault = tool_fault("proxy_page", sentence="a proxy answers")(html)
    assert parse_rule({"fault": "proxy_page", "tool": "check_cpu"}) == fault(
        "check_cpu"
    )
    made = run(replace(HIGH_CPU, faults=["proxy_page:check_cpu@1"]))
    [struck] = made.trace.of(FaultStruck)
    assert (struck.fault, struck.words) == ("proxy_page", "a proxy answers")
    assert made.outcome.history is not None
    said = [m.content for m in made.outcome.history if m.role == "tool"]
    assert said[0] == "<html>check_cpu</html>"


def test_data_alone_is_a_fault_too() -> None:
    """What needs no function is added as it is, and an exploration can demand it."""
    down = CATALOGUE.add(Fault("dns_down", "tool", "no name resolves", delay_s=5))
    found = explore(HIGH_CPU, deviations=1, faults=[down("check_cpu")])
    assert (found.never_struck, found.status) == ((), "holds")


def test_an_exploration_offers_ours_unless_told_otherwise() -> None:
    """What a test adds changes no other test."""
    model_fault()(polite)
    assert "polite" not in {rule.text for rule in EXPLORING.rules}
    assert "polite" not in {rule.text for rule in Menu(faults=("own",)).rules}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: model_fault(polite), "write the parentheses: @model_fault()"),  # type: ignore[arg-type]
        (lambda: model_fault("slow")(polite), "there is a fault 'slow' already"),
        (lambda: model_fault("loops")(polite), "a group has this name"),
        (lambda: model_fault("too-loud")(polite), "a name has small letters"),
        (
            lambda: replace(CATALOGUE["slow"], delay_s=-1.0),
            "delay_s: expected 0 seconds",
        ),
        (lambda: replace(CATALOGUE["slow"], delay_s=math.nan), "or more, got nan"),
        (
            lambda: replace(CATALOGUE["rate_limited"], retry_after_s=math.inf),
            "retry_after_s: expected 0 seconds or more, got inf",
        ),
        (lambda: tool_fault("bare")(lambda output, _: output), "say in a docstring"),
    ],
)
def test_mistakes_are_told(make: object, words: str) -> None:
    """Each says what to write instead."""
    assert callable(make)
    with pytest.raises(UsageError) as caught:
        make()
    assert words in str(caught.value)


def broken(_response: Response, _operation: Operation) -> Response:
    """The function itself fails."""
    raise KeyError("no such thing")


def wrong(_response: Response, _operation: Operation) -> Response:
    """The function returns what is no reply."""
    return "a text"  # type: ignore[return-value]


def leaves(_response: Response, _operation: Operation) -> Response:
    """The function ends the process."""
    raise SystemExit(3)


def empties(response: Response, _operation: Operation) -> Response:
    """The function gives a message that no service could."""
    message: Any = response.message
    return replace(response, message=replace(message, content=None))


def miscounts(response: Response, _operation: Operation) -> Response:
    """The function gives a usage that is none."""
    wrong: Any = 3
    return replace(response, usage=wrong)


def speaks(response: Response, _operation: Operation) -> Response:
    """The function gives a message of somebody else."""
    return replace(response, message=user("I say it myself."))


async def later(response: Response, _operation: Operation) -> Response:
    """The function gives a coroutine."""
    return response


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            broken,
            "fault 'broken': its function raised KeyError in broken .test_own.py:",
        ),
        (wrong, "fault 'wrong': its function must return a Response, got str"),
        (leaves, "fault 'leaves': its function raised SystemExit in leaves"),
        (
            empties,
            "fault 'empties': .* got one whose message.content: expected a text, got None",
        ),
        (
            miscounts,
            "fault 'miscounts': .*, got one whose usage is a int",
        ),
        (speaks, "fault 'speaks': .*, got one whose message is of the user"),
        (
            later,
            "fault 'later': its function is async, and nobody awaits what it gives",
        ),
    ],
)
def test_a_function_that_fails_is_the_testers_mistake(
    function: object, words: str
) -> None:
    """The run ends with it, and no agent can take it for a failure of the model."""
    fault = model_fault()(function)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=words):
        run(replace(HIGH_CPU, faults=[fault()]))


def crumbling(_output: object, _operation: Operation) -> object:
    """The function itself fails."""
    raise KeyError("no such thing")


def test_a_function_on_outputs_that_fails_is_no_result() -> None:
    """The agent is not told of it as of a tool's error."""
    fault = tool_fault()(crumbling)
    with pytest.raises(UsageError, match="its function raised KeyError"):
        run(replace(HIGH_CPU, faults=[fault("check_cpu")]))
