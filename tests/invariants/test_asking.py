"""What runs is what was asked for: arguments, who confirmed them, and how often."""

from __future__ import annotations

from typing import Any

import pytest

from agentsim.core import Rights, ToolDef
from agentsim.trace import ToolFacts, Trace
from tests.invariants.support import Run, call, confirmed, read, verdict, write

LOOK = read("look")
NOTE = write("note")
PAY = confirmed("pay")
BIG = 2**53 + 1


def asking(arguments: str, **given: Any) -> Trace:
    """A run in which the model asks for a note, which is written with other arguments."""
    run = Run([NOTE])
    run.asks(call("note", arguments))
    run.runs("note", **given)
    run.answers("ok")
    run.says()
    return run.ends()


@pytest.mark.parametrize(
    ("arguments", "given", "expected"),
    [
        ('{"a":1,"b":"x"}', {"b": "x", "a": 1}, "holds"),
        ("", {}, "holds"),
        ('{"a":1}', {"a": 1.0}, "holds"),
        ('{"a":1}', {"a": True}, "violated"),
        ('{"a":[1,{"b":2}]}', {"a": [1, {"b": 2}]}, "holds"),
        ('{"a":[1,{"b":2}]}', {"a": [1, {"b": 3}]}, "violated"),
        ('{"a":[1,2]}', {"a": [2, 1]}, "violated"),
        ('{"a":"x "}', {"a": "x"}, "violated"),
        ('{"a":null}', {}, "violated"),
        ("{}", {"a": None}, "violated"),
        (f'{{"a":{BIG}}}', {"a": BIG}, "holds"),
        (f'{{"a":{BIG}}}', {"a": BIG - 1}, "violated"),
        (f'{{"a":{BIG}}}', {"a": float(BIG)}, "violated"),
        ('{"a":"40.00"}', {"a": 40}, "violated"),
        ("null", {}, "violated"),
        ("[]", {}, "violated"),
        ('{"a":1', {"a": 1}, "violated"),
    ],
)
def test_a_tool_runs_with_what_the_model_wrote(
    arguments: str, given: dict[str, Any], expected: str
) -> None:
    """Values are compared as JSON has them, to the last digit, and never repaired."""
    trace = asking(arguments, **given)
    assert verdict(trace, "arguments-as-asked").status == expected


@pytest.mark.parametrize(
    ("given", "expected"), [(5, "holds"), (6, "violated"), (True, "violated")]
)
def test_the_default_of_a_schema_may_be_filled_in(given: int, expected: str) -> None:
    """A field that was left out means its default, which the model was told."""
    schema = {"type": "object", "properties": {"limit": {"default": 5}}}
    tool = ToolFacts.of(ToolDef("list", parameters=schema), Rights())
    run = Run([tool])
    run.asks(call("list", '{"host":"a"}'))
    run.runs("list", host="a", limit=given)
    run.answers("ok")
    assert verdict(run.ends(), "arguments-as-asked").status == expected


@pytest.mark.parametrize(
    ("kinds", "given", "expected"),
    [
        (["string", "null"], None, "holds"),
        ("null", None, "holds"),
        ("string", None, "violated"),
        (["string", "null"], "", "violated"),
    ],
)
def test_null_may_stand_for_a_field_that_was_left_out(
    kinds: object, given: str | None, expected: str
) -> None:
    """Frameworks give None where the schema takes null and names no default."""
    schema = {"type": "object", "properties": {"host": {"type": kinds}}}
    tool = ToolFacts.of(ToolDef("look", parameters=schema), Rights())
    run = Run([tool])
    run.asks(call("look", "{}"))
    run.runs("look", host=given)
    run.answers("ok")
    assert verdict(run.ends(), "arguments-as-asked").status == expected


@pytest.mark.parametrize(("second", "expected"), [(2, "holds"), (1, "violated")])
def test_each_call_runs_with_its_own_arguments(second: int, expected: str) -> None:
    """A call that is answered by another run of its sibling did not run as asked."""
    run = Run([LOOK])
    run.asks(call("look", '{"n":1}'), call("look", '{"n":2}'))
    run.runs("look", "one", n=1)
    run.runs("look", "one", n=second)
    run.answers("one", "one")
    run.says()
    assert verdict(run.ends(), "arguments-as-asked").status == expected


def test_equal_calls_and_repeated_runs_are_as_asked() -> None:
    """Two calls that are alike, and a third run after a failure, change nothing."""
    run = Run([NOTE])
    run.asks(call("note", '{"n":1}'), call("note", '{"n": 1}'))
    run.runs("note", "no", ending="error", n=1)
    run.runs("note", n=1)
    run.runs("note", n=1)
    run.answers("ok", "ok")
    assert verdict(run.ends(), "arguments-as-asked").status == "holds"


def paying(
    *, asked: dict[str, Any], given: dict[str, Any], by: str | None = "ann"
) -> Trace:
    """A run that pays invoice 1 after a person was asked."""
    run = Run([PAY])
    run.asks(call("pay", '{"invoice":1}'))
    run.confirms("pay", by=by, approved=by is not None, **asked)
    run.runs("pay", **given)
    run.answers("ok")
    run.says()
    return run.ends()


@pytest.mark.parametrize(
    ("asked", "given", "by", "expected"),
    [
        ({"invoice": 1}, {"invoice": 1, "confirmed_by": "ann"}, "ann", "holds"),
        ({"invoice": 1}, {"invoice": 1}, "ann", "holds"),
        ({"invoice": 1}, {"invoice": 1, "confirmed_by": "bob"}, "ann", "violated"),
        ({"invoice": 1}, {"invoice": 1, "confirmed_by": "ann"}, None, "violated"),
        ({"invoice": 1}, {"invoice": 1, "confirmed_by": None}, "ann", "violated"),
        ({"invoice": 2}, {"invoice": 1, "confirmed_by": "ann"}, "ann", "violated"),
        ({"invoice": 2}, {"invoice": 2, "confirmed_by": "ann"}, "ann", "violated"),
    ],
)
def test_a_person_is_asked_about_what_runs_and_signs_it(
    asked: dict[str, Any], given: dict[str, Any], by: str | None, expected: str
) -> None:
    """The question shows what the model asked for, and confirmed_by is who approved."""
    trace = paying(asked=asked, given=given, by=by)
    assert verdict(trace, "arguments-as-asked").status == expected


@pytest.mark.parametrize(
    ("signed", "expected"),
    [((True, True), "holds"), ((False, False), "holds"), ((True, False), "violated")],
)
def test_who_signs_one_approved_run_signs_all(
    signed: tuple[bool, bool], expected: str
) -> None:
    """An approval that is lost on one of two ways to a tool is found."""
    run = Run([PAY])
    for number, signs in enumerate(signed):
        run.asks(call("pay", f'{{"invoice":{number}}}'))
        run.confirms("pay", invoice=number)
        by: dict[str, Any] = {"confirmed_by": "ann"} if signs else {}
        run.runs("pay", invoice=number, **by)
        run.answers("ok")
    run.says()
    assert verdict(run.ends(), "arguments-as-asked").status == expected


def test_each_run_is_signed_by_who_approved_it() -> None:
    """Two persons approve the same call in turn: the first did not approve the second."""
    for second, expected in (("bob", "holds"), ("ann", "violated")):
        run = Run([confirmed("pay")])
        for by, signs in (("ann", "ann"), ("bob", second)):
            run.asks(call("pay"))
            run.confirms("pay", by=by)
            run.runs("pay", confirmed_by=signs)
            run.answers("ok")
        run.says("done")
        assert verdict(run.ends(), "arguments-as-asked").status == expected


def test_a_confirmed_by_of_the_model_is_removed() -> None:
    """What the model wrote into that field is neither asked for nor passed on."""
    for given, expected in (({}, "holds"), ({"confirmed_by": "boss"}, "violated")):
        trace = asking('{"confirmed_by":"boss"}', **given)
        assert verdict(trace, "arguments-as-asked").status == expected


def test_arguments_that_json_cannot_carry_are_told() -> None:
    """An agent may pass on what no JSON has; it is compared and told all the same."""
    found = verdict(asking('{"a":1}', a={1, 2}), "arguments-as-asked")
    assert found.status == "violated"
    assert "JSON can't carry" in found.violations[0].found


# ------------------------------------------------------------------------ effect-once


@pytest.mark.parametrize(
    ("calls", "endings", "expected"),
    [
        (1, ["ok"], "holds"),
        (1, ["error"], "unknown"),
        (1, ["error", "ok"], "holds"),
        (1, ["unknown", "ok"], "violated"),
        (2, ["ok", "ok"], "holds"),
        (2, ["unknown", "ok", "ok"], "violated"),
        (1, ["ok", "ok"], "violated"),
    ],
)
def test_one_call_takes_effect_once(
    calls: int, endings: list[str], expected: str
) -> None:
    """A run that certainly failed may be repeated; one that may have happened may not."""
    run = Run([NOTE])
    run.asks(*[call("note")] * calls)
    for ending in endings:
        run.runs("note", ending=ending, effect=ending != "error")  # type: ignore[arg-type]
    run.answers(*["ok"] * calls)
    run.says()
    assert verdict(run.ends(), "effect-once").status == expected


def test_a_refused_sibling_lends_nobody_its_effect() -> None:
    """Two effects of one call are two, whatever else the response asked for."""
    run = Run([NOTE])
    run.asks(call("note", '{"n":1}'), call("note", '{"n":2}'))
    for _ in range(2):
        run.runs("note", n=1, effect=True, ending="unknown")
    run.answers("Error: lost", "Error: refused", error=True)
    assert verdict(run.ends(), "effect-once").status == "violated"


def test_what_the_world_applies_twice_is_no_breach_of_the_agent() -> None:
    """One run with two effects is the world's doing."""
    run = Run([NOTE])
    run.asks(call("note"))
    run.starts("note")
    run.effects("note")
    run.effects("note")
    run.stops("note")
    run.answers("ok")
    assert verdict(run.ends(), "effect-once").status == "holds"


def test_nothing_is_promised_over_a_crash() -> None:
    """Without a store a new life can't know what the one before it did."""
    run = Run([NOTE])
    run.asks(call("note"))
    run.starts("note")
    run.effects("note")
    run.crashes()
    run.asks(call("note"))
    run.runs("note", effect=True)
    run.answers("ok")
    assert verdict(run.ends(), "effect-once").status == "holds"


def test_a_run_without_writes_can_not_write_twice() -> None:
    """Where no tool writes, the subject does not exist."""
    assert verdict(Run([LOOK]).ends(), "effect-once").status == "not_applicable"


# --------------------------------------------------------------------- calls-in-order


def ordered(*steps: str, calls: str = "note look pay") -> Trace:
    """One response with some calls; each step runs one, or asks a person first."""
    run = Run([LOOK, read("peek"), NOTE, PAY])
    run.asks(*[call(name) for name in calls.split()])
    for step in steps:
        if step == "ask":
            run.confirms("pay")
        elif step.endswith("..."):
            run.starts(step.removesuffix("..."))
        elif step.startswith("..."):
            run.stops(step.removeprefix("..."))
        else:
            run.runs(step)
    run.answers(*["ok"] * len(calls.split()))
    return run.ends()


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (("note", "look", "ask", "pay"), "holds"),
        (("look", "note", "ask", "pay"), "violated"),
        (("note", "ask", "look", "pay"), "violated"),
        (("ask", "note", "look", "pay"), "violated"),
        (("note", "ask", "pay", "look"), "violated"),
        (("note", "look...", "ask", "...look", "pay"), "violated"),
        (("note", "look...", "...look", "ask"), "holds"),
        (("ask", "pay"), "unknown"),
    ],
)
def test_calls_have_their_turns_in_order(steps: tuple[str, ...], expected: str) -> None:
    """Neither runs a call, nor is a person asked, before those ahead of it are done."""
    assert verdict(ordered(*steps), "calls-in-order").status == expected


def test_parallel_reads_may_start_in_any_order() -> None:
    """Reads that may overlap have no order among themselves."""
    trace = ordered("peek", "look", calls="look peek")
    assert verdict(trace, "calls-in-order").status == "unknown"


def test_calls_that_are_alike_have_no_order() -> None:
    """Which of two equal calls ran first can't be told, and is the same to everybody."""
    trace = ordered("note", "look", "note", calls="note look note")
    assert verdict(trace, "calls-in-order").status == "unknown"
