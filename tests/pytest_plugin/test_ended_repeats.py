"""An error that ends the repeated runs of a test says in which run, and repeats by its line."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support.inner import run_here

PROJECT = """
import json
import urllib.request

from agentsim import call, say
from agentsim.core import Request, ToolFailed, tool_result, user


async def calls_home(env):
    tools = {tool.name: tool for tool in env.tools}
    definitions = tuple(tool.definition for tool in env.tools)
    messages = [user(env.task)]
    while True:
        request = Request(env.model, tuple(messages), definitions)
        message = (await env.client.complete(request)).message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for asked in message.tool_calls:
            if asked.name not in tools:
                raise ValueError("no")
            try:
                output = await tools[asked.name].run(json.loads(asked.arguments))
            except ToolFailed:
                urllib.request.urlopen("https://errors.example.com")
            messages.append(tool_result(asked.id, output))


def test_home(sim):
    sim.script(call("check_disk"), say("Half full."))
    sim.run(calls_home, "How full is the disk?")
"""


@pytest.mark.slow  # it starts pytest twice
def test_what_ends_the_repeated_runs_is_repeated_by_its_line(tmp_path: Path) -> None:
    """The sentence stands without frames of ours, and the line below it gives it again."""
    (tmp_path / "test_it.py").write_text(PROJECT, "utf-8")
    flags = ("--agentsim-deviations=1", "--agentsim-faults=raises", "-q")
    first = run_here(tmp_path, *flags)
    assert first.code == 1
    assert "asked for a connection to errors.example.com:443" in first.out
    assert "What was not as usual: raises strikes check_disk" in first.out
    assert "agentsim/" not in first.out
    line = re.search("Repeat it: (pytest .*)", first.out)
    assert line is not None
    again = run_here(tmp_path, *shlex.split(line[1])[1:], "-q")
    assert again.code == 1
    assert line[0] in again.out
    assert "fits none of the tests" not in again.out


def test_what_was_found_before_is_told_below_the_error(tmp_path: Path) -> None:
    """With the line that repeats it, its timeline and trace; and it is a known failure."""
    (tmp_path / "test_it.py").write_text(PROJECT, "utf-8")
    flags = ("--agentsim-deviations=1", "--agentsim-faults=unknown_tool,raises", "-q")
    done = run_here(tmp_path, *flags, "--agentsim-traces=traces")
    assert done.code == 1
    error, before = done.out.split("and before this error:")
    assert "asked for a connection to errors.example.com:443" in error
    assert "What was not as usual: raises strikes check_disk" in error
    assert "result-always is violated" not in error
    assert before.count("result-always is violated") == 1
    assert "agentsim: timeline of 0:1~" in before
    assert "agentsim: 3 runs in 1 test" in before
    assert re.search("Repeat it: pytest test_it.py::test_home '--agentsim-rep", before)
    (trace,) = (tmp_path / "traces").iterdir()
    assert "unknown_tool" in trace.read_text("utf-8")
    (known,) = (tmp_path / ".agentsim" / "test_it.py").glob("*.json")
    assert "result-always" in known.read_text("utf-8")
