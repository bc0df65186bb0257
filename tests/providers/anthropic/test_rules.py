"""Every rule of Anthropic Messages: a bad request, and what the service says of it."""

import copy
from typing import Any

import pytest

from agentsim.core import UsageError
from agentsim.providers.anthropic import (
    MESSAGES_LENIENT,
    MESSAGES_RULES,
    MessagesProfile,
    MessagesReader,
)
from agentsim.providers.anthropic.rulebook.judge import RESULTS_SPLIT
from agentsim.providers.wires import WireRefusal
from agentsim.providers.wires.asked import RefusedRequest
from tests.providers.anthropic.bodies import BAD, Bad, bad_name
from tests.providers.anthropic.parts import (
    ANSWERED,
    CALLED,
    DOCUMENT,
    LOOK,
    MARK,
    NEW,
    OLD,
    THINKS,
    USER,
    call,
    request,
    result,
    said,
    text,
    thought,
    told,
)


def judged(bad: Bad) -> RefusedRequest | None:
    """What the service says of a bad request."""
    reader = MessagesReader(bad.profile)
    reader.answered(bad.answer)
    return reader.read(bad.body, bad.headers).refusal


@pytest.mark.parametrize("bad", BAD, ids=bad_name)
def test_a_bad_request_is_refused_in_the_words_of_the_service(bad: Bad) -> None:
    """Status, type and key phrase are those of the service; there is no code."""
    refusal = judged(bad)
    assert refusal is not None
    error = refusal.error()
    found = (refusal.rule, error.status, error.kind, error.code)
    assert found == (bad.rule, bad.status, bad.kind, None)
    assert bad.phrase in str(error)


def test_every_rule_has_a_bad_request() -> None:
    """No rule is without a test, and none of the collected facts is left out."""
    assert {bad.rule for bad in BAD} | {"no-json"} == set(MESSAGES_RULES)
    facts = {bad.fact for bad in BAD}
    assert {f"A{number}" for number in range(1, 42)} <= facts


@pytest.mark.parametrize("rule", [rule for rule in MESSAGES_RULES if rule != "no-json"])
def test_the_phrases_of_a_rule_are_what_the_service_says(rule: str) -> None:
    """Each phrase of the table stands in a message that the rule makes."""
    words = [
        refusal.words for bad in BAD if bad.rule == rule and (refusal := judged(bad))
    ]
    for phrase in MESSAGES_RULES[rule].phrase.split("; "):
        assert any(phrase in said for said in words)


FLOWN: dict[str, Any] = {
    "type": "server_tool_use",
    "id": "srvtoolu_9",
    "name": "web_search",
    "input": {},
}

SYSTEM = {"role": "system", "content": "Be kind."}

GOOD: dict[str, dict[str, Any]] = {
    "same role twice": request(USER, USER),
    "calls of two messages answered in one": request(
        USER,
        said(call()),
        said(call("toolu_2")),
        told(result(), result("toolu_2")),
    ),
    "results in another order": request(
        USER, said(call(), call("toolu_2")), told(result("toolu_2"), result())
    ),
    "results over two messages": request(
        USER,
        said(call(), call("toolu_2")),
        told(result()),
        told(result("toolu_2")),
    ),
    "text and a document after results": request(
        *CALLED, told(result(), text(), DOCUMENT)
    ),
    "an empty result": request(*CALLED, told(result(content=[]))),
    "a result without content": request(
        *CALLED, told({"type": "tool_result", "tool_use_id": "toolu_1"})
    ),
    "an error in one block": request(
        *CALLED, told(result(content=[text("Error: no")], is_error=True))
    ),
    "ids of any prefix": request(
        USER, said(call("auto_load_1")), told(result("auto_load_1"))
    ),
    "an empty last message of the model": request(USER, said()),
    "a last message of the model": request(USER, said(text("The"))),
    "a paused answer of a model without prefill": request(
        USER, said(text("So."), FLOWN), model="claude-opus-4-8"
    ),
    "a server tool in flight beside a call": request(
        USER, said(FLOWN, call()), told(result())
    ),
    "thinking first": request(
        USER, said(thought(), call()), told(result()), thinking=THINKS, tools=[LOOK]
    ),
    "thinking first in the loop only": request(
        USER,
        said(thought(), call()),
        told(result()),
        said(call("toolu_2")),
        told(result("toolu_2")),
        thinking=THINKS,
    ),
    "thinking that is off by now": request(USER, said(thought(), text()), USER),
    "no thinking in an older turn": request(USER, said(text()), USER, thinking=THINKS),
    "adaptive thinking and a forced call": request(
        model="claude-opus-4-6",
        thinking={"type": "adaptive"},
        tools=[LOOK],
        tool_choice={"type": "any"},
    ),
    "system messages in the conversation": request(
        USER, SYSTEM, SYSTEM, model="claude-opus-4-8"
    ),
    "the answer as the SDK dumps it": request(
        USER,
        said(text(citations=None), call(caller={"type": "direct"}, toolset_name=None)),
        told(result()),
    ),
    "four breakpoints": request(told(*[text(**MARK)] * 4)),
    "server tools": request(
        tools=[{"type": "web_search_20250305", "name": "web_search", "max_uses": None}],
        tool_choice={"type": "tool", "name": "web_search"},
    ),
    "sampling": request(temperature=0.2, top_k=1, top_p=0.9),
}


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD.keys())
def test_what_the_service_takes_is_taken(body: dict[str, Any]) -> None:
    """Histories that other services refuse and this one takes are taken."""
    assert MessagesReader().read(body, {"anthropic-version": OLD}).refusal is None


def test_what_the_service_merges_is_warned_of() -> None:
    """Results of one response over two messages are taken, and told as a habit."""
    for name, body in GOOD.items():
        split = name == "results over two messages"
        assert MessagesReader().read(body).warnings == (RESULTS_SPLIT,) * split


def test_a_version_takes_what_another_refuses() -> None:
    """Sampling, documents of the model and a max_tokens of 0 hang on the header."""
    reader = MessagesReader()
    bodies = (
        (request(temperature=1), NEW),
        (request(USER, said(DOCUMENT), USER), NEW),
        (request(max_tokens=0), OLD),
    )
    for body, refusing in bodies:
        for version in (OLD, NEW):
            refusal = reader.read(body, {"anthropic-version": version}).refusal
            assert (refusal is not None) is (version == refusing)


def test_an_answer_in_which_the_model_paused_goes_back_as_the_last_message() -> None:
    """A model that takes no prefill takes its own pause."""
    reader = MessagesReader()
    body = request(USER, said(text("So.")), model="claude-opus-4-8")
    assert reader.read(body).refusal is not None
    reader.answered({"content": [text("So.")], "stop_reason": "pause_turn"})
    assert reader.read(body).refusal is None


def test_thinking_of_this_service_and_of_elsewhere_is_taken() -> None:
    """Only what is told otherwise than it was given is refused."""
    reader = MessagesReader()
    reader.answered(ANSWERED)
    own, foreign = thought(), thought("Elsewhere.", "Zm9yZWlnbg")
    body = request(USER, said(own, text()), USER, said(foreign, text()), USER)
    assert reader.read(body).refusal is None


def test_thinking_that_was_changed_in_an_older_turn_has_no_signature() -> None:
    """The text about the latest message is kept for the latest message."""
    reader = MessagesReader()
    reader.answered(ANSWERED)
    changed = said(thought("Hm."), text())
    refusal = reader.read(request(USER, changed, USER, said(text()), USER)).refusal
    assert refusal is not None
    assert refusal.rule == "signature"


def test_a_thread_is_refused_so_that_the_runner_sends_all() -> None:
    """The code is the one that the SDK looks for, and no rule counts as broken."""
    asked = MessagesReader().read(request(thread={"type": "create"}))
    assert asked.refusal is not None
    error = asked.refusal.error()
    assert (asked.refusal.rule, error.status) == ("", 400)
    assert error.code == "thread_unsupported_request"


ORDER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("missing-field", {"messages": []}),
    ("surplus-field", {**request(), "messages": [], "n": 1}),
    ("no-messages", {**request(), "messages": [], "tool_choice": {"type": "any"}}),
    ("value", request({"role": "user", "content": 3}, n=1)),
    ("surplus-field", request(told(result()), n=1, tool_choice={"type": "any"})),
    ("choice-without-tools", request(told(result()), tool_choice={"type": "any"})),
    ("orphan", request(told(result()), said(text("a ")))),
)


@pytest.mark.parametrize(("rule", "body"), ORDER, ids=[rule for rule, _ in ORDER])
def test_of_several_faults_the_first_is_told(rule: str, body: dict[str, Any]) -> None:
    """Messages, forms, unknown fields, combinations, then the conversation."""
    refusal = MessagesReader().read(body).refusal
    assert refusal is not None
    assert refusal.rule == rule


@pytest.mark.parametrize("bad", BAD, ids=bad_name)
def test_a_verdict_is_the_same_read_at_once_or_message_by_message(bad: Bad) -> None:
    """A cursor over a growing history changes nothing of what is told of it."""
    messages = bad.body.get("messages")
    if not isinstance(messages, list) or not messages:
        return  # nothing that could grow
    reader = MessagesReader(bad.profile)
    reader.answered(bad.answer)
    refusal = None
    for count in range(1, len(messages) + 1):
        body = copy.deepcopy({**bad.body, "messages": messages[:count]})
        refusal = reader.read(body, bad.headers).refusal
    assert refusal == judged(bad)


def test_doubtful_rules_are_off_where_only_sure_ones_count() -> None:
    """The lenient profile takes what only assumed rules refuse."""
    doubtful = {r.id for r in MESSAGES_RULES.values() if r.source == "assumed"}
    reader = MessagesReader(MESSAGES_LENIENT)
    taken = {
        bad.rule for bad in BAD if reader.read(bad.body, bad.headers).refusal is None
    }
    assert doubtful - {"no-json"} <= taken
    assert MessagesReader(MESSAGES_LENIENT).read(request(told(result()))).refusal


def test_a_profile_names_rules_that_there_are() -> None:
    """A misspelt rule, one that all others stand on, and one that is on can't be named."""
    with pytest.raises(UsageError, match="did you mean 'orphan'"):
        MessagesProfile(off=("orphans",))
    with pytest.raises(UsageError, match="can't be switched off"):
        MessagesProfile(off=("value",))
    with pytest.raises(UsageError, match="none of the rules that are off"):
        MessagesProfile(on=("orphan",))


@pytest.mark.parametrize(
    ("model", "rule"),
    [
        ("claude-3-5-sonnet-20241022", None),
        ("claude-sonnet-4-20250514", None),
        ("claude-opus-4-5", None),
        ("claude-opus-4-6", "prefill"),
        ("claude-haiku-5-5-20261001", "prefill"),
        ("claude-fable-5", "prefill"),
        ("my-model", None),
    ],
)
def test_what_a_model_takes_hangs_on_its_name(model: str, rule: str | None) -> None:
    """Of a name that is not known everything is taken."""
    refusal = (
        MessagesReader().read(request(USER, said(text("The")), model=model)).refusal
    )
    assert (None if refusal is None else refusal.rule) == rule


def test_a_body_that_could_not_be_read_stays_refused() -> None:
    """What is no JSON is recorded as such."""
    refusal = WireRefusal("no-json", "no")
    assert MessagesReader().read(refusal).refusal is refusal
