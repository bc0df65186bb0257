"""Every rule of Chat Completions: a bad request, and what the service says of it."""

import copy
from typing import Any

import pytest

from agentsim.core import UsageError
from agentsim.providers.openai_chat import (
    CHAT_RULES,
    LENIENT,
    ChatProfile,
    ChatReader,
)
from tests.providers.openai_chat.bodies import (
    BAD,
    LOOK,
    USER,
    Bad,
    bad_name,
    call,
    calling,
    request,
    told,
)


@pytest.mark.parametrize("bad", BAD, ids=bad_name)
def test_a_bad_request_is_refused_in_the_words_of_the_service(bad: Bad) -> None:
    """Status, code, param and key phrase are those of the service."""
    refusal = ChatReader(bad.profile).read(bad.body).refusal
    assert refusal is not None
    error = refusal.error()
    found = (refusal.rule, error.status, error.kind, error.param, error.code)
    kind = "invalid_request_error"
    assert found == (bad.rule, bad.status, kind, bad.param, bad.code)
    assert bad.phrase in str(error)


def test_every_rule_has_a_bad_request() -> None:
    """No rule is without a test, and none is tested that is not in the table."""
    assert {bad.rule for bad in BAD} | {"no-json"} == set(CHAT_RULES)


@pytest.mark.parametrize("rule", [rule for rule in CHAT_RULES if rule != "no-json"])
def test_the_phrases_of_a_rule_are_what_the_service_says(rule: str) -> None:
    """Each phrase of the table stands in a message that the rule makes."""
    said = [
        refusal.words
        for bad in BAD
        if bad.rule == rule
        and (refusal := ChatReader(bad.profile).read(bad.body).refusal)
    ]
    for phrase in CHAT_RULES[rule].phrase.split("; "):
        assert any(phrase in words for words in said)


GOOD: dict[str, dict[str, Any]] = {
    "same role twice": request(USER, USER),
    "system in the middle": request(USER, {"role": "system", "content": "be kind"}),
    "developer": request({"role": "developer", "content": "be kind"}, USER),
    "begins and ends with the model": request({"role": "assistant", "content": "hi"}),
    "empty content": request({"role": "user", "content": ""}),
    "empty array as content": request({"role": "user", "content": []}),
    "text beside calls": request(USER, {**calling(call()), "content": "so"}, told()),
    "results in another order": request(
        USER, calling(call(), call("call_2")), told("call_2"), told()
    ),
    "calls of tools that are gone": request(USER, calling(call()), told()),
    "no content key": request(
        USER, {"role": "assistant", "tool_calls": [call()]}, told()
    ),
    "arguments that do not parse": request(
        USER,
        calling({**call(), "function": {"name": "look", "arguments": "{"}}),
        told(),
    ),
    "same id in two responses": request(
        USER, calling(call()), told(), calling(call()), told()
    ),
    "the answer as the SDK dumps it": request(
        USER,
        {
            "role": "assistant",
            "content": "hi",
            "refusal": None,
            "annotations": [],
            "audio": None,
            "function_call": None,
            "tool_calls": None,
        },
    ),
    "a refusal": request(USER, {"role": "assistant", "refusal": "no"}),
    "a function": request(
        USER,
        {"role": "assistant", "function_call": {"name": "look", "arguments": "{}"}},
        {"role": "function", "name": "look", "content": None},
    ),
    "a name in a tool message": request(
        USER, calling(call()), {**told(), "name": "look"}
    ),
    "nulls": request(tools=None, tool_choice=None, stop=None, max_tokens=None),
    "all of a choice": request(
        tools=[LOOK], tool_choice={"type": "function", "function": {"name": "look"}}
    ),
    "a custom tool": request(
        tools=[{"type": "custom", "custom": {"name": "note"}}],
        tool_choice={"type": "custom", "custom": {"name": "note"}},
    ),
}


@pytest.mark.parametrize("body", GOOD.values(), ids=GOOD.keys())
def test_what_the_service_takes_is_taken(body: dict[str, Any]) -> None:
    """Histories that other services refuse and this one takes are taken."""
    assert ChatReader().read(body).refusal is None


ORDER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("no-model", {"reasoning": {}}),
    ("missing-parameter", {"model": "gpt", "reasoning": {}}),
    ("unknown-parameter", request(3, reasoning={})),
    ("content-type", request({"role": "user", "content": 3}, n=0)),
    ("value", request(USER, told(), n=0)),
    ("choice-without-tools", request(USER, told(), tool_choice="auto")),
)


@pytest.mark.parametrize(("rule", "body"), ORDER, ids=[rule for rule, _ in ORDER])
def test_of_several_faults_the_first_is_told(rule: str, body: dict[str, Any]) -> None:
    """Model, messages, unknown fields, forms, combinations, then the conversation."""
    refusal = ChatReader().read(body).refusal
    assert refusal is not None
    assert refusal.rule == rule


def test_fields_are_judged_in_the_order_of_the_service() -> None:
    """`n` comes before `stop`, and `stop` before `temperature`, whatever is sent first."""
    body = request(temperature=9, stop=3, n=0)
    for key in ("n", "stop", "temperature"):
        refusal = ChatReader().read(body).refusal
        assert refusal is not None
        assert refusal.param == key
        del body[key]
    assert ChatReader().read(body).refusal is None


@pytest.mark.parametrize("bad", BAD, ids=bad_name)
def test_a_verdict_is_the_same_read_at_once_or_message_by_message(bad: Bad) -> None:
    """A cursor over a growing history changes nothing of what is told of it."""
    messages = bad.body.get("messages")
    if not isinstance(messages, list):
        return  # nothing that could grow
    conversation = ChatReader(bad.profile)
    refusal = None
    for count in range(1, len(messages) + 1):
        body = copy.deepcopy({**bad.body, "messages": messages[:count]})
        refusal = conversation.read(body).refusal
    if messages:
        assert refusal == ChatReader(bad.profile).read(bad.body).refusal


def test_doubtful_rules_are_off_where_only_sure_ones_count() -> None:
    """The lenient profile takes what only assumed rules refuse."""
    doubtful = {rule.id for rule in CHAT_RULES.values() if rule.source == "assumed"}
    taken = {
        bad.rule for bad in BAD if ChatReader(LENIENT).read(bad.body).refusal is None
    }
    assert doubtful <= taken
    assert ChatReader(LENIENT).read(request(USER, told())).refusal is not None


def test_a_profile_names_rules_that_there_are() -> None:
    """A misspelt rule, and one that all others stand on, can't be switched off."""
    with pytest.raises(UsageError, match="did you mean 'orphan'"):
        ChatProfile(off=("orphans",))
    with pytest.raises(UsageError, match="can't be switched off"):
        ChatProfile(off=("value",))
