"""The scripted model: what an answer carries, and when the script is at fault."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from syrupy.assertion import SnapshotAssertion

from agentsim.core import (
    History,
    ProviderError,
    Request,
    UnscriptedRequest,
    Usage,
    UsageError,
    assistant,
    estimate_usage,
    tool_result,
    user,
)
from agentsim.providers import (
    Reply,
    Script,
    ScriptedModel,
    by,
    call,
    forever,
    pick,
    say,
    together,
)
from tests.providers.fakes import request, results, scripts, start


def played(model: ScriptedModel, turns: int) -> History:
    """The history after so many replies, each answered."""
    history = History(start())
    for _ in range(turns):
        message = model.answer(request(history.view())).response.message
        for one in [message, *results(message)]:
            history.append(one)
    return history


@settings(max_examples=15)
@given(scripts())
def test_a_script_is_given_in_order_and_used_up(replies: list[Reply]) -> None:
    """Without disturbance each reply is given once, as written, and none is left."""
    model = ScriptedModel(Script(replies))
    history = start()
    for index, reply in enumerate(replies):
        assert (model.unused() is None) is False
        answer = model.answer(request(history))
        message = answer.response.message
        assert answer.index == index
        assert (message.content, message.blocks) == (reply.text, reply.blocks)
        assert [(one.name, one.arguments) for one in message.tool_calls] == [
            (one.name, one.arguments) for one in reply.calls
        ]
        history += [message, *results(message)]
    assert model.unused() is None


@settings(max_examples=15)
@given(scripts())
def test_counted_usage_is_the_estimate_but_not_marked(replies: list[Reply]) -> None:
    """The fake service counts as the estimate does, and says it as a fact."""
    model = ScriptedModel(Script(replies))
    history = start()
    for _ in replies:
        asked = request(history)
        response = model.answer(asked).response
        estimate = estimate_usage(asked, response.message)
        assert response.usage == replace(estimate, estimated=False)
        history += [response.message, *results(response.message)]


def test_usage_reason_refusal_and_latency_are_those_of_the_reply() -> None:
    """What a reply gives is sent as it is; a missing usage stays missing."""
    model = ScriptedModel(
        Script(
            [
                call("a").but(usage=None, latency_s=0.0),
                call("b").but(usage=Usage(7, 3, 5), stop_reason="stop"),
                say("No.", stop_reason=None).but(refusal="policy"),
            ]
        )
    )
    history = start()
    seen = []
    for _ in range(3):
        answer = model.answer(request(history), latency_s=2.0)
        response = answer.response
        seen.append(
            (response.usage, response.stop_reason, response.refusal, answer.latency_s)
        )
        history += [response.message, *results(response.message)]
    assert seen[0] == (None, "tool_use", None, 0.0)
    assert seen[1] == (Usage(7, 3, 5), "stop", None, 2.0)
    assert seen[2][1:] == ("refusal", "policy", 2.0)


def test_a_policy_draws_through_the_choice_it_is_handed() -> None:
    """`pick` counts its draws by the history, so that a retry draws the same one anew."""
    model = ScriptedModel(Script([call("a"), pick(call("b"), call("c"), at_most=2)]))
    draws = [1, 2, 2, 1]
    history = start()
    said = []
    for _ in range(5):
        answer = model.answer(request(history), choose=lambda _l, _o: draws.pop(0))
        model_said = answer.response.message
        said.append([one.name for one in model_said.tool_calls] or model_said.content)
        if len(said) != 2:  # the second answer is lost on the way
            history = [*history, model_said, *results(model_said)]
    assert said == [["a"], ["b"], ["c"], ["c"], "Done."]
    assert draws == [1]
    assert model.unused() is None


def test_without_a_choice_the_policy_is_dull() -> None:
    """A model that is handed no choice gives the final answer of a policy."""
    answer = ScriptedModel(Script([pick(call("a"))])).answer(request(start()))
    assert answer.response.message == assistant("Done.")


def test_a_function_sees_the_request() -> None:
    """`by` is asked with the request as the agent sent it."""
    asked: list[Request] = []

    def look(seen: Request) -> Reply:
        asked.append(seen)
        return say(seen.messages[-1].content.upper())

    sent = request(start())
    answer = ScriptedModel(Script([by(look)])).answer(sent)
    assert answer.response.message == assistant("FREE SOME DISK SPACE.")
    assert asked == [sent]


def test_errors_of_a_function_are_no_replies() -> None:
    """A function that fails gives nothing, so the script is not used up by it."""

    def overloaded(_request: Request) -> Reply:
        raise ProviderError("busy", status=529, kind="overloaded_error")

    def broken(_request: Request) -> Reply:
        raise ValueError

    for function, error in ((overloaded, ProviderError), (broken, UsageError)):
        model = ScriptedModel(Script([by(function)]))
        with pytest.raises(error):
            model.answer(request(start()))
        assert model.unused_indexes() == (0,)


def test_the_error_of_a_used_up_script_shows_what_was_asked(
    snapshot: SnapshotAssertion,
) -> None:
    """It says which reply is missing, how the request ended and what the script held."""
    scripts_and_extras = [
        (Script([]), []),
        (
            Script([call("check_disk"), together(call("a", n=1), call("b"))]),
            [user("A much longer\nquestion " + "with many words " * 8)],
        ),
        (
            Script([call(f"tool_{n}") for n in range(12)]),
            [tool_result("call_12", "again", is_error=True)],
        ),
    ]
    words = []
    for script, extra in scripts_and_extras:
        model = ScriptedModel(script)
        history = played(model, len(script))
        with pytest.raises(UnscriptedRequest) as caught:
            model.answer(request([*history.view(), *extra]))
        words.append(str(caught.value))
    assert words == snapshot


def test_the_error_of_a_script_not_used_up_names_what_is_left(
    snapshot: SnapshotAssertion,
) -> None:
    """It names the replies that were never given, a few of many."""
    short = ScriptedModel(Script([call("a"), by(len), say("Done.")]))  # type: ignore[arg-type]
    long = ScriptedModel(Script([call(f"tool_{n}") for n in range(12)]))
    played(short, 1)
    played(long, 1)
    assert short.unused_indexes() == (1, 2)
    assert [short.unused(), long.unused()] == snapshot


def test_an_endless_entry_is_never_left_over() -> None:
    """`forever` and `pick` are given as often as asked, and that may be never."""
    script = Script([call("a"), forever(say("x"))])
    model = ScriptedModel(script)
    assert model.unused_indexes() == (0,)
    played(model, 1)
    assert model.unused() is None
