"""An exploration that an error of usage ends says in which run it came to it."""

from __future__ import annotations

import shlex
from pathlib import Path

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
