"""A tape records what goes live, and answers the same again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agentsim.cassettes import RecordedRequest, load_cassette
from agentsim.cassettes.tape import Mode, Tape
from agentsim.core import CassetteError, CassetteInUse, CassetteMiss

CHAT = "openai-chat"


class Ticks:
    """A clock of which each look takes a millisecond."""

    def __init__(self, *, days: float = 0) -> None:
        self.today = datetime(2026, 11, 30, tzinfo=UTC) + timedelta(days=days)
        self.ms = 0.0

    def now(self) -> datetime:
        """The day that it was made with."""
        return self.today

    def elapsed_ms(self) -> float:
        """A millisecond more than before."""
        self.ms += 1
        return self.ms


def ask(text: str) -> RecordedRequest:
    """A request with one message."""
    messages = [{"role": "user", "content": text}]
    body = json.dumps({"model": "gpt-5", "messages": messages})
    return RecordedRequest(url="https://api.example/v1/chat/completions", body=body)


def session(path: Path, mode: Mode, *texts: str, **options: object) -> list[str]:
    """Ask for each text, live where the tape has nothing; the answers' bodies."""
    heard = []
    with Tape(path, mode, clock=Ticks(), **options) as tape:  # type: ignore[arg-type]
        for number, text in enumerate(texts):
            found = tape.answer(ask(text), CHAT)
            if found is None:
                taking = tape.begin(ask(text), CHAT)
                taking.head(
                    200, {"content-type": "application/json", "set-cookie": "x"}
                )
                taking.body(f"{mode} {number}: {text}".encode())
                taking.end()
                heard.append(f"live {text}")
            else:
                heard.append(found.answer.body)
    return heard


def test_what_was_recorded_is_replayed(tmp_path: Path) -> None:
    """Answers come again by what is asked, equal requests in order, a third is a miss."""
    path = tmp_path / "a" / "b.yaml"
    asked = ("poll", "other", "poll")
    assert session(path, "record", *asked) == [f"live {text}" for text in asked]
    assert session(path, "replay", "other", "poll", "poll") == [
        "record 1: other",
        "record 0: poll",
        "record 2: poll",
    ]
    with pytest.raises(CassetteMiss, match="asked once more"):
        session(path, "replay", "poll", "poll", "poll")


def test_a_stream_is_kept_as_it_came(tmp_path: Path) -> None:
    """Each chunk has its bytes and time, and the ending that it had."""
    with Tape(tmp_path / "s.yaml", "record", clock=Ticks()) as tape:
        for ended in ("whole", "closed by the client", "broken off"):
            taking = tape.begin(ask(ended), CHAT)
            taking.head(200, {})
            taking.chunk(b"data: \xf0\x9f")
            taking.chunk(b"\x98\x80\n\n")
            taking.end(ended, "lost" if ended == "broken off" else "")
            taking.end("whole")
        left = tape.begin(ask("left"), CHAT)
        left.head(200, {})
        left.streams()
        tape.begin(ask("unanswered"), CHAT)
    found = load_cassette(tmp_path / "s.yaml").exchanges
    assert [one.answer.ended for one in found] == [
        *("whole", "closed by the client", "broken off", "closed by the client"),
        "no answer",
    ]
    assert found[0].answer.text.encode("utf-8", "surrogateescape") == (
        "data: 😀\n\n".encode()
    )
    assert [chunk.at_ms for chunk in found[0].answer.chunks or ()] == [2, 3]
    assert found[2].answer.error == "lost"
    assert found[3].answer.chunks == ()
    assert found[4].answer.status is None


def test_a_missing_cassette_is_an_error_at_once(tmp_path: Path) -> None:
    """Replay says so before anything is asked, and nothing goes live in it."""
    with pytest.raises(CassetteError, match="record it first"):
        Tape(tmp_path / "none.yaml")
    session(tmp_path / "some.yaml", "record", "x")
    with Tape(tmp_path / "some.yaml") as tape:
        with pytest.raises(CassetteError, match="can't go live"):
            tape.begin(ask("x"), CHAT)
        with pytest.raises(CassetteError, match="can't go live"):
            tape.begin_tool("look", "{}")
    with pytest.raises(CassetteError, match="closed before"):
        tape.answer(ask("x"), CHAT)
    with pytest.raises(CassetteError, match="did you mean 'replay'"):
        Tape(tmp_path / "some.yaml", "reply")  # type: ignore[arg-type]


def test_a_recording_replaces_the_old_one_when_it_is_whole(tmp_path: Path) -> None:
    """Until then, and when it fails, the old file is there byte for byte."""
    path = tmp_path / "c.yaml"
    session(path, "record", "old")
    before = path.read_bytes()
    tape = Tape(path, "record", clock=Ticks())
    taking = tape.begin(ask("new"), CHAT)
    taking.head(200, {})
    taking.end()
    assert tape.written != path
    assert len(load_cassette(tape.written).entries) == 1
    with pytest.raises(CassetteInUse):
        Tape(path, "record")
    tape.close(keep=False)
    assert path.read_bytes() == before
    assert session(path, "record", "newer") == ["live newer"]
    assert session(path, "replay", "newer") == ["record 0: newer"]
    assert sorted(tmp_path.iterdir()) == [path]


def test_what_is_missing_is_appended(tmp_path: Path) -> None:
    """What is there is answered and stays as it is; what is not stands behind it."""
    path = tmp_path / "d.yaml"
    session(path, "record", "one")
    before = path.read_bytes()
    heard = session(path, "record-missing", "one", "two", "one")
    assert heard == ["record 0: one", "live two", "live one"]
    assert path.read_bytes().startswith(before)
    found = load_cassette(path).exchanges
    assert [one.number for one in found] == [1, 2, 3]
    assert [one.at_ms for one in found] == sorted(one.at_ms for one in found)
    assert found[1].at_ms > found[0].at_ms + found[0].answer.at_ms
    again = session(path, "record-missing", "one", "two", "one")
    assert again == ["record 0: one", "record-missing 1: two", "record-missing 2: one"]


def test_a_refresh_keeps_what_is_asked_for(tmp_path: Path) -> None:
    """What matches stays, what does not is recorded, and what nobody asks for goes."""
    path = tmp_path / "e.yaml"
    session(path, "record", "one", "two", "three")
    before = path.read_bytes()
    assert session(path, "refresh", "one", "two", "three")[2] == "record 2: three"
    assert path.read_bytes() == before
    assert session(path, "refresh", "two", "one", "three")[1] == "record 0: one"
    assert sorted(path.read_text()) == sorted(before.decode())
    assert session(path, "refresh", "one", "2", "three") == [
        *("record 0: one", "live 2", "record 2: three"),
    ]
    found = load_cassette(path).exchanges
    assert [one.number for one in found] == [1, 2, 3]
    assert [one.at_ms for one in found] == sorted(one.at_ms for one in found)
    assert session(path, "replay", "three", "2", "one")[1] == "refresh 1: 2"


def test_a_cassette_has_one_owner(tmp_path: Path) -> None:
    """What was recorded for one test is refused to another, in all modes."""
    path = tmp_path / "f.yaml"
    session(path, "record", "x", owner="test_a")
    before = path.read_bytes()
    modes: tuple[Mode, ...] = ("replay", "record", "record-missing", "refresh")
    for mode in modes:
        with pytest.raises(CassetteError, match="recorded for test_a, not for test_b"):
            Tape(path, mode, owner="test_b")
    assert path.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path]
    assert session(path, "replay", "x", owner="test_a") == ["record 0: x"]
    assert session(path, "replay", "x") == ["record 0: x"]


def test_misses_are_kept_whatever_became_of_them(tmp_path: Path) -> None:
    """A miss that the agent swallowed is still told, with the age of the recording."""
    path = tmp_path / "a.yaml"
    session(path, "record", "one")
    with Tape(path, clock=Ticks()) as tape:
        with pytest.raises(CassetteMiss) as caught:
            tape.answer(ask("two"), CHAT)
        assert tape.missed == (caught.value,)
        assert tape.recorded_at == "2026-11-30T00:00:00Z"
