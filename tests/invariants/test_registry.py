"""The registry: complete, documented, and open to invariants of one's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agentsim.core import RequestSent, UsageError
from agentsim.invariants import (
    INVARIANTS,
    Facts,
    Invariant,
    Judgement,
    Ruling,
    VerdictStatus,
    Violation,
    invariant,
    judge,
    not_applicable,
    overall,
    reference_page,
    rule,
)
from agentsim.invariants.registry import TAKEN
from agentsim.providers import say
from agentsim.simulation import Scenario, explore, run
from agentsim.simulation.expectation import EXPECTED
from agentsim.simulation.verdict import LOST_ERRORS, RUNS_INDEPENDENT
from tests.invariants.support import Run, read
from tests.support.command import agentsim

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "invariants.md"


def test_invariants_stand_in_the_order_of_the_documentation() -> None:
    """The ids are public: their names and order change only on purpose."""
    assert list(INVARIANTS.own) == [
        "results-in-order",
        "every-call-answered",
        "history-append-only",
        "prefix-stable",
        "provider-accepts",
        "errors-visible",
        "cut-calls-told",
        "allowlist",
        "arguments-as-asked",
        "confirmed-before-effect",
        "effect-once",
        "writes-alone",
        "calls-in-order",
        "reads-bounded",
        "loop-blocked",
        "loop-terminal",
        "no-false-loop",
        "limit-exact",
        "limit-terminal",
        "budget-counted-once",
        "deadline-kept",
        "cancellation-kept",
        "result-always",
        "ends",
        "response-kept-whole",
        "results-as-returned",
        "no-invented-messages",
        "stops-by-structure",
        "cut-is-not-success",
        "one-model",
        "resumable",
        "result-true",
        "no-work-after-end",
    ]


@pytest.mark.parametrize("name", INVARIANTS.own)
def test_every_invariant_says_what_a_reader_needs(name: str) -> None:
    """Sentence, rationale and number of the specification are there, as sentences."""
    entry = INVARIANTS[name]
    assert entry.id == name
    assert entry.spec
    for text in (entry.sentence, entry.rationale, *entry.exemptions):
        assert text.endswith((".", "(R7.1).", "(R8.3)."))
        assert text == " ".join(text.split())


def test_the_reference_page_is_that_of_the_registry() -> None:
    """Run `python -m agentsim.invariants.reference > docs/reference/invariants.md`."""
    assert PAGE.read_text(encoding="utf-8") == reference_page()


def test_some_invariants_may_be_chosen() -> None:
    """Chosen ones are judged in the order of the registry; others are unknown names."""
    trace = Run().trace()
    found = judge(trace, ["ends", "allowlist"])
    assert [entry.id for entry in found] == ["allowlist", "ends"]
    with pytest.raises(
        UsageError, match=r"unknown invariant .alowlist.; did you mean .allowl"
    ):
        judge(trace, ["alowlist"])


@invariant("two-requests", "A run asks twice.", rationale="To show how one is made.")
def two_requests(facts: Facts) -> Ruling:
    """Count the requests."""
    requests = [at for at, e in enumerate(facts.events) if isinstance(e, RequestSent)]
    if not facts.events:
        return not_applicable("the trace is empty")
    extra = [Violation("too many requests", "two", str(len(requests)), tuple(requests))]
    return rule(
        len(requests), extra if len(requests) > 2 else [], "no request was sent"
    )


def test_an_invariant_of_ones_own_is_judged_last() -> None:
    """What the decorator makes is judged like those that come with agentsim."""
    run = Run([read("look")])
    statuses = []
    for _ in range(4):
        judged = judge(run.trace(), ["ends"], extra=[two_requests])
        assert [entry.id for entry in judged] == ["ends", "two-requests"]
        statuses.append(judged[1].status)
        run.requests()
    assert statuses == ["unknown", "holds", "holds", "violated"]


def test_an_invariant_of_ones_own_may_hold_a_list() -> None:
    """What cannot be hashed can judge."""

    @dataclass(frozen=True)
    class Worded(Invariant):
        words: list[str] = field(default_factory=list)

    def holds(_facts: Facts) -> Ruling:
        return rule(1, [], "")

    worded = Worded("worded", "It is.", "It is so.", ("R1",), (), holds)
    judged = judge(Run([read("look")]).trace(), ["ends"], extra=[worded])
    assert [entry.id for entry in judged] == ["ends", "worded"]


class Mumbled(Exception):
    """An error that can't say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def exits(_facts: Facts) -> Ruling:
    """End the process, as a script does."""
    raise SystemExit(3)


def mumbles(_facts: Facts) -> Ruling:
    """Fail without words."""
    raise Mumbled


async def waits(_facts: Facts) -> Ruling:
    """Rule nothing until it is awaited."""
    return rule(1, [], "")


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (lambda facts: None, r"'mine' must return rule\(...\) or .*, got None"),
        (lambda facts: facts.event, "'mine' raised AttributeError"),
        (exits, "'mine' raised SystemExit: 3; it is asked of every run"),
        (mumbles, "'mine' raised Mumbled; it is asked of every run"),
        (waits, r"'mine' must return rule\(...\) or .*, got a coroutine"),
        (
            lambda facts: rule(1, [Violation("a", "b", "c", None)], ""),  # type: ignore[arg-type]
            r"'mine' must return .*, got a violation that is none",
        ),
    ],
)
def test_an_invariant_of_ones_own_that_rules_nothing_is_told(
    check: Callable[[Facts], Ruling], words: str
) -> None:
    """The error names the invariant, and is none of ours."""
    mine = invariant("mine", "A rule.", rationale="It matters.")(check)
    with pytest.raises(UsageError, match=words):
        judge(Run([read("look")]).trace(), extra=[mine])


def test_what_is_no_invariant_is_told() -> None:
    """A function that lacks the decorator is refused where it is added or handed over."""

    def bare(facts: Facts) -> Ruling:
        return rule(1, [], "")

    with pytest.raises(UsageError, match=r"expected an invariant, .*, got function"):
        judge(Run([read("look")]).trace(), extra=[bare])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="expected an invariant, got function"):
        INVARIANTS.add(bare)  # type: ignore[arg-type]


def test_an_added_invariant_is_judged_and_named_everywhere() -> None:
    """From `add` on every run is judged by it, and `named` and `list` know it."""
    story = Scenario("Say hello.", script=[say("Hello.")])
    before = run(story).verdict.judgements
    INVARIANTS.add(two_requests)
    try:
        made = run(story, named=["two-requests"])
        assert made.verdict.judgements[-2].id == "two-requests"  # before `expected`
        assert made.verdict.status == "holds"
        assert judge(made.trace, ["two-requests"])[0].status == "holds"
        assert "two-requests" not in explore(story, runs=2).no_evidence
        assert "two-requests" in agentsim("list", "invariants").out
    finally:
        INVARIANTS.discard("two-requests")
    assert run(story).verdict.judgements == before
    assert "two-requests" not in reference_page()


PLACED = Violation("w", "e", "f", (0,))

NO_RULINGS: dict[str, object] = {
    "nothing": None,
    "a yes": True,
    "a status alone": ("holds",),
    "another status": ("fine", 1, (), ""),
    "a violation that shows nothing": ("violated", 1, (), ""),
    "a violation that holds": ("holds", 1, (PLACED,), ""),
    "violations of nothing": ("holds", 1, None, ""),
    "a violation in a word": ("violated", 1, ("bad",), ""),
    "a violation of numbers": ("violated", 1, (Violation(1, "e", "f", ()),), ""),  # type: ignore[arg-type]
    "a place that is none": ("violated", 1, (Violation("w", "e", "f", (999,)),), ""),
}


@pytest.mark.parametrize("given", NO_RULINGS.values(), ids=list(NO_RULINGS))
def test_what_is_no_ruling_passes_for_none(given: object) -> None:
    """A check of yours that gives something else is told by name, and never holds."""
    trace = Run([read("look")]).trace()
    odd = invariant("odd-one", "It is odd.", rationale="None.")(lambda _: given)  # type: ignore[arg-type,return-value]
    with pytest.raises(UsageError, match=r"^invariant 'odd-one' must return rule"):
        judge(trace, extra=[odd])


@pytest.mark.parametrize("name", ["", "Odd one", "odd:one", "odd@1", "-", *TAKEN])
def test_a_name_can_be_told_from_others(name: str) -> None:
    """It can stand in an option, and is no other thing that a run may meet."""
    with pytest.raises(UsageError, match="a name has small letters and digits"):
        invariant(name, "It is odd.", rationale="None.")(two_requests.check)


def test_the_names_that_are_taken_are_those_of_verdicts() -> None:
    """What is judged beside the invariants is on the list."""
    assert {LOST_ERRORS, RUNS_INDEPENDENT, EXPECTED} <= set(TAKEN)


@pytest.mark.parametrize(
    ("statuses", "named", "expected"),
    [
        ((), (), "holds"),
        (("holds", "unknown", "not_applicable"), (), "holds"),
        (("holds", "unknown", "not_applicable"), ("b",), "unknown"),
        (("holds", "unknown", "not_applicable"), ("a", "c"), "holds"),
        (("holds", "unknown", "violated"), ("b",), "violated"),
    ],
)
def test_the_overall_verdict(
    statuses: tuple[VerdictStatus, ...], named: tuple[str, ...], expected: str
) -> None:
    """Violated if any is; else unknown if a named one is; else it holds."""
    judgements = [
        Judgement(name, status, 0, (), "")
        for name, status in zip("abc", statuses, strict=False)
    ]
    assert overall(judgements, named=named) == expected
