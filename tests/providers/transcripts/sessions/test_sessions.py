"""Files of other tools are recognised, read whatever they hold, and judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.core import UsageError
from agentsim.providers.transcripts import check_text
from agentsim.providers.transcripts.sessions import (
    SESSIONS,
    exchanges_in,
    read_session,
    session_kind,
)
from tests.providers.transcripts.sessions.samples import (
    AGENTS_SDK,
    CLAUDE_CODE,
    OPENTELEMETRY,
    asks,
    says,
    session,
    use,
)
from tests.support.command import agentsim

SAMPLES = {
    "claude-code": CLAUDE_CODE,
    "agents-sdk": AGENTS_SDK,
    "opentelemetry": OPENTELEMETRY,
}


@pytest.mark.parametrize("kind", SESSIONS)
def test_a_file_is_recognised_by_its_contents(kind: str) -> None:
    """By its first lines, or as one document; what is none of these is left to others."""
    assert session_kind(SAMPLES[kind]) == kind
    assert check_text("f", SAMPLES[kind]) == check_text("f", SAMPLES[kind], kind)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        '{"messages": []}',
        '[{"role": "user", "content": "\\"span_id\\" \\"parentUuid\\""}]',
        '{"type": "message", "role": "user", "content": "Hi."}',
        '{"request": {"messages": []}, "response": {}}\n{"a": 1}',
    ],
)
def test_what_is_no_session_is_none(text: str) -> None:
    """Transcripts in the form of a wire, and what can't be read, are of no such kind."""
    assert session_kind(text) == ""


def test_the_command_judges_sessions(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """What people read: findings with their place, what was left out, the counts."""
    broken = session(
        asks("u", None, "Read it."),
        says("a", "u", "m", use("toolu_1")),
        asks("u2", "a", "And?"),
    )
    told = []
    for name, text in {**SAMPLES, "broken": broken}.items():
        Path(name).write_text(text, "utf-8")
        told.append(agentsim("check", name).out)
    assert "\n".join(told) == snapshot
    data = agentsim("check", "--json", "--from", "claude-code", "broken").data
    assert (data["verdict"], data["files"][0]["notes"]) == ("violated", [])
    assert agentsim("check", "--from", "claude", "broken").code == 3


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test begin in an empty folder."""
    monkeypatch.chdir(tmp_path)


_LEAF = st.none() | st.booleans() | st.integers() | st.text(max_size=4)
_VALUE = st.recursive(
    _LEAF,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ("type", "id", "role", "content", "values", "parts", "data")
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=5,
)


def _paths(value: object) -> list[tuple[str | int, ...]]:
    found: list[tuple[str | int, ...]] = [()]
    if isinstance(value, dict):
        found += [(key, *rest) for key in value for rest in _paths(value[key])]
    elif isinstance(value, list):
        found += [(at, *rest) for at, part in enumerate(value) for rest in _paths(part)]
    return found


def _replaced(value: object, path: tuple[str | int, ...], by: object) -> object:
    if not path:
        return by
    if isinstance(value, dict):
        return {
            key: _replaced(part, path[1:], by) if key == path[0] else part
            for key, part in value.items()
        }
    assert isinstance(value, list)
    return [
        _replaced(part, path[1:], by) if at == path[0] else part
        for at, part in enumerate(value)
    ]


@settings(max_examples=30)
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_no_value_breaks_a_reader(kind: str, data: st.DataObject) -> None:
    """Whatever stands in a field of a session, it is read, or told in one sentence."""
    rows = [json.loads(line) for line in SAMPLES[kind].splitlines()]
    number = data.draw(st.integers(0, len(rows) - 1))
    path = data.draw(st.sampled_from(_paths(rows[number])))
    rows[number] = _replaced(rows[number], path, data.draw(_VALUE))
    text = "\n".join(map(json.dumps, rows))
    told = ""
    try:
        for part in read_session("f", text, kind).parts:
            list(exchanges_in(part))
        check_text("f", text, kind)
    except UsageError as error:
        told = str(error)
    assert "\n" not in told


@given(st.text(), st.sampled_from(sorted(SAMPLES)))
def test_no_text_breaks_a_reader(text: str, kind: str) -> None:
    """Whatever a file holds that is said to be a session: one sentence, no traceback."""
    told = ""
    try:
        check_text("f", text, kind)
    except UsageError as error:
        told = str(error)
    assert "\n" not in told
