"""Every rule of Responses: a bad request, and what the service says of it."""

import copy
from typing import Any

import pytest

from agentsim.core import UsageError
from agentsim.providers.openai_responses import (
    LENIENT_RESPONSES,
    RESPONSES_RULES,
    ResponsesProfile,
    ResponsesReader,
)
from agentsim.providers.wires import RefusedRequest
from tests.providers.openai_responses.bodies import BAD, THOUGHT, Bad, bad_name
from tests.providers.openai_responses.made import (
    LOOK,
    USER,
    answer,
    call,
    request,
    said,
    thought,
    told,
)


def reader_of(bad: Bad, profile: ResponsesProfile | None = None) -> ResponsesReader:
    """A reader that knows what was answered before."""
    reader = ResponsesReader(profile or bad.profile)
    if bad.before is not None:
        asked = reader.read({"model": bad.body.get("model"), "input": "hi"})
        asked.reader.answered(bad.before)
    return reader


def refusal_of(bad: Bad) -> RefusedRequest | None:
    """What the service says of a bad request."""
    return reader_of(bad).read(bad.body).refusal


@pytest.mark.parametrize("bad", BAD, ids=bad_name)
def test_a_bad_request_is_refused_in_the_words_of_the_service(bad: Bad) -> None:
    """Status, code, param and key phrase are those of the service."""
    refusal = refusal_of(bad)
    assert refusal is not None
    error = refusal.error()
    found = (refusal.rule, error.status, error.kind, error.param, error.code)
    kind = "invalid_request_error"
    assert found == (bad.rule, bad.status, kind, bad.param, bad.code)
    assert bad.phrase in str(error)


def test_every_rule_has_a_bad_request() -> None:
    """No rule is without a test, and none is tested that is not in the table."""
    assert {bad.rule for bad in BAD} | {"no-json"} == set(RESPONSES_RULES)


@pytest.mark.parametrize(
    "rule", [rule for rule in RESPONSES_RULES if rule != "no-json"]
)
def test_the_phrases_of_a_rule_are_what_the_service_says(rule: str) -> None:
    """Each phrase of the table stands in a message that the rule makes."""
    words = [
        refusal.words
        for bad in BAD
        if bad.rule == rule and (refusal := refusal_of(bad))
    ]
    for phrase in RESPONSES_RULES[rule].phrase.split("; "):
        assert any(phrase in one for one in words)


HELD = answer(call(id="fc_1"))

GOOD: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "a text": ({"model": "gpt", "input": "hi"}, None),
    "same role twice": (request(USER, USER), None),
    "system in the middle": (request(USER, {"role": "system", "content": "be"}), None),
    "begins and ends with the model": (
        request({"role": "assistant", "content": "hi"}),
        None,
    ),
    "empty content": (request({"role": "user", "content": ""}), None),
    "calls without ids of items": (request(USER, call(), told()), None),
    "outputs in another order": (
        request(USER, call(), call("call_2"), told("call_2"), told()),
        None,
    ),
    "an output far after its call": (request(call(), USER, said(), told()), None),
    "two outputs of one call": (request(call(), told(), told()), None),
    "arguments that do not parse": (request(call(arguments="{"), told()), None),
    "an output alone, its call is in the response before": (
        request(told(), previous_response_id="resp_1"),
        HELD,
    ),
    "an output alone, its call is in a conversation": (
        request(told(), conversation="conv_1"),
        None,
    ),
    "a response before, and no input": (
        {"model": "gpt", "previous_response_id": "resp_1"},
        answer(said()),
    ),
    "a reference to an item that is stored": (
        request(USER, {"type": "item_reference", "id": "fc_1"}, told()),
        HELD,
    ),
    "a reference without a type": (request(USER, {"id": "fc_1"}, told()), HELD),
    "all that came goes back": (
        request(USER, thought(), call(id="fc_1"), told()),
        THOUGHT,
    ),
    "a call with reasoning goes back without its id": (
        request(USER, call(), told()),
        THOUGHT,
    ),
    "a call without its id after its reasoning": (
        request(USER, thought(), call(), told()),
        THOUGHT,
    ),
    "nulls": (
        request(
            call(id=None, status=None, namespace=None),
            told(),
            tools=None,
            tool_choice=None,
            previous_response_id=None,
        ),
        None,
    ),
    "an answer as the SDK dumps it": (
        request(
            thought(content=None, encrypted_content=None, status=None),
            said(phase=None),
        ),
        None,
    ),
    "a refusal": (
        request(said(content=[{"type": "refusal", "refusal": "no"}]), USER),
        None,
    ),
    "items of the service": (
        request(
            {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"},
            {"type": "web_search_call", "id": "ws_1", "status": "completed"},
            said(),
        ),
        None,
    ),
    "tools of the service": (
        request(
            tools=[
                {"type": "web_search"},
                {"type": "tool_search"},
                {"type": "namespace", "name": "crm", "tools": [LOOK]},
                {"type": "custom", "name": "note", "format": {"type": "text"}},
            ],
            tool_choice={"type": "web_search"},
        ),
        None,
    ),
    "a tool in a namespace is chosen": (
        request(
            tools=[{"type": "namespace", "name": "crm", "tools": [LOOK]}],
            tool_choice={"type": "function", "name": "look"},
        ),
        None,
    ),
    "tool_choice without tools": (request(tool_choice="auto"), None),
}


@pytest.mark.parametrize(("body", "before"), GOOD.values(), ids=GOOD.keys())
def test_what_the_service_takes_is_taken(
    body: dict[str, Any], before: dict[str, Any] | None
) -> None:
    """Histories that other services refuse and this one takes are taken."""
    good = Bad("", body, None, None, "", before=before)
    assert refusal_of(good) is None


ORDER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("missing-parameter", {"messages": []}),
    ("no-input", {"model": "gpt", "messages": []}),
    ("unknown-parameter", request(3, messages=[])),
    ("content-type", request({"role": "user", "content": 3}, temperature=9)),
    ("value", request(told(), temperature=9)),
    ("stream-options", request(told(), stream_options={})),
    ("unknown-response", request(told(), previous_response_id="resp_9")),
)


@pytest.mark.parametrize(("rule", "body"), ORDER, ids=[rule for rule, _ in ORDER])
def test_of_several_faults_the_first_is_told(rule: str, body: dict[str, Any]) -> None:
    """Model, input, unknown fields, forms, combinations, then the history."""
    refusal = ResponsesReader().read(body).refusal
    assert refusal is not None
    assert refusal.rule == rule


@pytest.mark.parametrize("bad", BAD, ids=bad_name)
def test_a_verdict_is_the_same_read_at_once_or_item_by_item(bad: Bad) -> None:
    """A cursor over a growing history changes nothing of what is told of it."""
    items = bad.body.get("input")
    if not isinstance(items, list):
        return  # nothing that could grow
    reader = reader_of(bad)
    refusal = None
    for count in range(1, len(items) + 1):
        body = copy.deepcopy({**bad.body, "input": items[:count]})
        refusal = reader.read(body).refusal
    if items:
        assert refusal == refusal_of(bad)


def test_doubtful_rules_are_off_where_only_sure_ones_count() -> None:
    """The lenient profile takes what only assumed rules refuse."""
    doubtful = {
        rule.id for rule in RESPONSES_RULES.values() if rule.source == "assumed"
    }
    taken = {
        bad.rule
        for bad in BAD
        if reader_of(bad, LENIENT_RESPONSES).read(bad.body).refusal is None
    }
    assert doubtful <= taken
    assert (
        ResponsesReader(LENIENT_RESPONSES).read(request(USER, told())).refusal
        is not None
    )


def test_a_profile_names_rules_that_there_are() -> None:
    """A misspelt rule, and one that all others stand on, can't be switched off."""
    with pytest.raises(UsageError, match="did you mean 'orphan'"):
        ResponsesProfile(off=("orphans",))
    with pytest.raises(UsageError, match="can't be switched off"):
        ResponsesProfile(off=("value",))
