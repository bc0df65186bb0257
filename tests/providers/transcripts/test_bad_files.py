"""What can't be read is one sentence with the place, whatever the bytes are."""

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import UsageError
from agentsim.providers.transcripts import check_file, check_text, source
from tests.providers.transcripts.conversations import (
    FEW,
    MAKERS,
    Break,
    Round,
    broken_rounds,
)

NOT_JSON = "expected a JSON document, or one JSON value a line"
NO_TRANSCRIPT = (
    "expected a request body (`messages` or `input`), a list of messages, "
    "or an exchange (`request` and `response`)"
)
GOOD = '{"messages": [{"role": "user", "content": "Go."}]}'
CHAT_ROLES = "system, developer, user, assistant, tool, function"

TEXTS: dict[str, tuple[str, str]] = {
    "empty": ("", f"f: empty; {NOT_JSON}"),
    "blank": (" \n\t\r\n", f"f: empty; {NOT_JSON}"),
    "no JSON": ("hello\n", f"f:1:1: not JSON: expected a value; {NOT_JSON}"),
    "a cut document": (
        '{\n "messages": [\n  {"role": "user"',
        f"f:3:18: not JSON: the text ends inside an object; {NOT_JSON}",
    ),
    "a broken line": (
        f'{GOOD}\n\n{GOOD}\n{{"messages": [}}\n',
        f"f:4:15: not JSON: expected a value; {NOT_JSON}",
    ),
    "NaN": (
        '[{"a": NaN}]',
        f"f:1:8: not JSON: NaN and Infinity are not JSON; {NOT_JSON}",
    ),
    "a repeated key before the fault": (
        '{"a": 1,\n "a": 2,\n "b" 3}',
        f"f:3:6: not JSON: expected ':' after a key; {NOT_JSON}",
    ),
    "deep": (
        "[" * 200_000,
        f"f:1:101: not JSON: nested deeper than 100 levels; {NOT_JSON}",
    ),
    "a number": ("7", f"f:1: the document: {NO_TRANSCRIPT}, got a number"),
    "numbers": ("[\n1]", f"f:2: [0]: {NO_TRANSCRIPT}, got a number"),
    "another object": (
        '{"a": 1}',
        f"f:1: the document: {NO_TRANSCRIPT}, got an object with none of these",
    ),
    "an empty request": (
        f'{GOOD}\n{{"request": {{}}}}',
        f"f:2: the document: {NO_TRANSCRIPT}, got an object with none of these",
    ),
    "messages of another type": (
        '{\n"messages":\n{}}',
        "f:3: messages: expected the messages as an array, got an object",
    ),
    "null messages": (
        '{"messages": null}',
        "f:1: messages: expected the messages as an array, got null",
    ),
    "input of another type": (
        '{"input": true}',
        "f:1: input: expected the input items as an array, got a boolean",
    ),
    "a message that is none": (
        '[{"role": "user"},\n "hi\\u2028"]',
        'f:2: [1]: expected a message as an object, got "hi\\u2028"',
    ),
    "an unknown role": (
        '{"messages": [{"role": "user"},\n{"role": "robot"}]}',
        f'f:2: messages[1].role: expected one of {CHAT_ROLES}, got "robot"',
    ),
    "no role": (
        '{"messages": [\n{"content": "hi"}]}',
        f"f:2: messages[0].role: expected one of {CHAT_ROLES}, got nothing",
    ),
    "a Chat role on Anthropic": (
        '{"system": "x", "messages": [{"role": "developer"}]}',
        'f:1: messages[0].role: expected one of user, assistant, system, got "developer"',
    ),
    "calls of another type": (
        '[{"role": "assistant", "tool_calls": "f"}]',
        'f:1: [0].tool_calls: expected the tool calls as an array, got "f"',
    ),
    "a call of another type": (
        '[{"role": "assistant", "tool_calls": [1]}]',
        "f:1: [0].tool_calls[0]: expected a tool call as an object, got a number",
    ),
    "an id of another type": (
        '[{"role": "tool", "tool_call_id": 5}]',
        "f:1: [0].tool_call_id: expected a string, got a number",
    ),
    "a long text in the place of an object": (
        json.dumps([{"role": "user"}, "x" * 1000]),
        f'f:1: [1]: expected a message as an object, got "{"x" * 80}..."',
    ),
    "content of another type": (
        '{"system": "x", "messages": [{"role": "user", "content": 1}]}',
        "f:1: messages[0].content: expected a string or an array of blocks, got a number",
    ),
    "a block that is none": (
        '{"system": "x", "messages": [{"role": "user", "content": [[]]}]}',
        "f:1: messages[0].content[0]: expected a content block as an object, got an array",
    ),
    "a block without a type": (
        '{"system": "x", "messages": [{"role": "user", "content": [{}]}]}',
        "f:1: messages[0].content[0].type: expected the type of a block, got nothing",
    ),
    "an item type of another type": (
        '{"input": [{"type": 1}]}',
        "f:1: input[0].type: expected the type of an item, got a number",
    ),
    "lines of which one is no message": (
        '{"role": "user", "content": "Go."}\n{"messages": []}',
        "f:2: expected a message, as on the first line",
    ),
    "a bad message on a line": (
        '{"role": "user"}\n\n{"role": "tool", "tool_call_id": []}',
        "f:3: [1].tool_call_id: expected a string, got an array",
    ),
    "a choice of another type": (
        '{"request": {"messages": [], "n": 1}, "response": {"choices": [1]}}',
        "f:1: response.choices[0]: expected a choice as an object, got a number",
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_bad_text_is_one_sentence_with_its_place(name: str) -> None:
    """The message names file, line and field, what was expected and what is there."""
    text, words = TEXTS[name]
    with pytest.raises(UsageError) as caught:
        check_text("f", text)
    assert str(caught.value) == words


def test_bad_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing file, a directory, bytes that are no text and a monster are told apart."""
    binary = tmp_path / "binary"
    binary.write_bytes(b"[\n\xff\x00]")
    file = tmp_path / "file"
    file.write_text(GOOD)
    cases = {
        tmp_path / "none": f"{tmp_path}/none: there is no such file",
        tmp_path: f"{tmp_path}: a directory; give the files in it",
        binary: f"{binary}:2: byte 2 is not UTF-8 text; {NOT_JSON}",
        file / "below": f"{file}/below: can't be read; give a regular file",
        tmp_path / "a\0b": f"{tmp_path}/a\\x00b: can't be read; give a regular file",
    }
    for path, words in cases.items():
        with pytest.raises(UsageError) as caught:
            check_file(path)
        assert str(caught.value) == words
    assert check_file(str(file)).status == "holds"
    monkeypatch.setattr(source, "BYTES_MAX", 8)
    with pytest.raises(
        UsageError, match="file: longer than 0 MiB; split it into parts"
    ):
        check_file(file)


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that may not be read is told as such."""

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UsageError, match="f: you have no permission to read it"):
        check_file("f")


def test_words_stay_short_and_printable() -> None:
    """Ids of any length and any characters give one line that can be written."""
    wild = "\n\ud800\u202e" + "x" * 10_000
    text = json.dumps([{"role": "tool", "tool_call_id": wild}])
    (finding,) = check_text("f\n", text).findings
    assert finding.file == "f\\n"
    assert finding.words.startswith("the result of \\n\\ud800\\u202exxx")
    assert len(finding.words) < 500


def read(text: str) -> None:
    """Check a text: any outcome is good but another exception than ours."""
    try:
        report = check_text("f", text)
    except UsageError as fault:
        words = str(fault)
        assert words.startswith("f:")
        assert len(words) < 1000
        assert words.isprintable() or words.encode()
        assert "\n" not in words
    else:
        for finding in report.findings:
            assert 1 <= finding.line <= text.count("\n") + 1


@FEW
@given(data=st.binary(max_size=200))
def test_any_bytes(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Random bytes end in our error, or in a report."""
    path = tmp_path_factory.getbasetemp() / "bytes"
    path.write_bytes(data)
    with suppress(UsageError):
        check_file(path)


@FEW
@given(data=st.data(), case=broken_rounds(), wire=st.sampled_from(sorted(MAKERS)))
def test_any_damage_to_a_sound_file(
    data: st.DataObject, case: tuple[list[Round], Break], wire: str
) -> None:
    """A piece cut out of a file, or put into it, ends in our error or in a report."""
    indent = data.draw(st.sampled_from([None, 1]))
    text = json.dumps(MAKERS[wire](*case).body, indent=indent)
    start = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 30))
    piece = data.draw(st.text('[]{}",:\\\n0a', max_size=3))
    read(text[:start] + piece + text[start + length :])


WORDS = [
    "messages", "input", "request", "response", "role", "content", "type", "id",
    "tool_calls", "function", "function_call", "function_call_output", "call_id",
    "tool_call_id", "tool_use_id", "tool_use", "tool_result", "server_tool_use",
    "web_search_tool_result", "user", "assistant", "tool", "system", "model", "thread",
    "continue", "previous_response_id", "conversation", "item_reference", "compaction",
    "name", "text", "choices", "message", "output", "a", "",
]  # fmt: skip

VALUES = st.recursive(
    st.sampled_from([*WORDS, None, True, 0]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
    ),
    max_leaves=12,
)

ROLES = st.sampled_from(["user", "assistant", "tool", "system", "function"])

MESSAGES = st.lists(
    st.builds(
        lambda role, rest: {**rest, "role": role},
        ROLES,
        st.dictionaries(st.sampled_from(WORDS), VALUES, max_size=3),
    ),
    max_size=4,
)


@FEW
@given(value=VALUES | MESSAGES | st.fixed_dictionaries({"messages": MESSAGES}))
def test_any_json_of_the_wires_words(value: object) -> None:
    """JSON of any shape that uses the words of the wires ends well."""
    read(json.dumps(value))
