"""Calls that are alike: which of them ran is told by the results the model got."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from agentsim.core import (
    History,
    LoopRules,
    Message,
    ToolCall,
    ToolStarted,
    assistant,
    system,
    tool_result,
    user,
)
from agentsim.invariants import Facts, judge
from agentsim.trace import Trace
from tests.invariants.support import (
    PROMPT,
    Run,
    asked,
    call,
    confirmed,
    read,
    verdict,
    write,
)

LOOK, PAY, NOTE = read("look"), confirmed("pay"), write("note")
LOOP = "Error: loop detected: it was called {} times with the same result"
TWICE = LoopRules(2, 10)
"""A repeated result is blocked at once, so that tests stay short."""


def alarms(trace: Trace) -> list[str]:
    """The ids of all invariants that are violated, each checked for its form."""
    found = judge(trace)
    for entry in found:
        verdict(trace, entry.id)
    return [entry.id for entry in found if entry.status == "violated"]


# -------------------------------------------------------------------------- declined


def paying(
    decisions: Sequence[bool],
    results: Sequence[str],
    *,
    ids: bool,
    output: str = "paid",
) -> Trace:
    """As many equal payments as decisions; what is approved is run."""
    run = Run([PAY])
    run.asks(*[call("pay")] * len(decisions))
    for entry, approved in zip(run.message.tool_calls, decisions, strict=True):
        run.confirms("pay", approved=approved, call_id=entry.id if ids else None)
        if approved:
            run.runs("pay", output, effect=True)
    run.tells(*results)
    run.says()
    return run.ends()


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize(
    ("decisions", "results"),
    [
        ([False, True], ["Error: declined", "paid"]),
        ([True, False], ["paid", "Error: declined"]),
        ([False, True, False], ["Error: no", "paid", "Error: no"]),
        ([True, False, True], ["it is paid", "Error: no", "it is paid"]),
    ],
)
def test_a_declined_call_has_no_run(
    decisions: list[bool], results: list[str], ids: bool
) -> None:
    """Of equal calls that is the run one which has its answer, the declined an error."""
    assert alarms(paying(decisions, results, ids=ids)) == []


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize(
    ("decisions", "results"),
    [
        ([False, True], ["paid", "paid"]),
        ([True, False], ["paid", "declined"]),
        ([False, False], ["paid", "Error: declined"]),
    ],
)
def test_a_refusal_told_as_an_answer_is_found(
    decisions: list[bool], results: list[str], ids: bool
) -> None:
    """As many errors as refusals are needed, whichever call was declined."""
    trace = paying(decisions, results, ids=ids)
    assert alarms(trace) == ["errors-visible"]
    (found,) = verdict(trace, "errors-visible").violations
    assert found.words == "the model is not told that pay failed (a person declined it)"


def test_a_question_that_names_its_call_decides() -> None:
    """Where the witness knows the declined call, an error for the other is no excuse."""
    trace = paying([False, True], ["paid", "Error: declined"], ids=True)
    assert alarms(trace) == ["errors-visible"]
    assert alarms(paying([False, True], ["paid", "Error: declined"], ids=False)) == []


def test_an_id_that_was_replaced_names_its_call_too() -> None:
    """Questions name the ids of the history, which may not be those of the response."""
    for told in ("Error: declined", "paid"):
        run = Run([PAY])
        run.asks(asked("pay", id="x"), asked("pay", id="x"), keep=False)
        mended = [ToolCall("x", "pay", "{}"), ToolCall("fresh", "pay", "{}")]
        run.history.append(assistant("", *mended))
        run.confirms("pay", call_id="x")
        run.runs("pay", "paid")
        run.confirms("pay", approved=False, call_id="fresh")
        run.history.append(tool_result("x", "paid"))
        error = told != "paid"
        run.history.append(tool_result("fresh", told, is_error=error))
        run.says()
        assert alarms(run.ends()) == ([] if error else ["errors-visible"])


def test_a_declined_call_that_ran_owns_its_run_if_no_other_can() -> None:
    """The run is unapproved, and that is all that is wrong: its answer was told."""
    run = Run([PAY])
    run.asks(call("pay"))
    run.confirms("pay", approved=False, call_id="c1")
    run.runs("pay", "paid", effect=True)
    run.tells("paid")
    run.says()
    assert alarms(run.ends()) == ["confirmed-before-effect"]


def test_a_question_about_no_call_concerns_none() -> None:
    """What a person declines that the model did not ask for is no failure of a call."""
    run = Run([PAY, LOOK])
    run.asks(call("look"), call("pay", '{"sum":1}'))
    run.confirms("pay", approved=False, sum=2)
    run.confirms("look", approved=False, call_id="another")
    run.confirms("pay", approved=False, sum=1, call_id="another")
    run.runs("look")
    run.tells("ok", "Error: declined")
    run.says()
    found = verdict(run.ends(), "errors-visible")
    assert (found.status, found.evidence) == ("holds", 1)


def test_a_question_before_any_response_concerns_none() -> None:
    """A person may be asked before the model has said anything."""
    run = Run([PAY])
    run.confirms("pay", approved=False)
    run.says()
    assert alarms(run.ends()) == []


# ---------------------------------------------------------------- failed, and repeated


def reading(
    endings: Sequence[tuple[str, bool]], results: Sequence[str], calls: int = 0
) -> Trace:
    """Equal reads, one after the other: what each gave, and whether it failed."""
    run = Run([LOOK])
    run.asks(*[call("look")] * (calls or len(endings)))
    for output, failed in endings:
        run.runs("look", output, ending="error" if failed else "ok")
    run.tells(*results)
    run.says()
    return run.ends()


@pytest.mark.parametrize(
    ("endings", "results"),
    [
        ([("broken", True), ("seen", False)], ["seen", "Error: broken"]),
        ([("broken", True), ("seen", False)], ["it was seen", "Error: a failure"]),
        ([("one", False), ("two", False)], ["two", "one"]),
        ([("broken", True), ("seen", False), ("seen", False)], ["seen", "seen"]),
        ([("seen", False), ("broken", True), ("seen", False)], ["seen", "seen"]),
        ([("a", True), ("b", True), ("seen", False)], ["Error: b", "seen"]),
        ([("a", True), ("b", True), ("seen", False)], ["Error: a", "seen"]),
    ],
)
def test_results_tell_which_of_equal_calls_failed(
    endings: list[tuple[str, bool]], results: list[str]
) -> None:
    """Runs may come in any order, and failed ones may be repeated."""
    trace = reading(endings, results, calls=len(results))
    assert alarms(trace) == []


@pytest.mark.parametrize(
    ("endings", "results"),
    [
        ([("broken", True), ("seen", False)], ["broken", "seen"]),
        ([("broken", True), ("seen", False)], ["seen", "seen"]),
        ([("broken", True), ("broken", True)], ["Error: broken", "seen"]),
        ([("seen", False), ("broken", True)], ["seen", "seen"]),
    ],
)
def test_an_answer_without_a_run_that_gave_one_is_found(
    endings: list[tuple[str, bool]], results: list[str]
) -> None:
    """No way of matching makes two answers of one run that ended well."""
    trace = reading(endings, results)
    assert alarms(trace) == ["errors-visible"]
    assert len(verdict(trace, "errors-visible").violations) == 1


def test_a_run_that_nothing_explains_belongs_to_no_call() -> None:
    """One run too many is one alarm, and changes nothing for the calls."""
    trace = reading([("a", False), ("b", False), ("c", True)], ["a", "b"], calls=2)
    assert alarms(trace) == ["allowlist"]


def test_what_died_in_a_crash_may_be_repeated() -> None:
    """A life that resumes runs a call once more that was in flight at the crash."""
    for calls in (1, 2):
        run = Run([NOTE])
        run.asks(*[call("note")] * calls)
        run.starts("note")
        run.crashes()
        for _ in range(calls):
            run.runs("note")
        assert verdict(run.trace(), "allowlist").status == "holds"
        run.runs("note")
        assert verdict(run.trace(), "allowlist").status == "violated"


def test_a_failed_run_with_other_arguments_is_told_too() -> None:
    """Of calls that differ from a run, those that can't run come last."""
    for results, status in (
        (["Error: bad", "Error: broken"], "holds"),
        (["Error: bad", "seen"], "violated"),
        (["bad", "seen"], "violated"),
    ):
        run = Run([LOOK])
        run.asks(call("look", "["), call("look", '{"n":1}'))
        run.runs("look", "broken", ending="error", n=2)
        run.tells(*results)
        run.says()
        assert verdict(run.ends(), "errors-visible").status == status


def test_a_start_that_names_a_replaced_id_is_believed() -> None:
    """Ids that the runtime made are known from the history."""
    for failing, expected in (("b", []), ("a", ["errors-visible"])):
        run = Run([LOOK])
        run.asks(asked("look"), asked("look"), keep=False)
        run.history.append(
            assistant("", ToolCall("a", "look", "{}"), ToolCall("b", "look", "{}"))
        )
        for operation, name in ((1, "b"), (2, "a")):
            run.adds(ToolStarted(operation, "look", {}, name))
            ending = "error" if name == failing else "ok"
            run.stops("look", operation=operation, ending=ending)  # type: ignore[arg-type]
        run.history.append(tool_result("a", "ok"))
        run.history.append(tool_result("b", "Error: ok", is_error=True))
        run.says()
        assert alarms(run.ends()) == expected


# ------------------------------------------------------------------ blocked as a loop


def looping(
    *endings: tuple[str, bool], results: Sequence[str], status: str = "done"
) -> Run:
    """Equal writes of one response, of which the last ones do not run."""
    run = Run([NOTE, LOOK], loop=TWICE)
    run.asks(*[call("note")] * len(results))
    for output, failed in endings:
        run.runs("note", output, ending="error" if failed else "ok", effect=True)
    run.tells(*results)
    if status == "done":
        run.says()
    return run


def test_blocks_are_given_to_runs_and_refusals_in_their_order() -> None:
    """A block tells nothing of a run; so what is left goes to the calls in order."""
    closed = "Error: not executed: the run is over"
    ended = ["Error: broken", LOOP.format(2), LOOP.format(3), LOOP.format(4), closed]
    broken = ("broken", True)
    run = looping(broken, broken, results=ended, status="loop")
    assert alarms(run.ends("loop")) == []
    mixed = ["ok", LOOP.format(2), "Error: broken", LOOP.format(2)]
    run = Run([LOOK], loop=TWICE)
    run.asks(*[call("look")] * 4)
    for failed in (False, False, True, True):
        run.runs(
            "look", "broken" if failed else "ok", ending="error" if failed else "ok"
        )
    run.tells(*mixed)
    run.says()
    assert alarms(run.ends()) == []


def test_a_repeated_answer_that_is_not_blocked_is_found_among_equal_calls() -> None:
    """Two equal answers in one response are one too many here."""
    run = looping(("ok", False), ("ok", False), results=["ok", "ok"])
    assert alarms(run.ends()) == ["loop-blocked"]


def test_a_blocked_write_has_no_run() -> None:
    """Of equal writes the one that was refused is the one without an answer."""
    run = Run([NOTE, write("save")], loop=TWICE)
    for result in ("Error: full", LOOP.format(2)):
        run.asks(call("note"))
        run.runs("note", "full", ending="error")
        run.tells(result)
    run.asks(call("note"), call("save"), call("note"))
    run.runs("save", effect=True)
    run.tells(LOOP.format(3), "ok", LOOP.format(4))
    assert alarms(run.ends("loop")) == []


def test_a_loop_that_a_refused_call_ends_ends_when_its_turn_comes() -> None:
    """The runs of earlier calls of that response came before the end, later ones not."""
    blocked = ["ok", *[LOOP.format(count) for count in (2, 3, 4)]]
    run = looping(("ok", False), ("ok", False), results=blocked, status="loop")
    assert alarms(run.ends("loop")) == []
    run = Run([NOTE, write("save")], loop=TWICE)
    run.asks(*[call("note")] * 4, call("save"))
    for name in ("note", "note", "save"):
        run.runs(name, effect=True)
    run.tells(*blocked, "ok")
    assert alarms(run.ends("loop")) == ["limit-terminal"]


@pytest.mark.parametrize(("runs", "expected"), [(1, []), (2, ["loop-blocked"])])
def test_a_run_in_a_full_window_is_that_of_a_later_call(
    runs: int, expected: list[str]
) -> None:
    """The window may slide off a block within a response: then a later call runs."""
    run = Run([NOTE], loop=LoopRules(2, 5))
    for result in ("ok", LOOP.format(2)):
        run.asks(call("note"))
        run.runs("note", effect=True)
        run.tells(result)
    unknown = [call("lok", f'{{"n":{n}}}') for n in range(4)]
    run.asks(unknown[0], call("note"), *unknown[1:], call("note"))
    for _ in range(runs):
        run.runs("note", effect=True)
    no = "Error: unknown tool"
    run.tells(no, LOOP.format(3), no, no, no, LOOP.format(2))
    assert alarms(run.ends("stopped")) == expected


def test_each_way_to_decline_has_a_result_of_its_own() -> None:
    """A block hides the reason; the question before it tells which result repeats."""
    run = Run([PAY], loop=LoopRules())
    for count, reason in enumerate(["no", "later", "no", "later", "no"]):
        run.asks(call("pay"))
        run.confirms("pay", approved=False, reason=reason)
        run.tells(LOOP.format(3) if count == 4 else f"Error: declined: {reason}")
    assert alarms(run.ends("stopped")) == []
    run = Run([PAY], loop=TWICE)
    for by, approved in (("ann", False), (None, True), (None, True)):
        run.asks(call("pay"))
        run.confirms("pay", approved=approved, by=by, reason="no")
        seen = len(run.history) > 6
        run.tells(LOOP.format(2) if seen else f"Error: {by} said {approved}")
    assert alarms(run.ends("stopped")) == []


def test_refusals_without_a_reason_are_matched_in_their_order() -> None:
    """That a result speaks of a refusal does not tell of which."""
    run = Run([PAY], loop=LoopRules())
    results = ["no", "an approval needs a name"] * 2 + [LOOP.format(3)]
    for calls in (2, 3):
        run.asks(*[call("pay")] * calls)
        for nth in range(calls):
            by = None if nth == 1 else "ann"
            run.confirms("pay", approved=nth == 1, by=by)
        told = [f"Error: declined: {text}" for text in results[:2]]
        run.tells(*told, *results[4:][: calls - 2])
    assert alarms(run.ends("stopped")) == []


def test_a_refusal_in_other_words_may_be_one_that_was_seen() -> None:
    """Where no call was declined like this one, any result that explains a block does."""
    for reasons, expected in (
        (["no", "not"], []),
        (["no"], ["no-false-loop"]),
    ):
        run = Run([PAY], loop=LoopRules())
        for reason in reasons:
            run.asks(call("pay"))
            run.confirms("pay", approved=False, reason=reason)
            run.tells("Error: the person said no")
        run.asks(call("pay"))
        run.confirms("pay", approved=False, reason="never")
        run.tells(LOOP.format(3))
        assert alarms(run.ends("stopped")) == expected


def test_what_a_block_stands_for_may_be_unknown() -> None:
    """Where a new refusal may repeat either of two results, nobody can count on."""
    run = Run([PAY], loop=TWICE)
    for count, reason in enumerate(["no", "later", "never", "never", "no", "later"]):
        run.asks(call("pay"))
        run.confirms("pay", approved=False, reason=reason)
        run.tells(LOOP.format(2) if count > 1 else f"Error: declined: {reason}")
    assert alarms(run.ends("stopped")) == []


def test_whose_a_repeated_run_is_may_be_unknown() -> None:
    """Two calls, three failures and a block: nobody can say which was repeated."""
    for told in (LOOP.format(2), "Error: it failed"):
        run = Run([LOOK], loop=TWICE)
        run.asks(*[call("look")] * 2)
        for words in ("one", "two", "one"):
            run.runs("look", words, ending="error")
        run.tells("Error: it failed", told)
        assert alarms(run.ends("stopped")) == []


def test_a_retry_and_a_refusal_may_look_like_a_run_for_each_call() -> None:
    """Three runs of three calls, of which one was repeated and one refused."""
    run = looping(
        ("full", True),
        ("ok", False),
        ("ok", False),
        results=["ok", LOOP.format(2), LOOP.format(3)],
    )
    assert alarms(run.ends()) == []


@pytest.mark.parametrize(
    ("failed", "expected"), [(True, []), (False, ["loop-blocked"])]
)
def test_a_blocked_call_may_show_the_retry_of_the_one_before(
    failed: bool, expected: list[str]
) -> None:
    """As many runs as calls: was the last one refused, and that before it repeated?"""
    results = ["full", LOOP.format(2), LOOP.format(3)]
    if failed:
        results[0] = "Error: full"
    run = looping(*[("full", failed)] * 3, results=results)
    assert alarms(run.ends()) == expected


# ------------------------------------------------------------ with a rewritten history


@pytest.mark.parametrize(
    ("prompt", "task", "expected"),
    [
        ("Another prompt.", "go", ["prefix-stable"]),
        (PROMPT, "gone", ["history-append-only"]),
        ("Another prompt.", "gone", ["history-append-only", "prefix-stable"]),
    ],
)
def test_a_rewritten_history_loses_no_call_that_it_holds(
    prompt: str, task: str, expected: list[str]
) -> None:
    """What changes is one finding each, also where the ids of calls are replaced."""
    run = Run([LOOK])
    run.asks(asked("look"), keep=False)
    run.runs("look", "broken", ending="error")
    run.history = History([system(prompt), user(task)])
    run.history.append(assistant("", ToolCall("fresh", "look", "{}")))
    run.history.append(tool_result("fresh", "Error: broken", is_error=True))
    run.says()
    trace = run.ends()
    assert alarms(trace) == expected
    assert verdict(trace, "errors-visible").status == "holds"


def test_a_rewritten_history_that_loses_a_call_is_found() -> None:
    """A response that is nowhere in the next history is lost, whatever else changed."""
    run = Run([LOOK])
    run.asks(call("look"), keep=False)
    run.runs("look")
    run.history = History([system(PROMPT), user("gone")])
    run.says()
    assert alarms(run.ends()) == ["every-call-answered", "history-append-only"]


def test_a_response_behind_a_message_that_came_between_is_found() -> None:
    """What was slipped in before the response is another's question than its results."""
    run = Run([LOOK])
    run.asks(asked("look"), keep=False)
    run.runs("look", "broken", ending="error")
    run.history.append(system("by the way"))
    run.history.append(assistant("", ToolCall("fresh", "look", "{}")))
    run.history.append(tool_result("fresh", "broken"))
    run.says()
    assert alarms(run.ends()) == ["errors-visible", "resumable"]


@pytest.mark.parametrize(
    ("text", "taken"), [("", 1), ("thinking", 2)], ids=["empty", "kept"]
)
def test_a_discarded_response_is_no_iteration_of_a_rewritten_history(
    text: str, taken: int
) -> None:
    """An answer that is nowhere in the next history was asked for again."""
    run = Run()
    run.says(text, keep=bool(text), stop="pause_turn")
    run.history = History([system(PROMPT), user("gone"), *run.history.view()[2:]])
    run.says()
    (life,) = Facts(run.ends()).lives
    assert len(life.consumed) == taken


def test_results_without_their_calls_are_one_finding() -> None:
    """A response that is left out is told once, also where its ids were replaced."""
    for name in ("c1", "fresh"):
        run = Run([LOOK])
        run.asks(asked("look", id="c1" if name == "c1" else ""), keep=False)
        run.runs("look")
        run.history.append(tool_result(name, "ok"))
        run.says()
        found = verdict(run.ends(), "every-call-answered")
        assert [entry.words for entry in found.violations] == [
            f"the result of {name} has no call in the response directly before it"
        ]


def test_an_open_call_with_a_replaced_id_shows_its_response() -> None:
    """The events of a violation are those of the call, whatever id it has by now."""
    run = Run([LOOK])
    run.asks(asked("look"), keep=False)
    run.history.append(assistant("", ToolCall("fresh", "look", "{}")))
    run.says()
    trace = run.ends()
    (found,) = verdict(trace, "every-call-answered").violations
    assert [trace.events[at].kind for at in found.events] == ["response", "request"]
    assert found.found == "the history ends with message 2"


def test_a_block_without_the_flag_is_told_as_that() -> None:
    """The words of a block are not enough: the model is to hear an error."""
    run = Run([LOOK], loop=TWICE)
    run.looks()
    run.asks(call("look"))
    run.runs("look")
    run.answers(LOOP.format(2))
    (found,) = verdict(run.ends("stopped"), "loop-blocked").violations
    assert found.words == "the block of look is not flagged as an error"
    assert found.found.endswith("without the flag")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (assistant("a", asked("look", id="a")), assistant("a"), "assistant: 'a'"),
        (
            assistant("a", asked("look", id="a")),
            assistant("a", asked("look", id="b")),
            "assistant with calls of look, with other details",
        ),
        (
            assistant("a"),
            tool_result("a", "no", is_error=True),
            "a result of a (an error): 'no'",
        ),
    ],
)
def test_a_changed_message_is_told_by_what_differs(
    before: Message, after: Message, words: str
) -> None:
    """Role, calls, text: what a reader needs to see the change."""
    run = Run([LOOK])
    run.history.append(before)
    run.requests()
    run.history = History([system(PROMPT), user("go"), after])
    run.requests()
    (found,) = verdict(run.trace(), "history-append-only").violations
    assert found.found == f"message 2, {words}"


def test_a_repeated_run_of_equal_calls_is_no_second_tool_of_the_result() -> None:
    """The first of two equal calls was run twice, and the second never had its turn."""
    run = Run([LOOK])
    run.asks(call("look"), call("look"))
    run.runs("look", "lost", ending="unknown")
    run.runs("look", "late")
    run.tells("Error: not finished: the deadline", "Error: not executed: the deadline")
    assert alarms(run.ends("deadline", tools=("look",))) == []
