"""`agentsim doctor --determinism` finds what makes an agent differ, and names the cause."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.cli.determinism import comparing
from agentsim.cli.determinism.child import _lines
from agentsim.cli.determinism.comparing import Cause, Compared, Divergence, _difference
from agentsim.cli.determinism.plain import trace_text
from agentsim.cli.determinism.processes import Asked, Line, Setting
from agentsim.cli.determinism.telling import HINTS, comparison_lines
from agentsim.core import ToolStarted
from agentsim.trace import Header, Trace, diff, from_jsonl
from tests.support.command import Done, agentsim
from tests.support.source import ROOT

SCENARIO = """
task: How is web-03?
world: {services: {}, cpu: {}, disk: {}}
script:
  - call: check_cpu
  - say: It is busy.
"""

AGENTS = """
import asyncio
import json
import os
import sys

from agentsim.core import Request, ToolFailed, assistant, tool_result, user


async def plain(env):
    messages = [user(env.task)]
    tools = {tool.name: tool for tool in env.tools}
    definitions = tuple(tool.definition for tool in env.tools)
    for _ in range(20):
        request = Request(env.model, tuple(messages), definitions)
        response = await env.client.complete(request)
        messages.append(response.message)
        if not response.message.tool_calls:
            return response.message.content
        for call in response.message.tool_calls:
            try:
                output = await tools[call.name].run(json.loads(call.arguments))
            except (KeyError, ToolFailed, ValueError) as error:
                output = "it failed"
            messages.append(tool_result(call.id, str(output)))
    return "that takes too long"


async def look(env, tools):
    for tool in tools:
        try:
            await tool.run({})
        except ToolFailed:
            pass
    return await plain(env)


class Wrapped:
    def __init__(self, tool):
        self.tool = tool


async def objects(env):
    return await look(env, [one.tool for one in {Wrapped(tool) for tool in env.tools}])


async def strings(env):
    by_name = {tool.name: tool for tool in env.tools}
    return await look(env, [by_name[name] for name in set(by_name)])


RUNS = []


async def state(env):
    RUNS.append(0)
    await asyncio.sleep(len(RUNS))
    return await plain(env)


async def outside(env):
    with open("/dev/urandom", "rb") as file:
        await asyncio.sleep(1 + int.from_bytes(file.read(4), "big") / 2**32)
    return await plain(env)


async def dies(env):
    print("farewell", file=sys.stderr)
    os._exit(7)


async def prints(env):
    print("noise")
    os.write(1, b"more noise")
    RUNS.append(0)
    await asyncio.sleep(len(RUNS) == 1)
    await plain(env)
    raise ValueError("no idea")


async def hangs(env):
    with open("pid", "w") as file:
        file.write(str(os.getpid()))
    while True:
        pass
"""


@pytest.fixture(autouse=True)
def project(own_folder: None) -> None:
    """A scenario and agents in the current folder."""
    Path("status.yaml").write_text(SCENARIO, encoding="utf-8")
    Path("unlike.py").write_text(AGENTS, encoding="utf-8")


def doctor(agent: str, *options: str) -> Done:
    """Compare some runs of an agent."""
    words = ("--determinism", "status.yaml", "--agent", f"unlike:{agent}", "--runs=8")
    return agentsim("doctor", *words, *options)


# --------------------------------------------------------------------- in two processes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "cause"),
    [
        ("objects", "addresses"),
        ("strings", "hash seed"),
        ("state", "state"),
        ("outside", "outside"),
    ],
)
def test_an_agent_that_differs_is_found_and_the_cause_named(
    agent: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A set of objects, one of strings, state that survives a run, unsealed chance.

    Where the user's runs have a hash seed pinned it is told, and hides no difference.
    """
    pinned = 7 if cause == "hash seed" else None
    if pinned:
        monkeypatch.setenv("PYTHONHASHSEED", str(pinned))
    done = doctor(agent, "--json")
    assert (done.code, done.data["verdict"]) == (1, "violated")
    assert done.data["pinned"] == pinned
    found = done.data["divergence"]
    assert found["cause"] == cause
    assert found["sides"][0] == {"hash_seed": pinned or 0, "heap": 0}
    assert "replay status.yaml" in found["repeat"]
    assert found["token"] in found["repeat"]
    assert found["words"].startswith("event ")


@pytest.mark.slow
def test_an_agent_that_does_not_differ_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fault, cancel and crash, malformed numbers too; what it prints is no matter.

    How its run without deviations ended is told. A first run that is another does not
    count, but a single run in a fresh process is of this kind.
    """
    monkeypatch.setattr(comparing, "PROBES", 1)
    done = doctor("prints", "--processes=3")
    assert done.code == 0
    assert done.out.startswith(
        "status on unlike:prints: one trace each. 8 runs in each of 3 processes"
    )
    assert "ended raised (ValueError: no idea" in done.out
    assert "The first run of a process is another than the same run later" in done.out


@pytest.mark.slow
def test_what_can_not_be_compared_is_told_in_one_sentence() -> None:
    """No such agent, a process that dies."""
    for agent, words in (
        ("plian", "module 'unlike' has no 'plian'"),
        ("dies", "with exit code 7; the last that it wrote: fare"),
    ):
        done = doctor(agent)
        assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
        assert words in done.err


@pytest.mark.slow
def test_the_keyboard_ends_the_children() -> None:
    """Ctrl-C, which a parent alone may get, leaves no process behind."""
    words = ["doctor", "--determinism=status.yaml", "--agent=unlike:hangs"]
    running = subprocess.Popen(
        [sys.executable, "-c", _ALONE, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    child = _written_pid()
    running.send_signal(signal.SIGINT)
    _, told = running.communicate(timeout=30)
    assert (running.returncode, told) == (130, "agentsim: stopped by the keyboard\n")
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


_ALONE = """
import signal
from agentsim.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in background jobs
main()
"""


def _written_pid() -> int:
    for _ in range(600):
        text = Path("pid").read_text("utf-8") if Path("pid").exists() else ""
        if text:
            return int(text)
        time.sleep(0.05)
    raise AssertionError("the agent never began")


# ------------------------------------------------------------------------ in this process


def lines(agent: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """What a child would tell of three runs."""
    monkeypatch.syspath_prepend(Path.cwd())
    monkeypatch.delitem(sys.modules, "unlike", raising=False)
    asked = {"target": "status.yaml", "agent": f"unlike:{agent}", "runs": 3, "heap": 0}
    return _lines(asked)


class Here:
    """A child that tells its runs in this process."""

    def __init__(self, asked: Asked, setting: Setting) -> None:
        self._lines = _lines({**asdict(asked), "heap": setting.heap})

    def next(self) -> Line:
        """The next line."""
        return next(self._lines)


@contextmanager
def children_here(asked: Asked, settings: Sequence[Setting]) -> Iterator[list[Here]]:
    """Children that do nothing beside what they tell."""
    yield [Here(asked, setting) for setting in settings]


def test_a_script_that_is_not_used_up_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no run to compare, and a sentence says so."""
    monkeypatch.syspath_prepend(Path.cwd())
    monkeypatch.delitem(sys.modules, "unlike", raising=False)
    monkeypatch.setattr(comparing, "children", children_here)
    with Path("status.yaml").open("a", encoding="utf-8") as file:
        file.write("  - say: Never asked for.\n")
    done = doctor("plain")
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert "the script was not used up" in done.err


def test_a_child_tells_each_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """First what is run, then each run with its trace, and whether it repeats itself."""
    head, *runs = lines("plain", monkeypatch)
    assert (head["scenario"], head["agent"]) == ("status", "unlike:plain")
    assert (runs[0]["cold"], runs[0]["ended"]) == (None, None)
    assert [run["again"] for run in runs] == [None] * 3
    assert runs == list(lines("plain", monkeypatch))[1:]
    assert _difference(runs[0], runs[0]) is None
    assert _difference(runs[0], runs[1]) is not None


def test_a_child_tells_what_it_can_not_run() -> None:
    """No module, no scenario: in one sentence, and nothing more."""
    asked = {"target": "status.yaml", "agent": "unlike:plain", "runs": 3, "heap": 0}
    for other, words in (
        ({"agent": "nowhere:plain"}, "there is no module 'nowhere'"),
        ({"target": "missing.yaml"}, "missing.yaml"),
    ):
        [line] = _lines({**asked, **other})
        assert words in line["usage"]


def test_a_child_tells_what_does_not_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words of the first event that differs, and the other trace."""
    _, run, *_ = lines("state", monkeypatch)
    assert run["again"]["words"].startswith("event 1 (request at 2 s) differs in at_ns")
    assert run["again"]["trace"] != run["trace"]
    assert run["cold"].startswith("event 1 (request at 1 s)")


def test_what_differs_beside_the_events_is_told() -> None:
    """Errors, choices, and how many there are."""
    run: Line = {
        "error": None,
        "token": "~0000",
        "words": [],
        "trace": "t",
        "again": None,
    }
    one = {**run, "choices": [["next a", 2]]}
    assert _difference(one, {**run, "choices": [["next b", 3]]}) == (
        "the events are the same, but choice 0 is 'next a' with 2 options against "
        "'next b' with 3"
    )
    assert _difference(one, {**run, "choices": []}) == (
        "the events are the same, but the choices are 1 against 0"
    )
    assert _difference(one, {"error": "no"}) == (
        "it could be made against it could not: no"
    )


def test_a_trace_that_no_file_can_hold_is_compared_too() -> None:
    """NaN and objects stand in it by their names, and the rest as it is."""
    header = Header("s", "0" * 16, "a", policy="timed", menu="m", task="t", prompt=None)
    odd = {"a": float("nan"), "b": [float("inf"), object()], "c": {"d": (1, None)}}
    text = trace_text(Trace(header, [ToolStarted(1, "look", odd)]))
    (event,) = from_jsonl(text).of(ToolStarted)
    plain = {"a": "<nan>", "b": ["<inf>", "<object>"], "c": {"d": [1, None]}}
    assert event.arguments == plain
    told = Trace(header, [ToolStarted(1, "look", plain)])
    assert diff(from_jsonl(text), told) is None


def test_every_cause_has_a_hint(snapshot: SnapshotAssertion) -> None:
    """What people read of each, and of a comparison that found nothing."""
    assert tuple(HINTS) == get_args(Cause)
    one, two = Setting(0, 0), Setting(0, 0).other(1)
    asked = Asked("status.yaml", "my:agent", 20)
    told = []
    for cause in (None, *get_args(Cause)):
        sides = (one, one) if cause == "state" else (one, two)
        found = cause and Divergence(3, "2:1~0000", sides, "event 4 differs", cause)
        for pinned in (None, 0):
            made = Compared(
                "status",
                "my:agent",
                ("--crash",),
                4,
                (one, two),
                pinned,
                None,
                None,
                found,
            )
            told.append("\n".join(comparison_lines(made, asked)))
    assert "\n\n".join(told) == snapshot


def test_hash_seeds_stay_in_their_range() -> None:
    """The one after the last is the first."""
    assert Setting(2**32 - 1, 0).other(1) == Setting(0, 1)


def test_details_without_a_scenario_are_refused() -> None:
    """They would be of no use, and of which run is not said."""
    for option in ("--agent=a:b", "--runs=5", "--processes=2"):
        done = agentsim("doctor", option, "--json")
        assert done.code == 3
        assert "say what to run by --determinism SCENARIO" in done.data["error"]
    assert json.loads(agentsim("doctor", "--processes=1", "--json").out)
