"""Histories: answered in order, only growing, with one prefix, accepted."""

from __future__ import annotations

import pytest

from agentsim.core import (
    CondenseEnded,
    CondenseStarted,
    History,
    Message,
    ResponseReceived,
    ToolCall,
    ToolDef,
    assistant,
    system,
    tool_result,
    user,
)
from agentsim.trace import Trace
from tests.invariants.support import PROMPT, Run, asked, call, read, verdict, write

LOOK = read("look")


def two_answers(*order: str, ids: tuple[str, str] = ("c1", "c2")) -> Trace:
    """A run with two calls whose results come in some order."""
    run = Run([LOOK])
    run.asks(call("look", '{"a":1}'), call("look", '{"a":2}'))
    run.runs("look", a=1)
    run.runs("look", a=2)
    for call_id in order:
        run.history.append(tool_result(call_id, "ok"))
    run.says()
    return run.ends()


def test_results_in_order_hold() -> None:
    """Results in the order of their calls are evidence that the rule is kept."""
    found = verdict(two_answers("c1", "c2"), "results-in-order")
    assert (found.status, found.evidence) == ("holds", 1)


def test_results_out_of_order_are_found() -> None:
    """The response and the request that shows its results are the evidence."""
    trace = two_answers("c2", "c1")
    found = verdict(trace, "results-in-order")
    assert found.status == "violated"
    assert len(found.violations) == 1
    assert [trace.events[at].kind for at in found.violations[0].events] == [
        "response",
        "request",
    ]
    assert verdict(trace, "every-call-answered").status == "holds"


def test_single_calls_are_no_evidence_of_an_order() -> None:
    """Results of calls that stand alone have no order: the rule was not tested."""
    run = Run([LOOK])
    run.looks()
    run.looks()
    run.says()
    assert verdict(run.ends(), "results-in-order").status == "unknown"


def test_an_order_that_only_the_last_history_shows_is_found() -> None:
    """The history that the run leaves is judged like a request."""
    run = Run([LOOK])
    run.asks(call("look", '{"a":1}'), call("look", '{"a":2}'))
    run.history.append(tool_result("c2", "ok"))
    run.history.append(tool_result("c1", "ok"))
    trace = run.ends("max_iterations")
    found = verdict(trace, "results-in-order")
    assert found.status == "violated"
    assert trace.events[found.violations[0].events[-1]].kind == "outcome"


@pytest.mark.parametrize(
    ("order", "status"),
    [
        (("c1", "c2"), "holds"),
        (("c1",), "violated"),
        (("c1", "c2", "c2"), "violated"),
        (("c1", "c2", "c9"), "violated"),
        ((), "violated"),
    ],
)
def test_each_call_needs_one_result(order: tuple[str, ...], status: str) -> None:
    """No result, two results and a result of nothing are all found, and once each."""
    found = verdict(two_answers(*order), "every-call-answered")
    assert found.status == status
    assert len(found.violations) == (0 if status == "holds" else max(1, 2 - len(order)))


def test_a_message_between_a_call_and_its_result_is_found() -> None:
    """A result must come directly after its response: what is between opens the call."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.runs("look")
    run.history.append(user("quick!"))
    run.answers("ok")
    run.says()
    found = verdict(run.ends(), "every-call-answered")
    assert found.status == "violated"


def test_a_call_cut_by_the_token_limit_must_be_answered_too() -> None:
    """A truncated response leaves its calls open unless they get results."""
    for answered in (True, False):
        run = Run([LOOK])
        run.asks(call("look", '{"a":'), stop="max_tokens")
        if answered:
            run.answers("Error: not executed", error=True)
        found = verdict(run.ends("truncated"), "every-call-answered")
        assert found.status == ("holds" if answered else "violated")


def test_calls_may_wait_for_a_person() -> None:
    """Calls that are open at the end of a waiting run are exempt, others are not."""
    for status, expected in (("waiting_human", "holds"), ("failed", "violated")):
        run = Run([LOOK])
        run.asks(call("look"))
        assert verdict(run.ends(status), "every-call-answered").status == expected
    run = Run([LOOK])
    run.asks(call("look"))
    run.asks(call("look"))
    assert (
        verdict(run.ends("waiting_human"), "every-call-answered").status == "violated"
    )


def test_a_run_that_was_cut_off_is_not_judged_by_its_last_calls() -> None:
    """Without a history after the response nobody knows how its calls were answered."""
    run = Run([LOOK])
    run.asks(call("look"))
    trace = run.ends(None, ending="deadlock", history=())
    trace.events[-1].history = None  # type: ignore[attr-defined]
    assert verdict(trace, "every-call-answered").status == "unknown"


def test_replaced_ids_are_no_breach() -> None:
    """Missing ids that the echo of the response replaces are matched by position."""
    run = Run([LOOK])
    run.asks(asked("look", '{"a":1}'), asked("look", '{"a":2}'), keep=False)
    run.runs("look", a=1)
    run.runs("look", a=2, ending="error")
    echo = assistant(
        "", asked("look", '{"a":1}', id="x"), asked("look", '{"a":2}', id="y")
    )
    run.history.append(echo)
    run.history.append(tool_result("x", "ok"))
    run.history.append(tool_result("y", "Error: broken", is_error=True))
    run.says()
    trace = run.ends()
    assert verdict(trace, "every-call-answered").status == "holds"
    assert verdict(trace, "results-in-order").status == "holds"
    assert verdict(trace, "errors-visible").status == "holds"


def test_ids_that_are_sent_back_missing_are_found() -> None:
    """A call that is sent without an id can't be answered."""
    run = Run([LOOK])
    run.asks(asked("look"))
    run.history.append(tool_result("", "ok"))
    run.says()
    assert verdict(run.ends(), "every-call-answered").status == "violated"


def test_repeated_ids_within_a_response_are_answered_one_by_one() -> None:
    """Two calls of one id need two results, and one does not answer both."""
    for results in (1, 2):
        run = Run([LOOK])
        run.asks(asked("look", '{"a":1}', id="x"), asked("look", '{"a":2}', id="x"))
        for _ in range(results):
            run.history.append(tool_result("x", "ok"))
        run.says()
        found = verdict(run.ends(), "every-call-answered")
        assert found.status == ("holds" if results == 2 else "violated")


@pytest.mark.parametrize(
    "echo",
    [assistant("thinking"), assistant("", asked("look", id="c1")), user("go on")],
)
def test_calls_that_the_history_forgets_are_found(echo: Message) -> None:
    """A response whose calls do not reach the next request has lost them."""
    run = Run([LOOK])
    run.asks(call("look", '{"a":1}'), call("look", '{"a":2}'), keep=False)
    run.history.append(echo)
    if echo.tool_calls:
        run.history.append(tool_result("c1", "ok"))
    run.says()
    found = verdict(run.ends(), "every-call-answered")
    assert found.status == "violated"
    assert "lost" in found.violations[0].words


def test_a_response_that_is_asked_for_again_is_no_answer_to_its_calls() -> None:
    """Calls can't vanish in a retry, but an empty or degenerate response may."""
    for text, expected in (("", "violated"), ("x" * 300, "holds")):
        run = Run([LOOK])
        run.asks(call("look"), text=text, keep=False)
        run.looks()
        run.says()
        assert verdict(run.ends(), "every-call-answered").status == expected
    run = Run([LOOK])
    run.says("", keep=False)
    run.looks()
    run.says()
    found = verdict(run.ends(), "every-call-answered")
    assert (found.status, found.evidence) == ("holds", 1)


def test_a_late_response_may_be_dropped_at_the_end() -> None:
    """A response that came after the end is in no history, and its calls are nobody's."""
    run = Run([LOOK])
    run.looks()
    run.asks(call("look"), keep=False)
    assert verdict(run.ends("deadline"), "every-call-answered").status == "holds"


def test_open_calls_in_the_first_request_are_found() -> None:
    """What a run was given is judged too: it is sent to the service."""
    run = Run([LOOK])
    run.history.append(assistant("", asked("look", id="old")))
    run.history.append(user("never mind"))
    run.says()
    assert verdict(run.ends(), "every-call-answered").status == "violated"


def grown(*texts: str) -> Run:
    """A run of one turn whose next request will start with these texts."""
    run = Run([LOOK])
    run.looks()
    other = Run([LOOK])
    other.looks()
    for text in texts:
        other.history.append(user(text))
    run.history = other.history
    return run


def test_a_history_that_only_grows_holds() -> None:
    """Equal beginnings are enough: the list itself may be another one."""
    run = grown("more")
    run.says()
    found = verdict(run.ends(), "history-append-only")
    assert (found.status, found.evidence) == ("holds", 2)


def test_a_rewritten_history_is_found() -> None:
    """The two requests and the first message that changed are named."""
    run = Run([LOOK])
    run.looks("long output")
    run.asks(call("look"))
    run.history = type(run.history)(
        [system(PROMPT), user("go"), assistant("", asked("look", id="c1"))]
    )
    run.history.append(tool_result("c1", "(cut)"))
    run.says()
    trace = run.ends()
    found = verdict(trace, "history-append-only")
    assert found.status == "violated"
    (violation,) = found.violations
    assert violation.expected == "message 3 as it was, a result of c1: 'long output'"
    assert violation.found == "message 3, a result of c1: '(cut)'"
    assert [trace.events[at].kind for at in found.violations[0].events] == [
        "request"
    ] * 2


def test_a_history_that_shrinks_is_found() -> None:
    """Dropping messages from the end rewrites the history as well."""
    run = Run([LOOK])
    run.looks()
    run.requests()
    run.history = type(run.history)([system(PROMPT), user("go")])
    run.says()
    found = verdict(run.ends(), "history-append-only")
    assert found.status == "violated"
    assert found.violations[0].expected == "all 4 messages, with new ones behind them"
    assert found.violations[0].found == "2 messages"


def test_an_announced_condensation_may_rewrite_the_history() -> None:
    """What a runtime announces is exempt, the same without a word is not."""
    for announced in (True, False):
        run = Run([LOOK])
        run.looks()
        run.looks()
        run.requests()
        if announced:
            run.adds(CondenseStarted("too long", who="runtime"))
            run.adds(CondenseEnded(6, 2, who="runtime"))
        run.history = type(run.history)([system(PROMPT), user("go, after two looks")])
        run.says()
        trace = run.ends()
        expected = "holds" if announced else "violated"
        assert verdict(trace, "history-append-only").status == expected
        assert verdict(trace, "every-call-answered").status == "holds"


def test_calls_of_a_rewritten_history_are_matched_by_id() -> None:
    """Where a response can't be found by its place, its ids tell whether it was kept."""
    for kept in (True, False):
        run = Run([LOOK])
        run.asks(call("look"))
        run.runs("look", "no", ending="error")
        rest = (
            [run.message, tool_result("c1", "Error: no", is_error=True)] if kept else []
        )
        run.history = type(run.history)([system("Another."), user("go"), *rest])
        run.says()
        trace = run.ends()
        found = verdict(trace, "every-call-answered")
        assert found.status == ("holds" if kept else "violated")
        found = verdict(trace, "errors-visible")
        assert found.status == ("holds" if kept else "unknown")


def test_lives_have_histories_of_their_own() -> None:
    """A new life may start anew: only histories of one life are compared."""
    run = Run([LOOK])
    run.looks()
    run.requests()
    run.crashes()
    run.says()
    trace = run.ends()
    found = verdict(trace, "history-append-only")
    assert (found.status, found.evidence) == ("holds", 2)


def test_one_history_is_nothing_to_compare() -> None:
    """A run of one request that left no history tested nothing."""
    run = Run()
    run.says()
    assert verdict(run.trace(), "history-append-only").status == "unknown"


def test_an_outcome_may_leave_the_prompt_out() -> None:
    """A runtime that does not count the prompt to the history is no rewriter."""
    run = Run([LOOK])
    run.looks()
    run.says()
    trace = run.ends(history=list(run.history.view())[1:])
    assert verdict(trace, "history-append-only").status == "holds"
    trace = run.ends(history=list(run.history.view())[2:])
    assert verdict(trace, "history-append-only").status == "violated"


def test_one_prefix_in_all_requests_holds() -> None:
    """Prompt and tools as configured, in every request, are what is asked for."""
    run = Run([LOOK, write("note")])
    run.looks()
    run.says()
    found = verdict(run.ends(), "prefix-stable")
    assert (found.status, found.evidence) == ("holds", 2)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ([], "no system prompt"),
        ([system("You are")], "'You are'"),
        ([system(PROMPT), system("Hurry.")], "'You are an agent.' and 'Hurry.'"),
        ([system("x" * 80)], f"'{'x' * 60}...'"),
        ([system(PROMPT + "x" * 80)], f"'{PROMPT}{'x' * 43}...'"),
        ([system(f"{PROMPT} Or not?")], "'You are an agent. Or not?'"),
    ],
)
def test_a_prompt_that_is_not_sent_as_configured_is_found(
    start: list[Message], words: str
) -> None:
    """A prompt that is missing, changed or joined by another is found."""
    run = Run()
    run.history = type(run.history)([*start, user("go")])
    run.says()
    found = verdict(run.ends(), "prefix-stable")
    assert found.status == "violated"
    assert found.violations[0].found == words


def test_an_agent_may_send_a_prompt_of_its_own() -> None:
    """Where none is configured any prompt will do, as long as it stays the same."""
    for second, expected in (("mine", "holds"), ("mine, changed", "violated")):
        run = Run(prompt=None)
        run.history = type(run.history)([system("mine"), user("go")])
        run.requests()
        run.history = type(run.history)([system(second), user("go")])
        run.says()
        assert verdict(run.ends(), "prefix-stable").status == expected


def test_the_empty_prompt_is_none() -> None:
    """An empty configured prompt asks for no system message."""
    run = Run(prompt="")
    run.says()
    assert verdict(run.ends(), "prefix-stable").status == "holds"


@pytest.mark.parametrize(
    ("tools", "found"),
    [
        ((), "tools: none"),
        ((ToolDef("look"), ToolDef("peek")), "tools: look, peek"),
        ((ToolDef("look", "Look!"),), "with other descriptions or parameters"),
    ],
)
def test_other_tools_are_found(tools: tuple[ToolDef, ...], found: str) -> None:
    """Tools that are missing, added or described differently break the prefix."""
    run = Run([LOOK])
    run.requests(tools=tools)
    judged = verdict(run.trace(), "prefix-stable")
    assert judged.status == "violated"
    assert found in judged.violations[0].found


def test_tools_in_another_order_are_found() -> None:
    """They are part of what a cache holds, in the order that is configured."""
    run = Run([LOOK, write("note")])
    run.requests(tools=(ToolDef("note"), ToolDef("look")))
    assert verdict(run.trace(), "prefix-stable").status == "violated"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((ToolDef("look", "Look!"),), (ToolDef("look", "Look!"),), "holds"),
        ((ToolDef("peek"), ToolDef("look", "Look!")), None, "holds"),
        ((ToolDef("look", "Look!"),), (ToolDef("look", "Look"),), "violated"),
        ((ToolDef("peek"),), (ToolDef("look"),), "violated"),
    ],
)
def test_a_framework_words_tools_its_own_way_and_always_the_same(
    first: tuple[ToolDef, ...], second: tuple[ToolDef, ...] | None, expected: str
) -> None:
    """By an SDK, words and further tools are the agent's, as long as they stay."""
    run = Run([LOOK])
    run.requests(tools=first, wire="openai-chat")
    run.requests(tools=first if second is None else second, wire="openai-chat")
    assert verdict(run.trace(), "prefix-stable").status == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (f"{PROMPT}\n\nNever guess.", f"{PROMPT}\n\nNever guess.", "holds"),
        (f"{PROMPT}\n\nNever guess.", f"{PROMPT}\n\nHurry.", "violated"),
        ("You are somebody else.", "You are somebody else.", "violated"),
    ],
)
def test_a_loop_on_an_sdk_may_put_its_own_words_around_the_prompt(
    first: str, second: str, expected: str
) -> None:
    """The configured prompt must be sent, and all of it stays the same."""
    run = Run()
    run.wire = "openai-chat"
    for text in (first, second):
        run.requests(History([system(text), user("go")]).view())
    assert verdict(run.trace(), "prefix-stable").status == expected


@pytest.mark.parametrize("offered", [(), (ToolDef("peek"),)])
@pytest.mark.parametrize(
    ("name", "expected"), [("look", "violated"), ("peek", "holds")]
)
def test_a_loop_on_an_sdk_offers_what_the_model_asks_for(
    offered: tuple[ToolDef, ...], name: str, expected: str
) -> None:
    """It may leave out tools of a larger world, but none for which it has a use."""
    run = Run([LOOK])
    number = run.requests(tools=offered, wire="openai-chat")
    message = assistant("", ToolCall("c1", name))
    run.adds(ResponseReceived(number, message, "tool_use", None))
    assert verdict(run.trace(), "prefix-stable").status == expected


def test_no_request_is_no_evidence() -> None:
    """A run that asks nothing tests neither the prefix nor the service."""
    trace = Run().ends()
    assert verdict(trace, "prefix-stable").status == "unknown"
    assert verdict(trace, "provider-accepts").status == "unknown"


def test_a_refusal_for_the_shape_is_found() -> None:
    """A request that breaks a rule of the history is refused, and named by it."""
    run = Run()
    run.fails(400, rule="orphan")
    found = verdict(run.ends("failed"), "provider-accepts")
    assert found.status == "violated"
    assert found.violations[0].found == "status 400, rule orphan"


def test_a_refusal_that_nobody_waited_for_is_told_by_its_rule() -> None:
    """What came instead, such as a time-out of the client, is not why it is refused."""
    run = Run()
    run.fails(None, rule="orphan")
    (found,) = verdict(run.ends("failed"), "provider-accepts").violations
    assert found.words == (
        "request 1 breaks the rule orphan, and nobody waited for its refusal"
    )


def test_other_errors_of_the_service_are_no_refusals() -> None:
    """An overload, or a bad request that a fault made, says nothing of the shape."""
    run = Run()
    run.fails(529)
    run.fails(400)
    run.says()
    found = verdict(run.ends(), "provider-accepts")
    assert (found.status, found.evidence) == ("holds", 3)


def test_a_rewritten_response_is_not_lost() -> None:
    """Other arguments under the same ids, or a summary that was announced, are not that."""
    run = Run([LOOK])
    run.asks(asked("look", '{"n":1}', id="c1"), keep=False)
    run.runs("look", n=1)
    kept = assistant("", asked("look", "{}", id="c1"))
    run.history = History([system(PROMPT), user("went"), kept, tool_result("c1", "ok")])
    run.says()
    assert verdict(run.ends(), "every-call-answered").status == "holds"
    for announced in (True, False):
        run = Run([LOOK])
        run.asks(call("look"), keep=False)
        if announced:
            run.adds(CondenseEnded(3, 2, who="runtime"))
        run.history = History([system(PROMPT), user("summary")])
        run.says()
        found = verdict(run.ends(), "every-call-answered")
        assert found.status == ("holds" if announced else "violated")
