"""An exploration that an error of usage ends says in which run it came to it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from tests.support.command import agentsim
from tests.support.scenarios import FOLDER

AGENT = """
import urllib.request

from agentsim.runtime import reference


async def agent(env):
    result = await reference(env)
    if any(message.is_error for message in result.history):
        urllib.request.urlopen("https://errors.example.com")
    return result
"""


def test_what_ends_a_search_is_repeated_by_its_line(tmp_path: Path) -> None:
    """The line that is printed below the sentence gives the same sentence."""
    (tmp_path / "calls_home.py").write_text(AGENT, "utf-8")
    words = [str(FOLDER / "disk_full.yaml"), "--agent", "calls_home:agent"]
    flags = ["--deviations", "1", "--faults", "raises", "--no-known"]
    done = agentsim("explore", *words, *flags)
    assert (done.code, done.out) == (3, "")
    sentence, unusual, line = done.err.splitlines()
    assert "asked for a connection to errors.example.com:443" in sentence
    assert unusual == "What was not as usual: raises strikes check_disk"
    assert line.startswith("Repeat it: ")
    again = agentsim(*shlex.split(line.removeprefix("Repeat it: "))[1:])
    assert (again.code, again.err.splitlines()) == (3, [sentence, unusual])


LOOK = """
task: How full is the disk?
world: {disk: null}
script:
- {call: check_disk}
- {say: Half full.}
"""

FAILS_FIRST = """
import urllib.request

from agentsim.runtime import reference


async def agent(env):
    result = await reference(env)
    for message in result.history:
        if message.is_error and "unknown tool" in message.content:
            raise ValueError("no")
        if message.is_error:
            urllib.request.urlopen("https://errors.example.com")
    return result
"""


def test_what_was_found_before_the_error_is_told_too(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """In text, as data, in the file that is asked for and among the known failures."""
    (tmp_path / "fails_first.py").write_text(FAILS_FIRST, "utf-8")
    (tmp_path / "look.yaml").write_text(LOOK, "utf-8")
    words = ["look.yaml", "--agent", "fails_first:agent"]
    flags = ["--deviations", "1", "--faults", "unknown_tool,raises", "--no-cancel"]
    done = agentsim("explore", *words, *flags)
    assert done.code == 3
    sentence, _, line = done.err.splitlines()
    assert sentence.startswith("agentsim: agent (fails_first.py:13) asked for a connec")
    assert line.startswith("Repeat it: ")
    assert re.sub(r"[0-9]+ runs/s", "N runs/s", done.out) == snapshot
    as_data = agentsim(
        "explore", *words, *flags, "--json", "--save-failure", "bad.yaml"
    )
    assert (as_data.code, as_data.err) == (3, done.err)
    data = as_data.data
    assert (data["verdict"], data["stopped_by"]) == ("usage", "error")
    assert f"agentsim: {data['error']}\n" == done.err
    assert [(one["invariant"], one["shrunk"]) for one in data["violations"]] == [
        ("result-always", True)
    ]
    assert data["known"]["failing"][0]["token"] == data["violations"][0]["token"]
    assert data["saved"] == "Saved: bad.yaml shows result-always."
    assert (tmp_path / "bad.yaml").exists()


STOPS = "if OVER: raise KeyboardInterrupt"


def test_the_keyboard_after_an_error_tells_both(tmp_path: Path) -> None:
    """Ctrl-C while failures are made smaller leaves the error a line of the report."""
    head, tail = "async def agent(env):", "            urllib"
    impatient = FAILS_FIRST.replace(head, f"OVER = []\n\n\n{head}\n    {STOPS}")
    impatient = impatient.replace(tail, f"            OVER.append(0)\n{tail}")
    (tmp_path / "impatient.py").write_text(impatient, "utf-8")
    (tmp_path / "look.yaml").write_text(LOOK, "utf-8")
    words = ["look.yaml", "--agent", "impatient:agent"]
    flags = ["--deviations", "1", "--faults", "unknown_tool,raises", "--no-cancel"]
    done = agentsim("explore", *words, *flags)
    assert (done.code, done.err) == (130, "agentsim: stopped by the keyboard\n")
    assert "violated, stopped by the keyboard. " in done.out
    assert "Not made smaller: 1 of 1 failures." in done.out
    last = done.out.splitlines()[-1]
    assert last.startswith("Before that an error ended the runs: agent (impatient.py")
    data = agentsim("explore", *words, *flags, "--json").data
    assert (data["verdict"], data["stopped_by"]) == ("stopped", "keyboard")
