"""Whatever is in a file, and whoever has it: each mode does what is written of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.cassettes import (
    CassetteWriter,
    RecordedExchange,
    load_cassette,
)
from agentsim.cassettes.locks import lock, still_there
from agentsim.cassettes.records import ENDINGS, AnswerEnding
from agentsim.cassettes.redaction import RedactionRules
from agentsim.cassettes.tape import MODES, Mode, Tape
from agentsim.core import CassetteError, CassetteInUse, CassetteMiss
from tests.cassettes.test_tape import CHAT, Ticks, ask, session
from tests.support.disk import files_up_to

WHEN = "2026-11-30T00:00:00Z"

CUT = "---\nkind: exchange\nnumber: 9\nrequest: {}\nans"


def _write(path: Path, owner: str = "") -> None:
    session(path, "record", "known", owner=owner)


def _whole(path: Path) -> None:
    _write(path)


def _cut(path: Path) -> None:
    _write(path)
    path.write_text(path.read_text() + CUT)


def _cut_at_once(path: Path) -> None:
    path.write_text("---\nagentsim_cassette: 1\nown")


def _empty(path: Path) -> None:
    path.write_text("")


def _foreign(path: Path) -> None:
    _write(path, owner="another")


def _other(path: Path) -> None:
    path.write_text("interactions: []\nversion: 1\n")


def _missing(path: Path) -> None:
    assert not path.exists()


def _folder(path: Path) -> None:
    path.mkdir()


Kept = Literal["error", "new", "old", "old and new"]

STATES: dict[str, tuple[Callable[[Path], None], dict[Mode, str]]] = {
    "missing": (
        _missing,
        {
            "replay": "there is no such file: record it first",
            "record": "new",
            "record-missing": "new",
            "refresh": "new",
        },
    ),
    "empty": (
        _empty,
        {
            "replay": "no document in it is complete",
            "record": "new",
            "record-missing": "new",
            "refresh": "new",
        },
    ),
    "cut in its header": (
        _cut_at_once,
        {
            "replay": "no document in it is complete",
            "record": "new",
            "record-missing": "new",
            "refresh": "new",
        },
    ),
    "whole": (
        _whole,
        {
            "replay": "old",
            "record": "new",
            "record-missing": "old and new",
            "refresh": "old and new",
        },
    ),
    "cut": (
        _cut,
        {
            "replay": "old",
            "record": "new",
            "record-missing": "old and new",
            "refresh": "old and new",
        },
    ),
    "of another owner": (_foreign, dict.fromkeys(MODES, "recorded for another, not")),
    "no cassette": (_other, dict.fromkeys(MODES, "expected a cassette, which begins")),
    "a folder": (
        _folder,
        {
            "replay": "no regular file",
            "record": "can't be written",
            "record-missing": "can't be written",
            "refresh": "can't be written",
        },
    ),
}

DONE: dict[str, list[str]] = {
    "old": ["known"],
    "new": ["live known", "live more"],
    "old and new": ["record 0: known", "live more"],
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("state", STATES)
def test_each_mode_does_its_own_with_each_file(
    tmp_path: Path, state: str, mode: Mode
) -> None:
    """It records, answers or refuses; what it refuses stays byte for byte."""
    path = tmp_path / "c.yaml"
    make, wanted = STATES[state]
    make(path)
    before = path.read_bytes() if path.is_file() else None
    result = wanted[mode]
    if result not in DONE:
        with pytest.raises(CassetteError, match=result):
            Tape(path, mode, owner="me")
    elif mode == "replay":
        assert session(path, mode, "known", owner="me") == ["record 0: known"]
    else:
        assert session(path, mode, "known", "more", owner="me") == DONE[result]
        assert load_cassette(path).left_over_bytes == 0
        assert [one.number for one in load_cassette(path).exchanges] == [1, 2]
        assert session(path, "replay", "more", "known") != []
        before = path.read_bytes()
    if before is not None:
        assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == (state != "missing" or result == "new")


@contextmanager
def _written_by_another(path: Path, mode: Mode) -> Iterator[None]:
    with ExitStack() as stack:
        if mode == "replay":
            stack.enter_context(CassetteWriter(path))
        else:
            stack.enter_context(Tape(path, mode))
        yield


@pytest.mark.parametrize("theirs", MODES)
@pytest.mark.parametrize("mode", MODES)
def test_two_never_write_one_cassette(tmp_path: Path, mode: Mode, theirs: Mode) -> None:
    """While one writes, others can only read what was there before."""
    path = tmp_path / "c.yaml"
    _write(path)
    with _written_by_another(path, theirs):
        before = path.read_bytes()
        if mode == "replay":
            assert session(path, mode, "known") == ["record 0: known"]
        else:
            with pytest.raises(CassetteInUse, match="let it end"):
                Tape(path, mode)
        assert path.read_bytes() == before


def test_who_comes_too_late_writes_nothing(tmp_path: Path) -> None:
    """A file that was opened and then replaced is not the cassette any more."""
    path = tmp_path / "c.yaml"
    _write(path)
    with path.open("ab+") as opened:
        assert still_there(opened, path)
        _write(path)
        assert not still_there(opened, path)
        path.unlink()
        assert not still_there(opened, path)


def test_who_gets_the_lock_of_a_replaced_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between opening and locking another recording may have ended."""
    path = tmp_path / "c.yaml"
    _write(path)

    def replaced_meanwhile(file: BinaryIO) -> bool:
        monkeypatch.undo()
        assert session(path, "record", "theirs") == ["live theirs"]
        return lock(file)

    monkeypatch.setattr("agentsim.cassettes.locks.lock", replaced_meanwhile)
    with pytest.raises(CassetteInUse):
        Tape(path, "record-missing")
    assert session(path, "replay", "theirs") == ["record 0: theirs"]


@pytest.mark.parametrize("mode", ["record", "refresh"])
@pytest.mark.parametrize("how", ["crash", "not kept", "test failed"])
def test_a_failed_recording_leaves_the_old_one(
    tmp_path: Path, mode: Mode, how: str
) -> None:
    """The old file is there byte for byte, and the new one beside it can be read."""
    path = tmp_path / "c.yaml"
    _write(path)
    before = path.read_bytes()
    tape = Tape(path, mode)
    taking = tape.begin(ask("new"), CHAT)
    taking.head(200, {})
    taking.end()
    assert path.read_bytes() == before
    if how == "test failed":
        with pytest.raises(ZeroDivisionError), tape:
            raise ZeroDivisionError
    elif how == "not kept":
        tape.close(keep=False)
        tape.close()
    beside = tape.written
    assert beside.name == "c.yaml.new"
    assert len(load_cassette(beside).exchanges) == 1
    assert path.read_bytes() == before
    tape.close(keep=False)
    assert session(path, "record", "again") == ["live again"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_told_and_the_old_one_stays(tmp_path: Path) -> None:
    """What can't be written is no answer, and what lacks it replaces nothing."""
    path = tmp_path / "c.yaml"
    _write(path)
    before = path.read_bytes()
    tape = Tape(path, "record")
    large, left, small = (tape.begin(ask(text), CHAT) for text in "abc")
    for taking, size in ((large, 9_000), (left, 9_000), (small, 9)):
        taking.head(200, {})
        taking.body(b"x " * size)
    with files_up_to(4_000):
        with pytest.raises(CassetteError, match="the disk took only a part"):
            large.end()
        small.end()
        with pytest.raises(CassetteError, match="the disk took only a part"):
            tape.close()
    assert path.read_bytes() == before
    assert [one.number for one in load_cassette(tape.written).exchanges] == [3]
    assert len(tape.unwritten) == 2
    with pytest.raises(CassetteError, match="this tape was closed"):
        tape.begin(ask("d"), CHAT)
    tape.close()


def test_a_long_owner_is_no_reason_to_begin_anew(tmp_path: Path) -> None:
    """A cassette is known by its header, however long that is."""
    path, owner = tmp_path / "c.yaml", "test_x[" + "long " * 2_000 + "]"
    _write(path, owner)
    heard = session(path, "record-missing", "known", "more", owner=owner)
    assert heard == ["record 0: known", "live more"]


def test_names_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    """A link to itself, and what no file can be called, are errors in a sentence."""
    path = tmp_path / "c.yaml"
    path.symlink_to(path)
    for mode in MODES:
        for name in (path, tmp_path / "a\0b", tmp_path / "c.yaml" / "d.yaml"):
            with pytest.raises(CassetteError, match="this file can't be"):
                Tape(name, mode)


def test_what_a_killed_recording_left_beside_is_written_over(tmp_path: Path) -> None:
    """A new recording has nothing of one that was never whole."""
    path = tmp_path / "c.yaml"
    _write(path)
    (tmp_path / "c.yaml.new").write_bytes(path.read_bytes())
    assert session(path, "record", "new") == ["live new"]
    assert len(load_cassette(path).exchanges) == 1


def test_a_link_is_followed(tmp_path: Path) -> None:
    """A cassette that is shared by a link is replaced where it is, and stays linked."""
    shared, path = tmp_path / "shared.yaml", tmp_path / "c.yaml"
    _write(shared)
    path.symlink_to(shared)
    assert session(path, "record", "new") == ["live new"]
    assert path.is_symlink()
    assert session(shared, "replay", "new") == ["record 0: new"]


def test_age_decides_what_a_refresh_answers(tmp_path: Path) -> None:
    """What is older than is allowed, or tells no age, is recorded again."""
    path = tmp_path / "c.yaml"
    _write(path)
    before, known = path.read_bytes(), "record 0: known"
    for days, heard in ((29, known), (31, "live known")):
        with Tape(path, "refresh", max_age_days=30, clock=Ticks(days=days)) as tape:
            found = tape.answer(ask("known"), CHAT)
            assert (found.answer.body if found else "live known") == heard
            tape.close(keep=False)
    assert path.read_bytes() == before
    for told, heard in (('""', "live known"), ("soon", "live known"), (WHEN, known)):
        path.write_bytes(before.replace(WHEN.encode(), told.encode()))
        assert session(path, "refresh", "known", max_age_days=0) == [heard]


def test_a_refreshed_cassette_is_as_old_as_what_was_kept(tmp_path: Path) -> None:
    """Its header changes only when all is recorded again; its owner never does."""
    path = tmp_path / "c.yaml"
    _write(path, owner="me")
    before = path.read_bytes()
    later = Ticks(days=3)
    with Tape(path, "refresh", clock=later) as tape:
        assert tape.answer(ask("known"), CHAT)
    assert path.read_bytes() == before
    Tape(path, "refresh", clock=later).close()
    assert load_cassette(path).header.recorded_at == WHEN
    Tape(path, "refresh", max_age_days=2, clock=later).close()
    header = load_cassette(path).header
    assert (header.recorded_at, header.owner) == ("2026-12-03T00:00:00Z", "me")


def test_a_refresh_that_kept_nothing_is_a_recording_of_its_own(tmp_path: Path) -> None:
    """It is as young and has the same numbers of placeholders as if nothing had been there."""
    paths = [tmp_path / f"{number}.yaml" for number in (1, 2, 3)]
    mail = "Write to a@example.com and b@example.com, {}."
    refreshed: list[list[Mode]] = [["record"], ["refresh"] * 3, ["refresh"] * 2]
    for path, modes in zip(paths, refreshed, strict=True):
        for number, mode in enumerate(modes):
            text = mail.format("then" if number == len(modes) - 1 else number)
            with Tape(path, mode, clock=Ticks(days=number + 3 - len(modes))) as tape:
                assert tape.answer(ask(text), CHAT) is None
                taking = tape.begin(ask(text), CHAT)
                taking.head(200, {})
                taking.body(b"{}")
                taking.end()
    assert len({path.read_bytes() for path in paths}) == 1
    assert sorted(tmp_path.iterdir()) == paths


def test_a_refresh_leaves_no_gaps_in_the_numbers_of_placeholders(
    tmp_path: Path,
) -> None:
    """What was kept and what is new are numbered together; equal secrets stay equal."""
    path = tmp_path / "c.yaml"
    session(path, "record", "first a@example.com", "then b@example.com")
    asked = ("then b@example.com", "at last c@example.com or b@example.com")
    session(path, "refresh", *asked)
    bodies = [one.request.body for one in load_cassette(path).exchanges]
    numbers = [re.findall(r"REDACTED_EMAIL_(\d)", body) for body in bodies]
    assert numbers == [["1"], ["2", "1"]]
    heard = session(path, "replay", *asked)
    assert heard[0] == "record 1: then __REDACTED_EMAIL_1__"


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("state", ["missing", "whole"])
def test_what_failed_before_anything_was_recorded_leaves_nothing(
    tmp_path: Path, mode: Mode, state: str
) -> None:
    """No cassette that answers nothing, and none beside an old one; kept, it is there."""
    path = tmp_path / "c.yaml"
    STATES[state][0](path)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(ZeroDivisionError), Tape(path, mode):
        raise ZeroDivisionError
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    Tape(path, mode).close()
    assert list(tmp_path.iterdir()) == [path]


def test_a_spoilt_cassette_can_be_recorded_again(tmp_path: Path) -> None:
    """What stands behind the header does not matter to who records all anew."""
    path = tmp_path / "c.yaml"
    _write(path)
    path.write_text(path.read_text().replace("number: 1", "number: none"))
    for mode in MODES:
        if mode != "record":
            with pytest.raises(CassetteError, match=r"c.yaml:\d+: number: expected"):
                Tape(path, mode)
    assert session(path, "record", "known") == ["live known"]
    assert session(path, "replay", "known") == ["record 0: known"]


def test_a_wrong_pattern_makes_no_file(tmp_path: Path) -> None:
    """What is wrong with the options is told before anything is written."""
    path = tmp_path / "c.yaml"
    with pytest.raises(CassetteError, match="volatile: one of"):
        Tape(path, "record", volatile=["("])
    with pytest.raises(CassetteError, match="redaction, patterns"):
        Tape(path, "record", rules=RedactionRules(patterns=["("]))
    assert not path.exists()


Answer = tuple[str, bytes | list[bytes], AnswerEnding]

answers = st.tuples(
    st.sampled_from(("a", "b", "c")),
    st.binary(max_size=6) | st.lists(st.binary(max_size=6), max_size=3),
    st.sampled_from(ENDINGS[:3]),
)


def _heard(found: RecordedExchange | None) -> tuple[object, ...]:
    assert found is not None
    answer = found.answer
    chunks = answer.chunks
    texts = [answer.body] if chunks is None else [chunk.text for chunk in chunks]
    data = [text.encode("utf-8", "surrogateescape") for text in texts]
    return (data[0] if chunks is None else data, answer.ended, answer.status)


@settings(max_examples=25)
@given(st.lists(answers, max_size=5), st.data())
def test_what_is_recorded_at_once_is_replayed_in_any_order(
    tmp_path_factory: pytest.TempPathFactory,
    wanted: list[Answer],
    data: st.DataObject,
) -> None:
    """Exchanges overlap as they like; equal requests are answered as they began."""
    path = tmp_path_factory.mktemp("states") / "s.yaml"
    with Tape(path, "record", clock=Ticks()) as tape:
        takings = [tape.begin(ask(text), CHAT) for text, _, _ in wanted]
        for at in data.draw(st.permutations(range(len(wanted)))):
            _, given_, ended = wanted[at]
            takings[at].head(200 + at, {})
            if isinstance(given_, bytes):
                takings[at].body(given_)
            else:
                takings[at].streams()
                for piece in given_:
                    takings[at].chunk(piece)
            takings[at].end(ended)
    by_text: dict[str, list[tuple[object, ...]]] = {}
    for at, (text, given_, ended) in enumerate(wanted):
        by_text.setdefault(text, []).append((given_, ended, 200 + at))
    with Tape(path) as tape:
        for text in data.draw(st.permutations([text for text, _, _ in wanted])):
            assert _heard(tape.answer(ask(text), CHAT)) == by_text[text].pop(0)
        assert tape.use.unused == ()
        for text in by_text:
            with pytest.raises(CassetteMiss, match="asked once more"):
                tape.answer(ask(text), CHAT)


@pytest.mark.parametrize("mode", MODES)
def test_threads_do_not_disturb_one_another(tmp_path: Path, mode: Mode) -> None:
    """Many at once get each its own answers, and the file holds all of them once."""
    path = tmp_path / "t.yaml"
    wanted = [f"{thread}, {turn}" for thread in range(8) for turn in range(6)]
    session(path, "record", *(wanted if mode == "replay" else wanted[::2]))

    def turns(thread: int) -> int:
        own = [text for text in wanted if text.startswith(f"{thread},")]
        hits = 0
        for text in own:
            found = tape.answer(ask(text), CHAT)
            if found is None:
                taking = tape.begin(ask(text), CHAT)
                taking.head(200, {})
                taking.body(text.encode())
                taking.end()
            else:
                assert found.answer.body.endswith(f": {text}")
                hits += 1
        return hits

    with Tape(path, mode) as tape, ThreadPoolExecutor(8) as pool:
        hits = sum(pool.map(turns, range(8)))
        use = tape.use
    assert hits == use.hits == {"replay": 48, "record": 0}.get(mode, 24)
    assert use.live == 48 - hits
    found = load_cassette(path)
    assert len({one.number for one in found.exchanges}) == 48
    assert session(path, "replay", *wanted) != []
