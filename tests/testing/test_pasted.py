"""What Hypothesis finds is printed as a test, which fails in the same way by itself."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.inner import run_in

AGENT = '''
from agentsim.core import Env, Request, system, tool_result, user


async def careless(env: Env) -> str:
    """Answer only the first call of a response."""
    messages = [system("You help."), user(env.task)]
    tools = {tool.name: tool for tool in env.tools}
    definitions = tuple(tool.definition for tool in env.tools)
    while True:
        request = Request(env.model, tuple(messages), definitions)
        response = await env.client.complete(request)
        messages.append(response.message)
        if not response.message.tool_calls:
            return response.message.content
        asked = response.message.tool_calls[0]
        messages.append(tool_result(asked.id, "It works."))
'''

TEST = """
from hypothesis import Phase, given, settings

from agentsim import call, say, together
from agentsim.testing import simulations
from agentsim.world import Disk
from careless import careless

SCRIPT = [together(call("check_disk"), call("check_disk")), say("Done.")]


@settings(
    database=None,
    derandomize=True,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],  # to explain a failure takes three seconds
)
@given(simulations(world=[Disk()], script=SCRIPT, faults=(), cancel=False))
def test_my_agent_keeps_the_rules(simulation):
    simulation.run(careless).expect_holds()
"""


def pytest_in(folder: Path, file: str) -> str:
    """Run one file by pytest, as a user would, and give what it printed."""
    options = ["-q", "-p", "no:cacheprovider", "-o", f"pythonpath={folder}"]
    done = run_in(folder, *options, "--import-mode=importlib", file)
    assert done.code == 1, done.out
    return done.out


def pasted(printed: str) -> str:
    """The test in what pytest printed, without its margin."""
    lines = textwrap.dedent(printed.replace("\nE", "\n ")).splitlines()
    start = next(n for n, line in enumerate(lines) if "As a test of its own:" in line)
    end = next(n for n in range(start, len(lines)) if "expect_holds()" in lines[n])
    return textwrap.dedent("\n".join(lines[start + 1 : end + 1]))


@pytest.mark.slow
def test_the_printed_test_fails_in_the_same_way(tmp_path: Path) -> None:
    """Copied from the report of pytest into a file, it finds the same violation."""
    (tmp_path / "careless.py").write_text(AGENT)
    (tmp_path / "test_first.py").write_text(TEST)
    printed = pytest_in(tmp_path, "test_first.py")
    assert "every-call-answered is violated" in printed
    source = pasted(printed)
    assert "from careless import careless" in source
    (tmp_path / "test_again.py").write_text(source + "\n")
    again = pytest_in(tmp_path, "test_again.py")
    assert "every-call-answered is violated" in again
    assert "1 failed" in again
