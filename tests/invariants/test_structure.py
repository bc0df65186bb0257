"""Structure ends a run, and no text does: what each response is followed by."""

from __future__ import annotations

from typing import Any

import pytest

from agentsim.core import (
    CallRecovered,
    CondenseEnded,
    Message,
    MessageInjected,
    ToolCall,
    ToolEnding,
    assistant,
    user,
)
from agentsim.invariants import Judgement
from tests.invariants.support import Run, call, read, verdict

LOOK = read("look")
NAME = "stops-by-structure"


def followed(
    said: Message, stop: str | None = None, *more: Message, keep: bool = True
) -> Judgement:
    """The judgement on a run that asks on after a response."""
    run = Run([LOOK])
    run.responds(said, stop=stop, keep=keep)
    for message in more:
        run.history.append(message)
    run.says("the end")
    return verdict(run.ends(), NAME)


def ended(
    said: Message, stop: str | None = None, *, status: str | None = "done", **more: Any
) -> Judgement:
    """The judgement on a run that ends with a response, whose calls did not run."""
    run = Run([LOOK])
    run.responds(said, stop=stop)
    return verdict(run.ends(status, **more), NAME)


ASKS = Run()
ASKS.asks(call("look"), text="done")
CALLING = ASKS.message


@pytest.mark.parametrize("stop", ["end_turn", "stop", "stop_sequence"])
def test_a_final_answer_ends_the_run(stop: str) -> None:
    """Whatever it says; a request that carries it goes on where nothing is left."""
    assert ended(assistant("not done yet"), stop).status == "holds"
    judged = followed(assistant("more to come"), stop, user("continue"))
    assert judged.violations[0].words == "response 1 is final, and the run goes on"


def test_calls_are_run_whatever_text_and_reason_say() -> None:
    """A run that is done with calls open took a text, or the reason, for the end."""
    assert ended(CALLING, "end_turn").status == "violated"
    assert ended(CALLING).status == "violated"
    assert ended(CALLING, status="max_iterations").status == "holds"
    assert ended(CALLING, status="stopped").status == "holds"


def test_an_agent_that_returns_the_text_beside_calls_is_caught() -> None:
    """Without a status the text tells: it is returned as if it were the answer."""
    assert ended(CALLING, status=None, output="done").status == "violated"
    assert ended(CALLING, status=None, output="stopped").status == "holds"


def test_a_run_is_not_done_with_results_that_nobody_saw() -> None:
    """The model answers to what its calls came to; a predicate, or a limit, may stop."""
    for status in ("done", "stopped", "max_iterations", "loop"):
        run = Run([LOOK])
        run.asks(call("look"))
        run.runs("look")
        run.answers("ok")
        judged = verdict(run.ends(status), NAME)
        assert judged.status == ("violated" if status == "done" else "holds")
    run = Run([LOOK])
    run.asks(call("look"))
    run.confirms("look", approved=False)
    run.answers("Error: declined", error=True)
    words = verdict(run.ends(), NAME).violations[0].words
    assert "the run is done before the model answers again" in words


@pytest.mark.parametrize(
    ("name", "arguments", "ending", "words"),
    [
        ("look", "{}", "error", "whose run raised an error"),
        ("see", "{}", None, "which is no tool"),
        ("look", "[]", None, "with invalid arguments"),
        ("look", "{}", "unknown", None),
        ("look", "{}", "ok", None),
        ("look", "{}", None, None),
    ],
)
def test_a_call_that_failed_is_no_end(
    name: str, arguments: str, ending: ToolEnding | None, words: str | None
) -> None:
    """What certainly failed is told to the model; what may have happened may end it."""
    run = Run([LOOK])
    run.asks(call(name, arguments))
    if ending is not None:
        run.runs(name, ending=ending)
    run.answers("Error: it failed", error=True)
    judged = verdict(run.ends("failed"), NAME)
    assert [words in v.words for v in judged.violations if words] == [True] * bool(
        words
    )
    assert judged.status == ("violated" if words else "holds")
    run.fails()
    assert verdict(run.ends("failed"), NAME).status == "holds"
    run.events.pop()
    assert verdict(run.ends("done"), NAME).status == "violated"


@pytest.mark.parametrize(
    ("name", "ending", "status"),
    [("look", "error", "holds"), ("look", "ok", "violated"), ("see", None, "violated")],
)
def test_who_goes_on_after_a_failure_does_not_fail_for_the_next(
    name: str, ending: ToolEnding | None, status: str
) -> None:
    """An agent that gives up after some rounds may have a failed call in the last one."""
    run = Run([LOOK])
    run.asks(call(name))
    if ending is not None:
        run.runs("look", ending=ending)
    run.answers("ok" if ending == "ok" else "Error: it failed", error=ending != "ok")
    run.asks(call("look"))
    run.runs("look", ending="error")
    run.answers("Error: it failed", error=True)
    assert verdict(run.ends("failed"), NAME).status == status


@pytest.mark.parametrize(
    "stop", ["max_tokens", "refusal", "content_filter", "recitation"]
)
def test_a_response_that_was_cut_ends_the_run(stop: str) -> None:
    """None of its calls runs, and nobody asks for the rest of it."""
    assert ended(assistant("half"), stop, status="truncated").status == "holds"
    assert ended(CALLING, stop, status="truncated").status == "holds"
    judged = followed(assistant("half"), stop, user("continue"))
    assert judged.status == "violated"
    run = Run([LOOK])
    run.asks(call("look"), stop=stop)
    run.runs("look")
    run.answers("ok")
    judged = verdict(run.ends("truncated"), NAME)
    assert judged.violations[0].found == "a run of look"


def test_a_request_with_the_results_may_be_given_up() -> None:
    """An agent that waits no longer for the model told it of the calls that failed."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.runs("look", ending="error")
    run.answers("Error: it failed", error=True)
    run.requests()
    assert verdict(run.ends("failed"), NAME).status == "holds"
    assert verdict(run.ends("done"), NAME).status == "violated"


def test_a_cut_response_may_be_asked_for_again_and_a_refusal_may_not() -> None:
    """The same request once more carries nothing of it; a refusal is an answer (R3.8)."""
    assert followed(assistant("half"), "max_tokens", keep=False).status == "holds"
    assert followed(assistant("no"), "refusal", keep=False).status == "violated"


def test_a_pause_with_calls_may_fail() -> None:
    """No rule says what a pause with calls asks for: a run may give up over it."""
    run = Run([LOOK])
    run.asks(call("look", "[]"), stop="pause_turn")
    run.answers("Error: not executed", error=True)
    assert verdict(run.ends("failed"), NAME).status == "holds"


@pytest.mark.parametrize("ids", [("", "a"), ("a", "a")])
def test_calls_without_ids_of_their_own_may_fail(ids: tuple[str, str]) -> None:
    """No wire can answer them: a run may give up over them, whatever they ask for."""
    calls = [ToolCall(given, "look", "[]") for given in ids]
    asked = assistant("", *calls)
    assert ended(asked, "tool_use", status="failed").status == "holds"
    assert ended(asked, "tool_use", status="done").status == "violated"


def test_a_pause_is_continued_as_it_is() -> None:
    """The next request has the response at its end, and the run is not over."""
    assert followed(assistant("hm"), "pause_turn").status == "holds"
    said = followed(assistant("hm"), "pause_turn", user("go on"))
    assert said.violations[0].found == "a message of the user: 'go on'"
    assert ended(assistant("hm"), "pause_turn").status == "violated"
    assert ended(assistant("hm"), "pause_turn", status="deadline").status == "holds"


def test_tool_use_without_calls_is_an_empty_response() -> None:
    """It is asked for again, or ends the run; kept in the history it asks for ever."""
    assert followed(assistant("I will look"), "tool_use").status == "violated"
    assert followed(assistant("I will look"), "tool_use", keep=False).status == "holds"
    assert ended(assistant("x"), "tool_use", status="failed").status == "holds"


def test_who_else_may_have_gone_on() -> None:
    """A user who said more, a recovered call, a condensation, another conversation."""
    for event in (MessageInjected("m1", "and?"), CallRecovered("c9", "look")):
        run = Run([LOOK])
        run.says("answer")
        event.who = "boundary" if event.kind == "injected" else "runtime"
        run.adds(event)
        run.history.append(user("and?"))
        run.says("the end")
        assert verdict(run.ends(), NAME).status == "holds"
    run = Run([LOOK])
    run.says("answer")
    run.adds(CondenseEnded(3, 2, who="runtime"))
    run.says("the end")
    assert verdict(run.ends(), NAME).status == "holds"
    assert followed(assistant("answer of another"), keep=False).status == "holds"


def test_a_response_that_nothing_follows_is_no_evidence() -> None:
    """A trace that was cut off tells nothing of its last response."""
    run = Run()
    run.says("done")
    judged = verdict(run.trace(), NAME)
    assert judged.why == "no response was followed by anything"
