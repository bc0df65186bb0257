"""Recording into a file: at once, by one writer, behind what is complete."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agentsim.cassettes import (
    CassetteHeader,
    CassetteWriter,
    RecordedAnswer,
    RecordedChunk,
    RecordedExchange,
    RecordedRequest,
    RecordedTool,
    load_cassette,
)
from agentsim.core import CassetteError, CassetteInUse

TOOL = RecordedTool(1, "look", result="a\nb")

HOLD = """
import sys
from agentsim.cassettes import CassetteWriter
writer = CassetteWriter(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_document_is_there_when_it_was_added(tmp_path: Path) -> None:
    """Whoever reads while it is recorded finds all that was added."""
    path = tmp_path / "deep" / "story.yaml"
    with CassetteWriter(path, CassetteHeader(owner="me")) as writer:
        for number in (1, 2, 3):
            writer.add(RecordedTool(number, "look"))
            found = load_cassette(path)
            assert len(found.entries) == number
            assert found.header.owner == "me"


def test_a_recording_goes_on_behind_what_is_complete(tmp_path: Path) -> None:
    """What a killed recording left unfinished is cut off, and the rest is kept."""
    path = tmp_path / "story.yaml"
    with CassetteWriter(path, CassetteHeader(owner="me")) as writer:
        writer.add(TOOL)
    with path.open("ab") as file:
        file.write(b"---\nkind: tool\nnumber: 2\n")
    with CassetteWriter(path) as writer:
        assert writer.cut_bytes == 25
        writer.add(TOOL)
    found = load_cassette(path)
    assert (found.entries, found.header.owner) == ((TOOL, TOOL), "me")
    path.write_bytes(path.read_bytes().rstrip())
    with CassetteWriter(path) as writer:
        writer.add(TOOL)
    assert load_cassette(path).entries == (TOOL, TOOL, TOOL)


@pytest.mark.parametrize("length", [0, 1, 10, 30])
def test_a_header_that_was_cut_is_written_anew(tmp_path: Path, length: int) -> None:
    """A recording that was killed at its very start can be begun again."""
    path = tmp_path / "story.yaml"
    CassetteWriter(path).close()
    path.write_bytes(path.read_bytes()[:length])
    with CassetteWriter(path) as writer:
        assert writer.cut_bytes == length
        writer.add(TOOL)
    assert load_cassette(path).entries == (TOOL,)


def test_a_file_that_is_no_cassette_is_left_alone(tmp_path: Path) -> None:
    """A recording never writes into another kind of file."""
    path = tmp_path / "notes.yaml"
    path.write_text("buy: milk\n")
    with pytest.raises(CassetteError, match=r"notes.yaml:1: expected a cassette"):
        CassetteWriter(path)
    assert path.read_text() == "buy: milk\n"
    with pytest.raises(CassetteError, match="can't be written"):
        CassetteWriter(tmp_path)


def test_two_writers_never_mix_a_file(tmp_path: Path) -> None:
    """A second writer is refused by name, in this process and in another."""
    path = tmp_path / "story.yaml"
    with CassetteWriter(path) as writer:
        with pytest.raises(CassetteInUse, match="another recording writes"):
            CassetteWriter(path)
        writer.add(TOOL)
    CassetteWriter(path).close()
    assert load_cassette(path).entries == (TOOL,)


@pytest.mark.slow
def test_the_lock_of_another_process_ends_with_it(tmp_path: Path) -> None:
    """Another process's cassette is refused until that process is gone, however."""
    path = tmp_path / "story.yaml"
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=-1, stdout=-1, text=True
    )
    assert child.stdout is not None
    with child:
        assert child.stdout.readline() == "held\n"
        with pytest.raises(CassetteInUse):
            CassetteWriter(path)
        child.kill()
    CassetteWriter(path).close()


def test_times_that_are_none_are_refused(tmp_path: Path) -> None:
    """A time that could not be read back is never written."""
    chunk = RecordedChunk(float("nan"), "x")
    answer = RecordedAnswer(chunks=(chunk,))
    with CassetteWriter(tmp_path / "story.yaml") as writer:
        with pytest.raises(CassetteError, match=r"chunks\[0\].at_ms: expected"):
            writer.add(RecordedExchange(1, RecordedRequest(), answer))
        with pytest.raises(CassetteError, match="took_ms: expected"):
            writer.add(RecordedTool(1, "look", took_ms=-1.0))
    with pytest.raises(CassetteError, match="closed before"):
        writer.add(TOOL)
