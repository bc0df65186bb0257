"""Limits are terminal, exact and told in words to act on (R6)."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    Escalated,
    FinalAnswer,
    Limits,
    Request,
    Response,
    Terminal,
    Usage,
    assistant,
    breaches,
    estimate_usage,
)
from agentsim.runtime import run_agent
from agentsim.runtime.accounting import Meter
from tests.runtime.fakes import (
    Events,
    ScriptedClient,
    asks,
    call,
    config,
    play,
    results,
    says,
    tool,
)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_iteration_limit_is_exact_and_terminal(limit: int) -> None:
    """N means n requests; no request for a summary follows (R3.7)."""
    client, events = (
        ScriptedClient(*[asks(call("look", n=n)) for n in range(9)]),
        Events(),
    )
    limits = Limits(max_iterations=limit)
    result = asyncio.run(
        run_agent(config(client, tool(), limits=limits, on=events), "task")
    )
    assert (result.status, result.iterations) == ("max_iterations", limit)
    assert len(client.requests) == limit
    assert len(results(result)) == limit
    text = f"agent: reached the limit of {limit} iterations without finishing"
    assert (result.error or "").splitlines()[0] == text
    (terminal,) = events.of(Terminal)
    assert (terminal.boundary, terminal.words) == ("max_iterations", text)


def test_a_final_answer_in_the_last_iteration_is_done() -> None:
    """The limit is reached, not exceeded."""
    result = play(says("x"), limits=Limits(max_iterations=1))
    assert result.status == "done"


def test_no_limit_means_no_limit() -> None:
    """None takes a limit away."""
    limits = Limits(max_iterations=None, deadline_s=None, max_parallel=None)
    replies = [asks(call("look", n=n)) for n in range(40)]
    result = play(*replies, says("x"), tools=[tool()], limits=limits)
    assert (result.status, result.iterations) == ("done", 41)


def test_the_words_of_a_boundary_can_be_acted_on() -> None:
    """Boundary, iteration, tokens, tools and last state; the same as `escalated`."""
    events = Events()
    replies = [asks(call("look", n=n), call("list", n=n)) for n in range(2)]
    result = play(
        *replies,
        tools=[tool(), tool("list", returns="two\nfiles"), tool("rm")],
        limits=Limits(max_iterations=2),
        on=events,
    )
    assert result.error == (
        "agent: reached the limit of 2 iterations without finishing\n"
        "iteration 2; 22 tokens spent; tools executed: look x 2, list x 2; "
        "last state: a tool answered 'two files'; "
        "to go on: raise max_iterations or narrow the task, "
        "then run again with this history"
    )
    assert [event.words for event in events.of(Escalated)] == [result.error]


def test_the_budget_ends_the_run_before_the_tools_of_its_response() -> None:
    """More than the budget: calls are answered as not executed (R6.2, R3.9)."""
    usage = Usage(50, 51)
    response = Response(
        assistant("look at it", call("look")),
        "tool_use",
        usage,
    )
    events = Events()
    result = play(response, tools=[tool()], limits=Limits(token_budget=100), on=events)
    assert (result.status, result.usage, result.tools) == ("token_budget", usage, ())
    assert result.output == "look at it"
    assert results(result) == [
        "Error: not executed: the run had spent its token budget"
    ]
    assert "tool_start" not in events.kinds
    assert (result.error or "").startswith("agent: the budget of 100 tokens is spent\n")
    assert breaches(result.history) == []


def test_a_spent_budget_allows_no_further_request() -> None:
    """Exactly the budget: the response's tools run, and then it ends (R6.2)."""
    client = ScriptedClient(asks(call("look")))
    limits = Limits(token_budget=11)
    result = asyncio.run(run_agent(config(client, tool(), limits=limits), "task"))
    assert (result.status, len(client.requests)) == ("token_budget", 1)
    assert results(result) == ["seen"]


@pytest.mark.parametrize(("tokens", "status"), [(100, "done"), (101, "token_budget")])
def test_a_final_answer_over_the_budget_keeps_its_text(
    tokens: int, status: str
) -> None:
    """It ends as `token_budget` with the answer as output (R6.2)."""
    events = Events()
    answer = says("42", usage=Usage(tokens, 0))
    result = play(answer, limits=Limits(token_budget=100), on=events)
    assert (result.status, result.output) == (status, "42")
    assert result.history[-1] == assistant("42")
    assert len(events.of(FinalAnswer)) == (status == "done")


def test_cached_tokens_count_by_their_weight() -> None:
    """Prompt includes the cached part; a weight of zero makes it free (R1.5)."""
    usage = Usage(100, 10, cache_read=80)
    for weight, status in ((0, "done"), (0.25, "token_budget")):
        limits = Limits(token_budget=30, cache_read_weight=weight)
        assert play(says("x", usage=usage), limits=limits).status == status
    meter = Meter(Limits(cache_read_weight=0.25))
    meter.add(Request("m", ()), says("x", usage=usage))
    assert meter.billable == 50


def test_a_response_without_usage_is_estimated_and_never_zero() -> None:
    """The estimate counts against the budget and is marked in the words (R1.5)."""
    response = Response(assistant("", call("look")), "tool_use")
    client = ScriptedClient(response)
    limits = Limits(token_budget=1)
    result = asyncio.run(run_agent(config(client, tool(), limits=limits), "task"))
    assert result.status == "token_budget"
    assert result.usage.estimated
    assert result.usage == estimate_usage(client.requests[0], response.message)
    assert "tokens spent (estimated)" in (result.error or "")


def test_the_last_state_says_what_came_last() -> None:
    """Before any answer the model was waited for; else it is quoted."""

    async def slow() -> None:
        await asyncio.sleep(9)

    cut = play(resolve=slow, limits=Limits(deadline_s=0.001))
    assert "last state: waiting for the model" in (cut.error or "")
    assert (cut.error or "").startswith(
        "agent: reached the deadline of 0.001 seconds\n"
    )
    assert "tools executed: none" in (cut.error or "")
    said = play(says("so far", usage=Usage(9, 9)), limits=Limits(token_budget=9))
    assert "last state: the model said 'so far'" in (said.error or "")


Spent = st.lists(
    st.builds(Usage, st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=8
)


@settings(max_examples=25)
@given(spent=Spent, budget=st.integers(1, 120))
def test_the_budget_holds_for_any_usage(spent: list[Usage], budget: int) -> None:
    """Every token is counted once, and no tool or request comes after the end."""
    replies = [
        Response(
            assistant("", call("look", n=n)),
            "tool_use",
            usage,
        )
        for n, usage in enumerate(spent)
    ]
    client = ScriptedClient(*replies, says("x", usage=Usage()))
    limits = Limits(token_budget=budget, max_iterations=20)
    result = asyncio.run(run_agent(config(client, tool(), limits=limits), "task"))
    totals = [sum(u.billable() for u in spent[: n + 1]) for n in range(len(spent))]
    expected = next(
        (n for n, total in enumerate(totals) if total >= budget), len(spent)
    )
    assert len(client.requests) == expected + 1
    assert result.status == ("done" if expected == len(spent) else "token_budget")
    ran = expected + (expected < len(spent) and totals[expected] == budget)
    assert len(result.tools) == ran
