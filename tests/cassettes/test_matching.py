"""A request finds the recording that means the same, and no other."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.cassettes import RecordedAnswer, RecordedExchange, RecordedRequest
from agentsim.cassettes.matching import Matcher, MeaningReader, meaning_of
from agentsim.cassettes.matching import reader as reader_module
from agentsim.cassettes.matching.differences import changes_between
from agentsim.cassettes.matching.renaming import Tokens
from agentsim.core import CassetteError, CassetteMiss
from tests.cassettes.drawing import texts

CHAT = "openai-chat"


def chat(*messages: dict[str, Any], **fields: Any) -> str:
    """The body of a request."""
    return json.dumps({"model": "gpt-5", "messages": list(messages), **fields})


def say(role: str, content: Any) -> dict[str, Any]:  # noqa: ANN401
    """A message."""
    return {"role": role, "content": content}


def asks(call_id: str, arguments: str = "{}", name: str = "look") -> dict[str, Any]:
    """A message of the model with a call."""
    function = {"name": name, "arguments": arguments}
    call = {"id": call_id, "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def result(call_id: str, content: str) -> dict[str, Any]:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def recorded(*bodies: str) -> Matcher:
    """A matcher of exchanges with such requests, whose answers are their numbers."""
    return Matcher(
        [
            RecordedExchange(
                n, RecordedRequest(body=body), RecordedAnswer(body=str(n)), CHAT
            )
            for n, body in enumerate(bodies, 1)
        ],
        "story.yaml",
    )


def same(one: str, two: str, wire: str = CHAT) -> bool:
    """Whether two requests mean the same."""
    return meaning_of(one, wire).digest == meaning_of(two, wire).digest


def uses(given: dict[str, Any]) -> str:
    """A request of Anthropic after a call with such an input."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "save", "input": given}
    return chat(say("user", "x"), say("assistant", [call]))


def offers(properties: dict[str, Any], name: str = "parameters") -> str:
    """A request with a tool that takes such properties."""
    schema = {"type": "object", "properties": properties}
    return chat(say("user", "x"), tools=[{"name": "f", name: schema}])


def cites(*of: str) -> str:
    """A request after a text that cites others."""
    text = {"type": "text", "text": "x", "citations": [{"cited_text": c} for c in of]}
    return chat(say("user", "x"), say("assistant", [text]))


UUIDS = ("0b6b4e1c-6f2b-4b55-9a53-6a1f6c1d0e11", "9f0b4e1c-6f2b-4b55-9a53-6a1f6c1d0e99")

EQUAL: dict[str, tuple[str, str]] = {
    "fields that say nothing": (
        chat(
            {"role": "assistant", "content": "", "annotations": [], "refusal": None},
            say("user", "x"),
        ),
        chat({"role": "assistant"}, say("user", "x")),
    ),
    "ids of calls": (
        chat(say("user", "x"), asks("call_a1"), result("call_a1", "ok")),
        chat(say("user", "x"), asks("call_b2"), result("call_b2", "ok")),
    ),
    "uuids": tuple(chat(say("user", f"See {one}.")) for one in UUIDS),  # type: ignore[dict-item]
    "times": (
        chat(say("system", "Now: 2026-11-30T08:00:01Z"), say("user", "x")),
        chat(say("system", "Now: 2027-01-02T09:30:00.5+01:00"), say("user", "x")),
    ),
    "dates in the system prompt": (
        chat(say("system", "Today is 2026-11-30."), say("user", "x")),
        chat(say("system", "Today is 2027-01-02."), say("user", "x")),
    ),
    "placeholders": (
        chat(say("user", "Mail __REDACTED_EMAIL_1__.")),
        chat(say("user", "Mail __REDACTED_EMAIL_3__.")),
    ),
    "order of keys": (
        '{"model": "m", "messages": [{"role": "user", "content": "x"}]}',
        '{"messages":[{"content":"x","role":"user"}],"model":"m"}',
    ),
    "spelling of arguments": (
        chat(asks("c", '{"a":1,"b":2}')),
        chat(asks("c", '{"b": 2, "a": 1}')),
    ),
    "a text as a list of texts": (
        chat(say("user", "x")),
        chat(say("user", [{"type": "text", "text": "x"}])),
    ),
    "a text without citations": (
        cites(),
        chat(say("user", "x"), say("assistant", "x")),
    ),
    "what does not count": (
        chat(say("user", "x"), temperature=0.2, user="me", max_tokens=9),
        chat(say("user", "x")),
    ),
    "times in results": (
        chat(asks("c"), result("c", '{"created_at": 1783375763, "n": 1}')),
        chat(asks("c"), result("c", '{"n": 1, "created_at": 1783999999}')),
    ),
}

UNEQUAL: dict[str, tuple[str, str]] = {
    "a status that the model gave": (
        uses({"status": "shipped"}),
        uses({"status": "cancelled"}),
    ),
    "a null that the model gave": (uses({"until": None}), uses({})),
    "a message that the model gave": (
        uses({"of": {"type": "message", "role": "x"}}),
        uses({"of": {"role": "x"}}),
    ),
    "texts that the model gave": (
        uses({"content": [{"type": "text", "text": "x"}]}),
        uses({"content": "x"}),
    ),
    "a parameter that is called status": (
        offers({"status": {"type": "string"}}),
        offers({"status": {"type": "integer"}}),
    ),
    "a default of null": (
        offers({"a": {"default": None}}, "input_schema"),
        offers({"a": {}}, "input_schema"),
    ),
    "another citation": (cites("a"), cites("b")),
    "another function": (
        chat(say("user", "x"), functions=[{"name": "a"}]),
        chat(say("user", "x"), functions=[{"name": "b"}]),
    ),
    "another server of tools": (
        chat(say("user", "x"), mcp_servers=[{"url": "https://a.example"}]),
        chat(say("user", "x"), mcp_servers=[{"url": "https://b.example"}]),
    ),
    "another prompt": (chat(say("user", "x")), chat(say("user", "y"))),
    "another role": (chat(say("user", "x")), chat(say("system", "x"))),
    "another model": (chat(say("user", "x")), chat(say("user", "x"), model="gpt-4")),
    "another tool": (
        chat(say("user", "x"), tools=[{"name": "a"}]),
        chat(say("user", "x"), tools=[{"name": "b"}]),
    ),
    "streamed or not": (chat(say("user", "x")), chat(say("user", "x"), stream=True)),
    "a result more": (
        chat(asks("call_a1"), result("call_a1", "ok")),
        chat(asks("call_a1"), result("call_a1", "ok"), say("user", "go on")),
    ),
    "swapped ids": (
        chat(
            *(asks("call_a1"), result("call_a1", "1")),
            *(asks("call_b2"), result("call_b2", "2")),
        ),
        chat(
            *(asks("call_a1"), result("call_b2", "1")),
            *(asks("call_b2"), result("call_a1", "2")),
        ),
    ),
    "one id for two": (
        chat(asks("call_a1"), result("call_a1", "1"), asks("call_b2")),
        chat(asks("call_a1"), result("call_a1", "1"), asks("call_a1")),
    ),
    "one uuid for two": (
        chat(say("user", f"{UUIDS[0]} {UUIDS[1]}")),
        chat(say("user", f"{UUIDS[0]} {UUIDS[0]}")),
    ),
    "an id that the model chose": (
        chat(asks("c", '{"id": "A17"}')),
        chat(asks("c", '{"id": "B42"}')),
    ),
    "a date that was asked for": (
        chat(say("user", "Book 2026-11-30.")),
        chat(say("user", "Book 2027-01-02.")),
    ),
    "another kind of secret": (
        chat(say("user", "Mail __REDACTED_EMAIL_1__.")),
        chat(say("user", "Mail __REDACTED_KEY_1__.")),
    ),
}


@pytest.mark.parametrize("what", EQUAL)
def test_what_does_not_matter_does_not_count(what: str) -> None:
    """Ids, times and spelling may differ, and the recording is found."""
    one, two = EQUAL[what]
    assert same(one, two)
    assert recorded(one).find(two, CHAT).number == 1


@pytest.mark.parametrize("what", UNEQUAL)
def test_what_matters_counts(what: str) -> None:
    """Another meaning is a miss, never the answer to another question."""
    one, two = UNEQUAL[what]
    assert not same(one, two)
    with pytest.raises(CassetteMiss, match="the nearest is exchange 1"):
        recorded(one).find(two, CHAT)


def test_all_wires_are_understood() -> None:
    """Ids are renamed, and swapped ones seen, in the forms of Responses and Anthropic."""

    def responses(one: str, two: str) -> str:
        items = [
            {"type": "function_call", "call_id": one, "name": "t", "arguments": "{}"},
            {"type": "function_call_output", "call_id": two, "output": "ok"},
            {"role": "user", "content": [{"type": "input_text", "text": "x"}]},
        ]
        return json.dumps({"model": "m", "input": items, "instructions": "Be kind."})

    def anthropic(one: str, two: str) -> str:
        use = {"type": "tool_use", "id": one, "name": "t", "input": {"id": "17"}}
        back = {"type": "tool_result", "tool_use_id": two, "content": "ok"}
        messages = [say("assistant", [use]), say("user", [back])]
        return json.dumps({"model": "m", "messages": messages, "system": "Be kind."})

    for wire, body in (
        ("openai-responses", responses),
        ("anthropic-messages", anthropic),
    ):
        assert same(body("a", "a"), body("b", "b"), wire)
        assert not same(body("a", "a"), body("a", "b"), wire)
        assert meaning_of(body("a", "a"), wire).turn == 2


def test_equal_requests_are_answered_in_order() -> None:
    """Each recording answers once, in its order, whatever is asked in between."""
    poll, other = chat(say("user", "poll")), chat(say("user", "other"))
    matcher = recorded(poll, other, poll)
    assert matcher.find(poll, CHAT).number == 1
    assert [one.number for one in matcher.unused] == [2, 3]
    assert matcher.find(poll, CHAT).number == 3
    assert matcher.find(other, CHAT).number == 2
    assert matcher.unused == ()
    with pytest.raises(CassetteMiss, match="was recorded 2 times, and asked once more"):
        matcher.find(poll, CHAT)


def test_a_miss_shows_the_nearest_and_what_differs(snapshot: SnapshotAssertion) -> None:
    """The message names request, turn, the nearest exchange, and the lines that differ."""
    story = [say("system", "Be kind."), say("user", "Pay."), asks("call_a1")]
    matcher = recorded(
        chat(say("user", "Something else.")),
        chat(*story, result("call_a1", "Paid 40.00\nto Jane\non Monday")),
    )
    told = []
    for body in (
        chat(*story, result("call_a1", "Paid 50.00\nto Jane\non Monday")),
        chat(*story),
        chat(say("system", "Be rude."), *story[1:], model="gpt-5"),
        chat(say("user", "Something else."), model="gpt-6", stream=True),
        chat(say("user", "Something else."), temperature=1, n=2),
        chat(say("user", "Something other."), temperature=1),
        "no JSON",
    ):
        try:
            told.append(f"{matcher.find(body, CHAT).number}: {matcher.notes}")
        except CassetteMiss as error:
            told.append(str(error))
    with pytest.raises(CassetteMiss, match="nothing was recorded"):
        recorded().find("{}", "")
    assert "\n\n".join(told) == snapshot


TOOLS = [{"type": "function", "function": {"name": n, "strict": 1}} for n in "ab"]

STORY = (say("system", "Be kind."), say("user", "Pay."), asks("call_a1"))

CHANGED: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "the model": (chat(*STORY, tools=TOOLS, model="x"), [("model", "the model")]),
    "the prompt": (
        chat(say("system", f"Now {UUIDS[0]}."), *STORY[1:], tools=TOOLS),
        [("prompt", "the system prompt")],
    ),
    "no prompt": (chat(*STORY[1:], tools=TOOLS), [("prompt", "the system prompt")]),
    "a tool": (
        chat(*STORY, tools=[TOOLS[0], {"type": "function", "function": {"name": "b"}}]),
        [("tools", "the tools (b is another)")],
    ),
    "other tools": (
        chat(*STORY, tools=[TOOLS[1], {"name": "c"}]),
        [("tools", "the tools (a is gone, c is new)")],
    ),
    "the order of tools": (
        chat(*STORY, tools=TOOLS[::-1]),
        [("tools", "the order of the tools")],
    ),
    "tools that are none": (chat(*STORY, tools=["a"]), [("tools", "the tools")]),
    "streaming": (
        chat(*STORY, tools=TOOLS, stream=True),
        [("streaming", "whether it streams")],
    ),
    "a message": (
        chat(*STORY[:1], say("user", "Pay it."), *STORY[2:], tools=TOOLS),
        [("conversation", "message 2 (user)")],
    ),
    "more": (
        chat(*STORY, result("call_a1", "ok"), tools=TOOLS),
        [
            (
                "conversation",
                "the length of the conversation (4 messages, recorded were 3)",
            )
        ],
    ),
    "less": (
        chat(*STORY[:2], tools=TOOLS),
        [
            (
                "conversation",
                "the length of the conversation (2 messages, recorded were 3)",
            )
        ],
    ),
    "what it goes on from": (
        chat(*STORY, tools=TOOLS, previous_response_id="resp_1"),
        [("conversation", "what it goes on from")],
    ),
    "much at once": (
        chat(say("system", "x"), *STORY[1:], model="y", temperature=0),
        [
            ("model", "the model"),
            ("prompt", "the system prompt"),
            ("tools", "the tools (a is gone, b is gone)"),
            ("settings", "settings (temperature)"),
        ],
    ),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_miss_tells_all_that_changed_as_data(what: str) -> None:
    """Model, prompt, tools and conversation are told apart, also when several changed."""
    body, expected = CHANGED[what]
    matcher = recorded(chat(say("user", "Other.")), chat(*STORY, tools=TOOLS))
    with pytest.raises(CassetteMiss) as caught:
        matcher.find(body, CHAT)
    assert [(one.what, one.where) for one in caught.value.changes] == expected
    assert all(one.lines for one in caught.value.changes)
    assert caught.value.nearest == 2
    assert caught.value.turn == (1 if what == "less" else 2)


def test_the_nearest_is_the_one_with_most_in_common() -> None:
    """Of recordings that all differ in one message, it is the one that differs least."""
    task = "Look at\n{}\nand tell\nwhat it is."
    matcher = recorded(
        chat(say("user", "Go.")),
        chat(say("user", task.format("the sky"))),
        chat(say("user", "Stay.")),
    )
    with pytest.raises(CassetteMiss, match="the nearest is exchange 2"):
        matcher.find(chat(say("user", task.format("the sea"))), CHAT)


def test_a_changed_message_is_told_by_number_and_role() -> None:
    """Of a conversation the first message that differs is data; of the rest nothing is."""
    matcher = recorded(chat(*STORY))
    misses = []
    for body, wire in (
        (chat(*STORY[:2], asks("call_a1", name="other")), CHAT),
        (chat(*STORY), "anthropic"),
    ):
        with pytest.raises(CassetteMiss) as caught:
            matcher.find(body, wire)
        misses += [(one.what, one.message, one.role) for one in caught.value.changes]
    assert misses == [("conversation", 3, "assistant"), ("dialect", None, "")]
    matcher.find(chat(*STORY), CHAT)
    with pytest.raises(CassetteMiss) as caught:
        matcher.find(chat(*STORY), CHAT)
    assert [one.what for one in caught.value.changes] == ["count"]
    with pytest.raises(CassetteMiss) as caught:
        recorded().find(chat(), CHAT)
    assert [one.what for one in caught.value.changes] == ["nothing recorded"]
    assert caught.value.nearest is None


def test_a_request_that_is_looked_for_again_is_counted_once() -> None:
    """Who redacts a request in another way asks no further one."""
    matcher = recorded()
    for again in (False, True):
        with pytest.raises(CassetteMiss, match=r"request 1 \(turn 1"):
            matcher.find(chat(say("user", "x")), CHAT, again=again)


def test_long_differences_are_cut_where_they_differ() -> None:
    """Of a long line is shown what differs, and of many lines the first."""
    one, two = (f"{'a ' * 500}{mark}{' b' * 500}" for mark in "xy")
    matcher = recorded(chat(say("system", one), say("user", "\n".join("abcdefghi"))))
    with pytest.raises(CassetteMiss) as caught:
        matcher.find(
            chat(say("system", two), say("user", "\n".join("ABCDEFGHI"))), CHAT
        )
    prompt, conversation = caught.value.changes
    for line, mark in zip(prompt.lines, "xy", strict=False):
        assert line[1:4] == "..."
        assert f" {mark} " in line
    assert max(map(len, prompt.lines)) < 170
    assert len(conversation.lines) == 13
    assert conversation.lines[-1] == "... and 7 lines more"


def test_what_counts_for_nothing_is_noted() -> None:
    """An answer that was recorded with another setting is given, and that is told."""
    matcher = recorded(
        chat(say("user", "x"), response_format={"type": "text"}, user="a")
    )
    asked = chat(say("user", "x"), response_format={"type": "json_object"}, user="b")
    assert matcher.find(asked, CHAT).number == 1
    (note,) = matcher.notes.values()
    assert note.where == "settings (response_format)"
    assert note.lines == (
        "-response_format.type: text",
        "+response_format.type: json_object",
    )


def test_what_may_differ_can_be_declared() -> None:
    """A pattern of one's own is renamed as ids are, and a wrong one is told."""
    one, two = (chat(say("user", f"build #{n} of #{n}")) for n in (17, 18))
    assert not same(one, two)
    digests = {meaning_of(body, CHAT, ["#[0-9]+"]).digest for body in (one, two)}
    assert len(digests) == 1
    with pytest.raises(CassetteError, match="no regular expression"):
        meaning_of(one, CHAT, ["("])


def test_numbers_and_truth_are_not_the_same() -> None:
    """1, 1.0 and true are equal to Python, and three things here."""
    matcher = recorded(chat(tools=[{"name": "a", "strict": True}]))
    for other in (1, 1.0):
        with pytest.raises(CassetteMiss) as caught:
            matcher.find(chat(tools=[{"name": "a", "strict": other}]), CHAT)
        (change,) = caught.value.changes
        assert {"-a.strict: true", f"+a.strict: {other}"} <= {*change.lines}


def test_deep_arguments_can_be_compared() -> None:
    """What is nested as deep as JSON may be, in JSON, is no error."""
    deep = "[" * 100 + "]" * 100
    assert same(*[chat(say("user", "x"), asks("c", deep))] * 2)


TOKENS = (
    *(*UUIDS, "call_abcdefg1", "toolu-1bcdefgh", "2026-11-30", "2026-11-30T08:00:01Z"),
    *(
        "__REDACTED_KEY_1__",
        "__REDACTED_KEY_2__",
        " ",
        "-",
        "_",
        "1",
        "a",
        "call",
        "\u00e9",
    ),
)

spoken = st.lists(st.sampled_from(TOKENS), max_size=5).map("".join)

said = st.builds(
    lambda role, text, number: {"role": role, "content": text, "id": number},
    st.sampled_from(("system", "user", "assistant")),
    spoken,
    st.sampled_from(("m1", "m2", 1, True, None)),
)


@given(
    st.lists(st.lists(said, min_size=1, max_size=4), min_size=2, max_size=3),
    st.lists(
        st.tuples(st.integers(0, 2), st.integers(1, 4), st.booleans()), max_size=8
    ),
    st.sampled_from(((), ("a1?",))),
)
def test_what_was_read_before_changes_no_meaning(
    stories: list[list[Any]],
    asked: list[tuple[int, int, bool]],
    volatile: Sequence[str],
) -> None:
    """Conversations that grow, are cut and take turns mean what each means alone."""
    reader = MeaningReader(volatile)
    for number, count, tools in asked:
        messages = stories[number % len(stories)][:count]
        body = chat(*messages, **({"tools": TOOLS} if tools else {"system": UUIDS[0]}))
        assert reader.read(body, CHAT) == meaning_of(body, CHAT, volatile)
        assert reader.placeholders(body) == MeaningReader(volatile).placeholders(body)


@given(spoken, st.booleans())
def test_texts_without_tokens_are_passed_and_no_others(text: str, system: bool) -> None:
    """The quick look at a text finds all that the patterns find."""
    quick, slow = Tokens(), Tokens()
    slow._own = True  # searches each text
    told = [
        of.replace(text, lambda m: f"<{m.lastgroup}>", system=system)
        for of in (quick, slow)
    ]
    assert told[0] == told[1]


def test_what_was_read_is_forgotten_when_it_is_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The reader keeps no more than its bound, and reads on as before."""
    monkeypatch.setattr(reader_module, "KNOWN_MAX", 500)
    reader = MeaningReader()
    for number in range(50):
        body = chat(say("user", f"step {number}"))
        assert reader.read(body, CHAT) == meaning_of(body, CHAT)
        assert reader._size <= 500


PARTS = (*STORY, result("call_a1", "ok"), result("call_b1", "ok"), "no message")

bodies = st.builds(
    lambda messages, fields: json.dumps({"messages": messages, **fields}),
    st.lists(st.sampled_from(PARTS), max_size=3),
    st.fixed_dictionaries(
        {},
        optional={
            "model": st.sampled_from(("m", "n")),
            "stream": st.booleans(),
            "system": st.sampled_from(("s", UUIDS[0])),
            "instructions": st.just("s"),
            "tools": st.lists(st.sampled_from((*TOOLS, "t", UUIDS[0])), max_size=2),
            "conversation": st.just("c1"),
        },
    ),
)


@given(bodies, bodies)
def test_what_does_not_match_differs_in_something(one: str, two: str) -> None:
    """Of two requests that do not mean the same, at least one difference is told."""
    assert same(one, two) == (
        not changes_between(*(meaning_of(b, "") for b in (one, two)))
    )


@given(texts, st.sampled_from(("", CHAT)))
def test_any_body_has_a_meaning(body: str, wire: str) -> None:
    """What is no request means itself: it never breaks, and it is found again."""
    assert same(body, body, wire)
    assert same(chat(say("user", body)), chat(say("user", body)), wire)
