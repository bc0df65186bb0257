"""What runs met beside themselves is told at the end of a session, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import Done
from tests.support.inner import run_in
from tests.support.projects import run_pytest

pytestmark = pytest.mark.slow  # whole sessions of pytest, one of them in processes

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


JUNIT = "--junitxml=report.xml"


def test_notes_are_told_once(tmp_path: Path) -> None:
    """The summary has each note of all tests once; a failing test has its own."""
    (tmp_path / "test_traced.py").write_text(PROJECT, "utf-8")
    options = ("-p", "no:cacheprovider", "--import-mode=importlib")
    assert_told_once(tmp_path, run_in(tmp_path, *options, JUNIT))


def test_notes_of_workers_are_told_once(tmp_path: Path, installed: Path) -> None:
    """Where each of two workers meets it, too."""
    (tmp_path / "test_traced.py").write_text(PROJECT, "utf-8")
    done = run_pytest(tmp_path, "-n", "2", JUNIT, installed=installed)
    assert_told_once(tmp_path, done)


def assert_told_once(folder: Path, done: Done) -> None:
    """Each note is there once, and a property of its test in the file of JUnit too."""
    assert done.out.count(f"agentsim: note: {NOTE}") == 1
    assert "agentsim: note -" in done.out
    assert "1 failed, 1 passed" in done.out
    text = (folder / "report.xml").read_text("utf-8")
    noted = 'name="agentsim_note" value="the thread exporter, started by traced'
    assert text.count(noted) == 2
