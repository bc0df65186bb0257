"""Recordings of other tools are recognised by their contents, and become one cassette."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agentsim.cassettes import import_recordings, load_cassette
from agentsim.cassettes.importing import KINDS, recording
from agentsim.cassettes.importing.kinds import kind_of_text
from agentsim.cassettes.importing.values import Unreadable
from agentsim.core import CassetteError
from tests.cassettes.importing.samples import (
    ASKED,
    CALL,
    EXCHANGE,
    HAR,
    MESSAGES,
    VCR,
    har,
    har_entry,
)
from tests.cassettes.test_redaction import EXCHANGES
from tests.providers.transcripts.sessions import samples as sessions
from tests.support.command import agentsim


def _in_json(body: object) -> str:
    """A body as it stands in a text of a document."""
    return json.dumps(json.dumps(body))


SAMPLES = {
    "vcr": VCR,
    "har": HAR,
    "exchanges": EXCHANGE,
    "claude-code": sessions.CLAUDE_CODE,
    "agents-sdk": sessions.AGENTS_SDK,
    "opentelemetry": sessions.OPENTELEMETRY,
    "messages": MESSAGES,
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_recognised_and_can_be_named(tmp_path: Path, kind: str) -> None:
    """By its contents, whatever the file is called; or by the name of the kind."""
    (tmp_path / "file").write_text(SAMPLES[kind], "utf-8")
    found = import_recordings([tmp_path / "file"], tmp_path / "a.yaml")
    named = import_recordings([tmp_path / "file"], tmp_path / "b.yaml", kind=kind)
    assert found == named
    assert found[0].kind == kind
    entries = load_cassette(tmp_path / "a.yaml").entries
    assert entries == load_cassette(tmp_path / "b.yaml").entries
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))


_ROW = {"request": ASKED, "wire": "openai-chat"}

CUT = {
    "an answer": json.dumps({**_ROW, "response": {"text": "\ud83d"}}),
    "a request": json.dumps(
        {**_ROW, "request": {"messages": ["\ud83d"]}, "response": {}}
    ),
    "a stream": json.dumps({**_ROW, "response": 'data: {"text": "\ud83d"}\n\n'}),
    "an archive": har(har_entry(content={"size": 1, "text": '{"text": "\ud83d"}'})),
    "a conversation": MESSAGES.replace("Gone.", r"\ud83d"),
}
"""Recordings with half of an emoji, as tools write that cut texts."""


@pytest.mark.parametrize("what", CUT)
def test_half_of_a_character_can_be_imported_and_replayed(
    tmp_path: Path, what: str
) -> None:
    """Bodies escape it, as there are no bytes for it, and say what they said."""
    (tmp_path / "file").write_text(CUT[what], "utf-8")
    import_recordings([tmp_path / "file"], tmp_path / "a.yaml")
    bodies = [
        text.encode("utf-8", "surrogateescape")
        for one in load_cassette(tmp_path / "a.yaml").exchanges
        for text in (one.request.body, one.answer.text)
    ]
    assert any(rb"\ud83d" in body for body in bodies)


def test_several_files_become_one_cassette(tmp_path: Path) -> None:
    """Their entries stand one behind the other, and so do their times."""
    for name, text in SAMPLES.items():
        (tmp_path / name).write_text(text, "utf-8")
    files = [tmp_path / name for name in SAMPLES]
    told = import_recordings(files, tmp_path / "a.yaml")
    entries = load_cassette(tmp_path / "a.yaml").entries
    assert len(entries) == sum(one.exchanges + one.tools for one in told)
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    times = [entry.at_ms for entry in entries]
    assert times == sorted(times)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "a: 1\n",
            "file: fits no kind of recording: looked for `interactions` (vcr); ",
        ),
        ("agentsim_cassette: 1\n", "file: this is a cassette of agentsim already"),
        ("", "file: fits no kind of recording"),
        ("{}", "file: fits no kind of recording"),
        (f"[{EXCHANGE.splitlines()[0]}, 7]", "file: fits no kind"),
        ("[1, 2]", "file: fits no kind of recording"),
        ("{\n", "file: this is no JSON that can be read: the text ends"),
        ('{"request": 1, "response": 1}\n{', "file:2: the text ends inside an object"),
        (f'{EXCHANGE}\n{{"a": 1}}\n', "file:5: no exchange"),
        (
            '{"request": 1, "response": 1, "status": "x"}',
            "file:1: status or wire is of",
        ),
    ],
)
def test_what_is_no_recording_is_told(tmp_path: Path, text: str, words: str) -> None:
    """A file that can't be imported is named, with the place, and nothing is written."""
    (tmp_path / "file").write_text(text)
    with pytest.raises(CassetteError) as caught:
        import_recordings([tmp_path / "file"], tmp_path / "to.yaml")
    assert words in str(caught.value)
    assert not (tmp_path / "to.yaml").exists()


def test_what_is_no_file_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder, nothing, bytes that are no text, and too many of them: one sentence."""
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    (tmp_path / "long").write_text("{}" * 10)
    monkeypatch.setattr(recording, "BYTES_MAX", 10)
    for name, words in (
        ("", "a folder: name a recording"),
        ("missing", "there is no such file: name a recording"),
        ("bytes", "this file can't be read as UTF-8"),
        ("long", "longer than 0 MiB: split it"),
    ):
        with pytest.raises(CassetteError, match=words):
            import_recordings([tmp_path / name], tmp_path / "to.yaml")


@given(
    st.one_of(
        st.text(),
        st.sampled_from(sorted(SAMPLES)).flatmap(
            lambda name: st.integers(0, len(SAMPLES[name])).map(
                lambda at: SAMPLES[name][:at]
            )
        ),
    ),
    st.sampled_from(["", *KINDS]),
)
def test_no_text_breaks_a_reader(text: str, kind: str) -> None:
    """Whatever a file holds, and whatever it is said to be: one sentence, no traceback."""
    told = ""
    try:
        KINDS[kind or kind_of_text(text)].read(text, "file")
    except Unreadable as error:
        told = str(error)
    assert "\n" not in told


def test_the_command_imports(tmp_path: Path) -> None:
    """The command makes a cassette once, and refuses to write over it."""
    (tmp_path / "a.har").write_text(HAR, "utf-8")
    words = ["cassette", "import", str(tmp_path / "a.har")]
    into = ["--into", str(tmp_path / "to.yaml")]
    done = agentsim(*words, *into)
    assert (done.code, "exchanges and 0 calls of tools, imported" in done.out) == (
        0,
        True,
    )
    assert "note: left out: 1 entry of a WebSocket" in done.out
    again = agentsim(*words, *into, "--json")
    assert (again.code, "is there already" in again.data["error"]) == (3, True)
    other = ["--into", str(tmp_path / "other.yaml"), "--json"]
    data = agentsim(*words, *other, "--from", "har").data
    assert data["files"][0]["kind"] == "har"
    assert data["exchanges"] == data["files"][0]["exchanges"]
    assert agentsim(*words, *other, "--from", "hat").code == 3
    assert agentsim(*words).code == 3
    assert agentsim("cassette", "audit", *words[2:], *into).code == 3


BROKEN = {
    "model": "gpt-5",
    "messages": [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "user", "content": "Well?"},
    ],
}


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("vcr", VCR.replace(json.dumps(ASKED), json.dumps(BROKEN)), 3),
        ("vcr", json.dumps(yaml.safe_load(VCR), indent=1), 0),
        ("har", har(har_entry(1), har_entry(content={"size": 9}), har_entry()), 0),
        ("har", HAR.replace(_in_json(ASKED), _in_json(BROKEN)), 5),
    ],
)
def test_recordings_are_judged_as_they_are(
    tmp_path: Path, name: str, text: str, line: int
) -> None:
    """The command that judges transcripts reads them too: a breach with its line."""
    file = tmp_path / "file"
    file.write_text(f"# a comment\n{text}" if text.startswith("i") else text, "utf-8")
    (found,) = agentsim("check", "--json", str(file)).data["files"]
    assert found["kind"] == name
    (named,) = agentsim("check", "--json", "--from", name, str(file)).data["files"]
    assert named == found
    requests = [one for one in found["conversations"] if one["findings"]]
    assert [one["findings"][0]["rule"] for one in requests] == ["unanswered"] * (
        0 if not line else len(found["conversations"])
    )
    if line:
        assert requests[0]["findings"][0]["position"].endswith(
            "messages[1].tool_calls[0]"
        )
        assert min(one["line"] for one in requests) == line


@pytest.mark.slow
@pytest.mark.skipif(
    not EXCHANGES.exists(), reason="../shared/real-exchanges is missing"
)
def test_real_exchanges_come_back_equal(tmp_path: Path) -> None:
    """Every real exchange is imported, and but for secrets its answer is as it was."""
    rows = [json.loads(line) for line in EXCHANGES.read_text("utf-8").splitlines()]
    (told,) = import_recordings([EXCHANGES], tmp_path / "to.yaml")
    assert told.exchanges == len(rows)
    cassette = load_cassette(tmp_path / "to.yaml")
    differing = []
    for row, found in zip(rows, cassette.exchanges, strict=True):
        answer = found.answer
        said = answer.text if answer.chunks is not None else json.loads(answer.body)
        if said != row["response"] or json.loads(found.request.body) != row["request"]:
            differing.append(
                "__REDACTED_" in found.request.body + answer.text + answer.body
            )
        assert (found.message is not None) is (row["status"] == 200), row["id"]
    assert differing == [True] * 4  # addresses in pages, a value named authorization


def test_a_cassette_is_as_old_as_the_oldest_of_its_recordings(tmp_path: Path) -> None:
    """Where each tells when it began; of vcrpy's nobody knows."""
    times = {"new": "2026-03-01T12:00:00+02:00", "old": "2025-12-31T23:59:59.999Z"}
    for name, time in times.items():
        (tmp_path / f"{name}.har").write_text(har(har_entry(startedDateTime=time)))
    (tmp_path / "far.har").write_text(
        har(har_entry(startedDateTime="9999-12-31T23:59:59-12:00"))
    )
    for names, told in (
        (("new",), "2026-03-01T10:00:00Z"),
        (("new", "old"), "2025-12-31T23:59:59Z"),
        (("far",), ""),
    ):
        into = tmp_path / f"{'-'.join(names)}.yaml"
        import_recordings([tmp_path / f"{name}.har" for name in names], into)
        assert load_cassette(into).header.recorded_at == told
    (tmp_path / "vcr.yaml").write_text(VCR)
    import_recordings(
        [tmp_path / "vcr.yaml", tmp_path / "new.har"], tmp_path / "b.yaml"
    )
    assert load_cassette(tmp_path / "b.yaml").header.recorded_at == ""
