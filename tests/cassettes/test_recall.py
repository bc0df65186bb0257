"""Secrets are known again: what means the same is answered, whoever sends what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.cassettes import RecordedRequest, load_cassette
from agentsim.cassettes.matching import MeaningReader
from agentsim.cassettes.redaction import Redactor, audit_cassette
from agentsim.cassettes.tape import Mode, Tape
from agentsim.cassettes.tape.placeholders import Placeholders
from agentsim.core import CassetteMiss
from tests.cassettes.test_tape import CHAT, Ticks

JANE, JOHN, JACK = "jane@corp.example", "john@corp.example", "jack@corp.example"

KEYS = ("sk-proj-aaaa1111bbbb2222cccc", "sk-proj-dddd3333eeee4444ffff")


def chat(*texts: str) -> RecordedRequest:
    """A request with a message for each text."""
    messages = [{"role": "user", "content": text} for text in texts]
    return RecordedRequest(body=json.dumps({"model": "m", "messages": messages}))


def ask(tape: Tape, *texts: str, answer: str = "ok") -> str:
    """What is answered, live or not: the words of the answer."""
    found = tape.answer(chat(*texts), CHAT)
    if found is not None:
        return found.answer.body
    taking = tape.begin(chat(*texts), CHAT)
    taking.head(200, {})
    taking.body(answer.encode())
    taking.end()
    return answer


def dialogue(path: Path, mode: Mode, mine: str, other: str = JACK) -> list[str]:
    """A program with a secret of its own, that quotes what it is answered."""
    with Tape(path, mode, clock=Ticks()) as tape:
        first = ask(tape, f"I am {mine}.", answer=f"Hi {mine}, see {other}.")
        second = ask(tape, f"I am {mine}.", first, f"Write {mine}!", answer=first)
        third = ask(tape, second, f"Once more for {mine}")
        return [first, second, third]


def test_live_answers_are_as_they_are_and_the_file_is_not(tmp_path: Path) -> None:
    """The program hears secrets that the cassette never has."""
    path = tmp_path / "a.yaml"
    assert dialogue(path, "record", JANE)[0] == f"Hi {JANE}, see {JACK}."
    assert audit_cassette(load_cassette(path)) == ()
    text = path.read_text()
    assert JANE not in text
    assert JACK not in text
    assert text.count("__REDACTED_EMAIL_1__") > text.count("__REDACTED_EMAIL_2__") > 0


@pytest.mark.parametrize("mine", [JANE, JOHN])
def test_a_program_that_quotes_a_placeholder_is_answered(
    tmp_path: Path, mine: str
) -> None:
    """It holds its own secret, the same or another one, beside what it was answered."""
    path = tmp_path / "b.yaml"
    dialogue(path, "record", JANE)
    first = "Hi __REDACTED_EMAIL_1__, see __REDACTED_EMAIL_2__."
    assert dialogue(path, "replay", mine) == [first, first, "ok"]


def test_another_secret_is_another_question(tmp_path: Path) -> None:
    """Two where there was one, and one where there were two, were never recorded."""
    path = tmp_path / "c.yaml"
    with Tape(path, "record") as tape:
        ask(tape, JANE, JANE)
        ask(tape, JANE, JOHN, "two")
    with Tape(path) as tape:
        with pytest.raises(CassetteMiss):
            ask(tape, JANE, JOHN)
        assert ask(tape, JOHN, JOHN) == "ok"
        with pytest.raises(CassetteMiss):
            ask(tape, JANE, JANE, "two")
        assert ask(tape, JOHN, JANE, "two") == "ok"


@pytest.mark.parametrize("mode", ["record-missing", "refresh"])
def test_what_is_added_calls_secrets_as_before(tmp_path: Path, mode: Mode) -> None:
    """An old secret keeps its placeholder, and no new one takes one that is in use."""
    path = tmp_path / "d.yaml"
    with Tape(path, "record", clock=Ticks()) as tape:
        ask(tape, f"I am {JANE}, key {KEYS[0]}.", answer=JOHN)
    with Tape(path, mode, clock=Ticks()) as tape:
        assert ask(tape, f"I am {JANE}, key {KEYS[0]}.") == "__REDACTED_EMAIL_2__"
        assert ask(tape, f"{JANE} {KEYS[0]} {KEYS[1]}", answer=JACK) == JACK
    old, new = load_cassette(path).exchanges
    assert old.answer.body == "__REDACTED_EMAIL_2__"
    *known, key = json.loads(new.request.body)["messages"][0]["content"].split()
    assert known == ["__REDACTED_EMAIL_1__", "__REDACTED_KEY_1__"]
    assert key not in path.read_text().partition("number: 2")[0]
    assert new.answer.body not in old.request.body + old.answer.body


def test_secrets_are_counted_as_they_are_sent(tmp_path: Path) -> None:
    """Whichever answer is complete first, the first request has the first placeholder."""
    path = tmp_path / "n.yaml"
    with Tape(path, "record") as tape:
        takings = [tape.begin(chat(one), CHAT) for one in (JANE, JOHN)]
        tools = [tape.begin_tool("t", json.dumps({"to": one})) for one in (JACK, "me")]
        for taking in reversed(takings):
            taking.end()
        for call in reversed(tools):
            call.end()
    cassette = load_cassette(path)
    for number, exchange in enumerate(cassette.exchanges, 1):
        assert f"__REDACTED_EMAIL_{number}__" in exchange.request.body
    assert "__REDACTED_EMAIL_3__" in cassette.tools[0].arguments


def test_what_does_not_fit_is_not_learned() -> None:
    """Two secrets never get one placeholder, and what was heard stays what it is."""
    redactor, reader = Redactor(), MeaningReader()
    placeholders = Placeholders(redactor, reader)
    redactor.reserve("__REDACTED_EMAIL_1__ __REDACTED_EMAIL_2__")
    recorded = chat("__REDACTED_EMAIL_1__ __REDACTED_EMAIL_1__").body
    for texts in (f"{JANE} {JOHN}", "__REDACTED_EMAIL_2__ __REDACTED_EMAIL_2__"):
        asked = redactor.text(chat(texts).body)
        assert not placeholders.learn_from([recorded], asked)
    assert redactor.text(f"{JANE} {JOHN}") == (
        "__REDACTED_EMAIL_3__ __REDACTED_EMAIL_4__"
    )
    redactor.call_alike("__REDACTED_EMAIL_3__", "__REDACTED_EMAIL_1__")
    redactor.call_alike("__REDACTED_EMAIL_4__", "__REDACTED_EMAIL_1__")
    assert redactor.text(f"{JANE} {JOHN}") == (
        "__REDACTED_EMAIL_1__ __REDACTED_EMAIL_4__"
    )


def test_tools_know_secrets_too(tmp_path: Path) -> None:
    """Of a call with a secret that an answer brought, and of one of its own."""
    path = tmp_path / "e.yaml"

    def call(tape: Tape, to: str) -> str:
        found = tape.answer_tool("mail", json.dumps({"to": to, "from": JANE}))
        if found is not None:
            return found.result
        tape.begin_tool("mail", json.dumps({"from": JANE, "to": to})).end(f"sent {to}")
        return f"sent {to}"

    with Tape(path, "record") as tape:
        assert call(tape, ask(tape, "Who?", answer=JOHN)) == f"sent {JOHN}"
    with Tape(path) as tape:
        assert call(tape, ask(tape, "Who?")) == "sent __REDACTED_EMAIL_1__"
    with Tape(path) as tape:
        assert call(tape, JACK) == "sent __REDACTED_EMAIL_1__"


def test_a_request_on_no_known_wire_is_found_by_its_address(tmp_path: Path) -> None:
    """Method, path and question count, the host does not; a key in it is no difference."""

    def get(url: str, method: str = "GET") -> RecordedRequest:
        return RecordedRequest(method, url)

    path = tmp_path / "f.yaml"
    with Tape(path, "record") as tape:
        taking = tape.begin(get(f"https://a.example/models?key={KEYS[0]}"), "")
        taking.head(200, {})
        taking.end()
    with Tape(path) as tape:
        for other in (
            get(f"https://a.example/files?key={KEYS[0]}"),
            get("https://a.example/models?key=__REDACTED_KEY_1__&after=5"),
            get(f"https://a.example/models?key={KEYS[0]}", "DELETE"),
        ):
            with pytest.raises(CassetteMiss):
                tape.answer(other, "")
        found = tape.answer(get(f"http://localhost:8080/models?key={KEYS[1]}"), "")
        assert found is not None
        assert found.request.url == "https://a.example/models?key=__REDACTED_KEY_1__"


people = st.sampled_from((JANE, JOHN, JACK, "nobody"))


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.lists(people, min_size=1, max_size=3), people), max_size=4),
    st.permutations((JANE, JOHN, JACK)),
)
def test_a_session_with_secrets_is_replayed(
    tmp_path_factory: pytest.TempPathFactory,
    turns: list[tuple[list[str], str]],
    others: list[str],
) -> None:
    """Whatever is sent and quoted: the same session is found, and with other secrets."""
    path = tmp_path_factory.mktemp("recall") / "r.yaml"

    def session(mode: Mode, named: dict[str, str]) -> list[str]:
        heard: list[str] = []
        with Tape(path, mode, clock=Ticks()) as tape:
            for number, (said, told) in enumerate(turns):
                mine = [named.get(one, one) for one in said]
                asked = (*heard, str(number), *mine)
                heard.append(ask(tape, *asked, answer=f"to {told}"))
            assert tape.use.unused == ()
        return heard

    session("record", {})
    assert audit_cassette(load_cassette(path)) == ()
    as_recorded = session("replay", {})
    own = [one for said, _ in turns for one in said]
    if not any(told in own for _, told in turns):
        # Secrets of the program that no answer tells may be any others.
        renamed = dict(zip((JANE, JOHN, JACK), others, strict=True))
        assert session("replay", renamed) == as_recorded
