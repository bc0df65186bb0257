"""What runs met beside themselves is told at the end of a session, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.projects import run_pytest

pytestmark = pytest.mark.slow  # each starts pytest in a process

PROJECT = """
import threading

from agentsim import say
from agentsim.core import Request, user


async def traced(env):
    threading.Thread(target=threading.Event().wait, name="exporter-1", daemon=True).start()
    tools = tuple(tool.definition for tool in env.tools)
    request = Request(env.model, (user(env.task),), tools, 0.0, None)
    return (await env.client.complete(request)).message.content


def test_one(sim):
    sim.script(say("Hello."))
    sim.run(traced, "Greet.")


def test_two(sim):
    sim.script(say("Hello."))
    sim.run(traced, "Greet.")
    assert False
"""

NOTE = (
    "the thread exporter, started by traced (test_traced.py:9), goes on after the "
    "agent's end."
)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_notes_are_told_once(tmp_path: Path, installed: Path, workers: str) -> None:
    """The summary has each note of all tests once; a failing test has its own.

    A note is a property of its test in the file of JUnit too.
    """
    (tmp_path / "test_traced.py").write_text(PROJECT, "utf-8")
    flags = ("-n", workers, "--junitxml=report.xml")
    done = run_pytest(tmp_path, *flags, installed=installed)
    assert done.out.count(f"agentsim: note: {NOTE}") == 1
    assert "agentsim: note -" in done.out
    assert "1 failed, 1 passed" in done.out
    text = (tmp_path / "report.xml").read_text("utf-8")
    noted = 'name="agentsim_note" value="the thread exporter, started by traced'
    assert text.count(noted) == 2
