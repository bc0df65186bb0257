"""Traces as text: what is written is read back, and what can't be read is said."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from dataclasses import fields
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import (
    EVENT_KINDS,
    CallIdsReplaced,
    Event,
    History,
    Limits,
    Message,
    MessageView,
    Outcome,
    RequestSent,
    Retried,
    Rights,
    RunStarted,
    ToolDef,
    ToolStarted,
    UsageError,
    assistant,
    user,
)
from agentsim.trace import Header, ToolFacts, Trace, from_jsonl, to_jsonl
from agentsim.trace._shapes import shape_of
from agentsim.trace._values import show
from tests.support.examples import examples
from tests.trace.strategies import traces, values

HEAD = '{"agentsim_trace":1}\n'


def nested(levels: int) -> dict[str, object]:
    """An object that is nested so many levels deep."""
    value: dict[str, object] = {}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


def growing(turns: int) -> Trace:
    """A run whose history grows by two messages with each request."""
    history = History([user("go")])
    tools = (ToolDef("look", "Look around."),)
    events: list[Event] = []
    for number in range(1, turns + 1):
        events.append(RequestSent(number, "m", history.view(), tools))
        history.append(assistant(f"step {number}"))
        history.append(user("on"))
    events.append(Outcome("returned", "done", "ok", history=history.view()))
    facts = tuple(ToolFacts.of(tool, Rights()) for tool in tools)
    return Trace(Header(tools=facts), events)


def write_and_read(trace: Trace) -> None:
    """Reading a written trace gives an equal trace, with the same text and digest."""
    text = to_jsonl(trace)
    again = from_jsonl(text)
    assert again == trace
    assert to_jsonl(again) == text
    assert again.digest() == trace.digest()


@given(traces())
@examples(8)
def test_what_is_written_is_read_back(trace: Trace) -> None:
    """A trace survives its text."""
    write_and_read(trace)


@pytest.mark.slow
@given(traces())
@examples(80)
def test_what_is_written_is_read_back_at_length(trace: Trace) -> None:
    """The same over many traces."""
    write_and_read(trace)


@pytest.mark.parametrize("kind", sorted(EVENT_KINDS))
def test_every_kind_of_event_has_a_shape(kind: str) -> None:
    """Each field of each kind can be written and read."""
    assert shape_of(EVENT_KINDS[kind]) is shape_of(EVENT_KINDS[kind])


def test_a_type_without_a_rule_is_a_bug_of_ours() -> None:
    """A field of a type that nothing covers is refused when its shape is asked for."""
    with pytest.raises(TypeError, match="no shape"):
        shape_of(dt.date)


def test_a_growing_history_is_written_once() -> None:
    """The text grows linearly with the run, and tools are written once."""
    small, large = (len(to_jsonl(growing(turns))) for turns in (100, 200))
    assert large < 2.1 * small
    assert to_jsonl(growing(50)).count("Look around.") == 1


def test_views_of_one_list_are_read_as_views_of_one_list() -> None:
    """Views that extended one another by sharing their list do so after reading."""
    again = from_jsonl(to_jsonl(growing(20)))
    views = [event.messages for event in again.of(RequestSent)]
    assert all(view._items is views[0]._items for view in views)
    assert all(b.extends(a) for a, b in pairwise(views))


def test_a_rewritten_history_does_not_change_the_views_before_it() -> None:
    """Reading a view that keeps only a part of the one before leaves that one alone."""
    one = History([user("a"), user("b"), user("c")]).view()
    short = MessageView(one._items, 2)
    other = History([user("a"), user("b"), user("d")]).view()
    events = [
        RequestSent(n, "m", view, ()) for n, view in enumerate((one, short, other))
    ]
    again = from_jsonl(to_jsonl(Trace(Header(), events)))
    assert again == Trace(Header(), events)


def test_equal_numbers_give_equal_text() -> None:
    """A whole number in a field of seconds reads the same as a float or an integer."""
    one, two = (Trace(Header(), [Retried(1, 2, wait, "x")]) for wait in (1, 1.0))
    assert one == two
    assert one.digest() == two.digest()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (
            dt.date(2026, 1, 1),
            "field arguments.a[0].b: a value of type date is not",
        ),
        (float("nan"), "field arguments.a[0].b: NaN and Infinity are not JSON"),
        ([10**4300], "a number of more than 4300 digits"),
        ({1: 2}, "the keys of a JSON object must be texts"),
        ([[nested(97)]], "nested deeper than 100 levels"),
        ([[[nested(96)]]], "nested deeper than 100 levels"),
    ],
)
def test_what_json_cannot_carry_is_said(value: object, words: str) -> None:
    """An argument that no trace can be written with is named by event and field."""
    event = ToolStarted(1, "look", {"a": [{"b": value}]})
    with pytest.raises(UsageError, match=r"^event 1 \(tool_start\)") as caught:
        to_jsonl(Trace(Header(), [RunStarted("x"), event]))
    assert words in str(caught.value)


def test_a_field_of_the_wrong_type_is_said() -> None:
    """A text field that holds bytes can't be written, in a sentence of ours."""
    with pytest.raises(UsageError, match="not of its type"):
        to_jsonl(Trace(Header(), [RunStarted(b"x")]))  # type: ignore[arg-type]


def test_an_event_of_an_unknown_kind_is_said() -> None:
    """Only the kinds of the vocabulary can be written."""

    class Odd(RunStarted):
        pass

    with pytest.raises(UsageError, match="of no kind that agentsim knows"):
        to_jsonl(Trace(Header(), [Odd("x")]))


def test_the_deepest_arguments_survive() -> None:
    """Arguments as deep as a model may write them are written and read."""
    trace = Trace(Header(), [ToolStarted(1, "look", nested(100))])
    assert from_jsonl(to_jsonl(trace)) == trace


def test_tuples_and_split_characters_come_back_as_json_has_them() -> None:
    """The two documented exceptions to an equal reading."""
    trace = Trace(Header(), [ToolStarted(1, "\ud83d\ude00", {"a": (1, 2)})])
    assert from_jsonl(to_jsonl(trace)).events == (ToolStarted(1, "😀", {"a": [1, 2]}),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "t.jsonl is empty: expected the header of a trace in line 1"),
        (b"\xff\xfe", "t.jsonl is no text in UTF-8 (byte 0)"),
        ("hello", "t.jsonl, line 1 is not JSON: expected a value at column 1"),
        ("[]", "t.jsonl, line 1: expected a JSON object, got an array"),
        ("3", "t.jsonl, line 1: expected a JSON object, got 3"),
        (
            "{}",
            't.jsonl, line 1: expected the header of a trace, with "agentsim_trace": 1',
        ),
        ('{"agentsim_trace":2}', "field agentsim_trace: expected version 1, got 2"),
        (
            '{"agentsim_trace":true}',
            "field agentsim_trace: expected version 1, got true",
        ),
        ('{"agentsim_trace":1,"version":1}', 'there is no field "version" here'),
        (
            '{"agentsim_trace":1,"promt":""}',
            "no field \"promt\" here; did you mean 'prompt'?",
        ),
        ('{"agentsim_trace":1,"task":3}', "line 1, field task: expected a text, got 3"),
        (
            '{"agentsim_trace":1,"loop":{"block_at":1}}',
            "field loop: block_at: expected",
        ),
        (
            '{"agentsim_trace":1,"limits":[]}',
            "field limits: expected an object, got an array",
        ),
        (
            '{"agentsim_trace":1,"tools":[{"definition":{"name":""},"rights":{"category":"x"}}]}',
            'rights.category: expected one of "read_only", "mutating", "destructive", got "x"',
        ),
    ],
)
def test_a_header_that_cannot_be_read_is_said(text: str | bytes, words: str) -> None:
    """File, line and field of what is wrong stand in one sentence."""
    with pytest.raises(UsageError) as caught:
        from_jsonl(text, "t.jsonl")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "t.jsonl, line 2 is not JSON: the text ends where a value is expected"),
        ('{"a":1,"a":2}', 'the key "a" stands twice at column 8'),
        ('{"a":NaN}', "NaN and Infinity are not JSON at column 6"),
        ('{"a":1e999}', "a number out of range at column 6"),
        ('{"a":' + "9" * 5000 + "}", "a number of more than 4300 digits"),
        ("[" * 120 + "]" * 120, "line 2: nested deeper than 110 levels"),
        ("{}", "field kind: expected a kind of event, got null"),
        ('{"kind":[]}', "field kind: expected a kind of event, got an array"),
        ('{"kind":"request_sent"}', "got \"request_sent\"; did you mean 'request'?"),
        ('{"kind":"run_started"}', 'the field "task" is missing'),
        (
            '{"kind":"run_started","task":"x","at_ns":1.5}',
            "field at_ns: expected a whole",
        ),
        (
            '{"kind":"run_started","task":"x","at_ns":true}',
            "field at_ns: expected a whole",
        ),
        (
            '{"kind":"run_started","task":"x","who":"me"}',
            'field who: expected one of "bou',
        ),
        ('{"kind":"run_started","task":"x","word":1}', 'there is no field "word" here'),
        (
            '{"kind":"retry","number":1,"attempt":1,"wait_s":"1","words":""}',
            'field wait_s: expected a number, got "1"',
        ),
        (
            '{"kind":"tool_start","operation":1,"name":"a","arguments":[]}',
            "field arguments: expected an object, got an array",
        ),
        (
            '{"kind":"confirmation_answered","question":1,"approved":1}',
            "field approved: expected true or false, got 1",
        ),
        (
            '{"kind":"call_ids_replaced","replaced":[["a"]]}',
            "field replaced[0]: expected an array of 2, got an array",
        ),
        (
            '{"kind":"call_ids_replaced","replaced":3}',
            "field replaced: expected an array, got 3",
        ),
    ],
)
def test_an_event_that_cannot_be_read_is_said(line: str, words: str) -> None:
    """Each way in which a line is no event has its sentence, with line and field."""
    with pytest.raises(UsageError) as caught:
        from_jsonl(HEAD + line + "\n", "t.jsonl")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("view", "tools", "words"),
    [
        ("[]", "[]", 'field messages: expected an object of "keep" and "add"'),
        ('{"keep":0}', "[]", 'field messages: expected an object of "keep" and "add"'),
        (
            '{"keep":true,"add":[]}',
            "[]",
            "field messages.keep: expected a whole number",
        ),
        ('{"keep":1,"add":[]}', "[]", "field messages.keep: keeps 1 messages of 0"),
        ('{"keep":0,"add":[{}]}', "[]", 'messages.add[0]: the field "role" is missing'),
        ('{"keep":0,"add":[]}', "1", "field tools: there is no set of tools 1 above"),
        ('{"keep":0,"add":[]}', "true", "field tools: expected an array, got true"),
    ],
)
def test_a_request_that_cannot_be_read_is_said(
    view: str, tools: str, words: str
) -> None:
    """What a view or a set of tools refers to must be there."""
    line = (
        f'{{"kind":"request","number":1,"model":"m","messages":{view},"tools":{tools}}}'
    )
    with pytest.raises(UsageError) as caught:
        from_jsonl(HEAD + line, "t.jsonl")
    assert words in str(caught.value)


SAMPLE = to_jsonl(growing(2))


@given(st.data())
@examples(50)
def test_a_damaged_text_is_an_error_or_a_trace(data: st.DataObject) -> None:
    """Whatever is cut from, put into or changed in a trace, reading it is total."""
    start = data.draw(st.integers(0, len(SAMPLE)))
    stop = data.draw(st.integers(start, min(len(SAMPLE), start + 12)))
    put = data.draw(st.text(max_size=6) | values.map(json.dumps))
    try:
        again = from_jsonl(SAMPLE[:start] + put + SAMPLE[stop:], "t.jsonl")
    except UsageError as error:
        words = str(error)
        assert (words[:7], words.count("\n")) == ("t.jsonl", 0)
    else:
        assert from_jsonl(to_jsonl(again)) == again


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Binary content is refused with a sentence."""
    with pytest.raises(UsageError, match=r"^the trace"):
        from_jsonl(data)


@given(st.sampled_from(SAMPLE.splitlines()[1:]), st.data())
@examples(25)
def test_any_value_in_any_field_is_read_right_or_refused(
    line: str, data: st.DataObject
) -> None:
    """A field with a value of another type never gives a half-valid event."""
    record = json.loads(line)
    field = data.draw(st.sampled_from(sorted(record)))
    record[field] = data.draw(values)
    try:
        (event,) = from_jsonl(HEAD + json.dumps(record)).events
    except UsageError:
        return
    for part in fields(event):
        value = getattr(event, part.name)
        assert not isinstance(value, (dict, list))
        assert part.name != "messages" or all(isinstance(m, Message) for m in value)


PROGRAM = """
import sys
from agentsim.trace import from_jsonl
sys.stdout.write(from_jsonl(sys.stdin.read()).digest())
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", ["0", "1"])
def test_a_digest_is_the_same_in_another_process(seed: str) -> None:
    """Neither the process nor its hash seed changes the digest."""
    found = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=SAMPLE,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": seed},
    )
    assert found.stdout == growing(2).digest() == from_jsonl(SAMPLE).digest()


def test_limits_of_a_header_are_checked_as_ever() -> None:
    """A limit that `Limits` refuses can't come in through a file."""
    text = to_jsonl(Trace(Header(limits=Limits(max_iterations=7)), []))
    with pytest.raises(UsageError, match="field limits: max_iterations: expected"):
        from_jsonl(text.replace("7", "0"))


def test_pairs_are_written_and_read() -> None:
    """A field of pairs comes back as pairs."""
    trace = Trace(Header(), [CallIdsReplaced((("", "call_1"), ("x", "call_2")))])
    assert from_jsonl(to_jsonl(trace)) == trace


def test_values_are_shown_short() -> None:
    """Whatever stands in a file, an error message shows a line of it at most."""
    odd: list[object] = [{}, [1], "é" * 90, 10**5000, None, "a"]
    shown = [show(value) for value in odd]
    assert shown[:2] == ["an object", "an array"]
    assert shown[2].endswith(" ...")
    assert shown[3:] == ["a huge number", "null", '"a"']


def test_many_brackets_are_no_depth() -> None:
    """A line may hold many objects, and brackets in its texts, side by side."""
    trace = Trace(
        Header(), [ToolStarted(1, "]" * 200, {"a": [[{}]] * 60, "b": "[" * 200})]
    )
    assert from_jsonl(to_jsonl(trace)) == trace
    arguments = {"a": nested(99)}
    again = from_jsonl(to_jsonl(Trace(Header(), [ToolStarted(1, "x", arguments)])))
    assert again.events == (ToolStarted(1, "x", arguments),)
    deep = json.dumps({"kind": "tool_start", "operation": 1, "name": "x"})
    lists = "[" * 104 + "]" * 104
    text = deep[:-1] + ',"arguments":{"a":' + lists + "}}"
    with pytest.raises(UsageError, match=r"field arguments.a.*nested deeper than 100"):
        from_jsonl(HEAD + text)
