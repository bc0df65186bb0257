"""Workers: what goes to other processes, what comes back, and what is said of their death."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from subprocess import PIPE
from tempfile import TemporaryFile
from typing import IO, Any

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim import mutants
from agentsim.core import Env, UsageError
from agentsim.faults import CATALOGUE, tool_fault
from agentsim.invariants import INVARIANTS, invariant, rule
from agentsim.runtime import reference
from agentsim.simulation import Menu, explore
from agentsim.simulation.exploring.glance import Glance
from agentsim.simulation.exploring.plans import Drawn, Dull, Enumerated, Plan, make
from agentsim.simulation.exploring.sharing import processes
from agentsim.simulation.exploring.sharing.child import work
from agentsim.simulation.exploring.sharing.frames import Frames, send
from agentsim.simulation.exploring.sharing.packing import Job, packed, unpacked
from agentsim.simulation.exploring.sharing.places import (
    PLACE_BYTES,
    read_place,
    write_place,
)
from agentsim.simulation.exploring.sharing.processes import Process, why_no_copy
from agentsim.simulation.exploring.sharing.team import DEPTH_MAX, Team, hire
from tests.simulation.fakes import reading
from tests.simulation.worker_agents import another_thread, is_left
from tests.support.scenarios import NAMES, scenario

MENU = Menu("any_order", faults=("raises", "own"), cancel=True, crash=True)


@pytest.fixture
def pipe() -> Iterator[Callable[[], tuple[int, int]]]:
    """Make pipes that are closed after the test, unless it did so itself."""
    made: list[int] = []

    def pipe() -> tuple[int, int]:
        both = os.pipe()
        made.extend(both)
        return both

    yield pipe
    for end in made:
        try:
            os.close(end)
        except OSError:
            continue  # it is closed


# ------------------------------------------------------------------------------ the pipes


def test_values_come_out_of_a_pipe_whole(pipe: Callable[[], tuple[int, int]]) -> None:
    """However they are cut, and also a long one; the end is told."""
    reads, writes = pipe()
    frames = Frames(reads)
    send(writes, (1, "a"))
    send(writes, [None] * 3)
    assert frames.read() == [(1, "a"), [None] * 3]
    long = pickle.dumps("x" * 40_000)
    whole = len(long).to_bytes(4, "big") + long
    found = []
    for start, stop in pairwise((0, 2, 5, 30_000, len(whole))):
        os.write(writes, whole[start:stop])
        found += frames.read()
    assert found == ["x" * 40_000]
    os.close(writes)
    assert not frames.is_over
    assert (frames.read(), frames.is_over) == ([], True)


# ------------------------------------------------------------------------------ the child


def plans() -> Iterator[Plan]:
    """Some plans of each kind."""
    yield from (Drawn(seed, 12) for seed in range(8))
    tree = Enumerated(1)
    first = tree.next()
    assert first is not None
    yield first
    tree.done(first, Glance.of(make(Dull(), reading(), reference, MENU)))
    for _ in range(5):
        plan = tree.next()
        assert plan is not None
        yield plan


async def impossible(env: Env) -> str:
    """Leave the script unused."""
    return env.task


@pytest.mark.parametrize("agent", [reference, mutants.error_kills_loop])
def test_a_worker_tells_its_runs_at_a_glance(
    agent: Callable[..., Any], pipe: Callable[[], tuple[int, int]]
) -> None:
    """It tells each run in its order as it is here; what it told before it leaves out."""
    (orders, give), (answers, tell) = pipe(), pipe()
    asked = list(plans())
    for number, plan in enumerate(asked, 1):
        send(give, (number, plan))
    os.close(give)
    place = memoryview(bytearray(PLACE_BYTES))
    write_place(place, 99)
    work(Job(reading(), agent, MENU), orders, tell, place)
    assert read_place(place) == 0
    (up, digest), *told = Frames(answers).read()
    first = make(Dull(), reading(), agent, MENU)
    assert (up, digest) == ("up", first.trace.digest())
    met: dict[str, None] = {}
    for (number, values), plan in zip(told, asked, strict=True):
        here = Glance.of(make(plan, reading(), agent, MENU))
        there = Glance(*values)
        assert asked[number - 1] is plan
        assert there.is_like(here)
        assert there[:5] == here[:5]
        assert not set(there.met) & set(met)
        met.update(dict.fromkeys(there.met))
        assert set(here.met) <= set(met)


def test_a_run_that_is_impossible_is_left_to_who_asked(
    pipe: Callable[[], tuple[int, int]],
) -> None:
    """The worker goes on; its error is raised where the run counts."""
    (orders, give), (answers, tell) = pipe(), pipe()
    send(give, (1, Dull()))
    os.close(give)
    place = memoryview(bytearray(PLACE_BYTES))
    work(Job(reading(expect={}), impossible, Menu()), orders, tell, place)
    assert Frames(answers).read() == [("up", ""), (1, None)]


# -------------------------------------------------------------------- what another one gets


@pytest.mark.parametrize("name", NAMES)
def test_a_job_is_the_same_in_another_process(name: str) -> None:
    """Every scenario, with any menu, is itself again out of its bytes."""
    job = Job(scenario(name), mutants.error_kills_loop, MENU)
    again = unpacked(packed(job, "so"))
    assert again.scenario.digest == job.scenario.digest
    assert (again.agent, again.menu) == (job.agent, job.menu)
    assert again.menu.bound == job.menu.bound


def test_faults_and_invariants_of_ones_own_go_along() -> None:
    """They are found by name where their modules are imported; where not, that is said."""
    fault = tool_fault("backwards_output", sentence="Backwards.")(lambda text, _: text)
    rule_of_mine = INVARIANTS.add(
        invariant("always-so", "It is always so.", rationale="None.")(
            lambda _: rule(1, (), "")
        )
    )
    try:
        menu = Menu(faults=("backwards_output",))
        data = packed(Job(reading(), reference, menu), "so")
        assert unpacked(data).menu.rules[0].fault is fault
        INVARIANTS.discard(rule_of_mine.id)
        with pytest.raises(UsageError, match="does not know the invariant 'always-so'"):
            unpacked(data)
    finally:
        INVARIANTS.discard(rule_of_mine.id)
        CATALOGUE.discard("backwards_output")
    with pytest.raises(UsageError, match="unknown fault 'backwards_output'"):
        unpacked(data)


def agent_of_a_function() -> Callable[[Env], object]:
    """An agent that only this process has."""

    async def agent(env: Env) -> object:
        return await reference(env)

    return agent


def test_what_only_this_process_has_is_named(snapshot: SnapshotAssertion) -> None:
    """An agent or a predicate that is made inside a function can't be imported."""
    jobs = [
        Job(reading(), agent_of_a_function(), Menu()),
        Job(reading(stop=lambda _: False), reference, Menu()),
    ]
    for job in jobs:
        with pytest.raises(UsageError) as refused:
            packed(job, "it has other threads: telemetry")
        assert str(refused.value) == snapshot


def test_an_agent_of_a_script_is_none_of_a_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another process has another script, or none."""
    monkeypatch.setattr(impossible, "__module__", "__main__")
    monkeypatch.setattr(
        sys.modules["__main__"], "impossible", impossible, raising=False
    )
    with pytest.raises(UsageError, match="can't import the agent __main__:impossible"):
        packed(Job(reading(), impossible, Menu()), "so")


def test_a_worker_starts_no_workers_where_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that explores on import would start processes without end."""
    monkeypatch.syspath_prepend(tmp_path)
    source = "async def agent(env):\n    pass\n"
    (tmp_path / "explores_on_import.py").write_text(source)
    agent = importlib.import_module("explores_on_import").agent
    data = packed(Job(reading(), agent, Menu()), "so")
    source += (
        "from agentsim.simulation.exploring.sharing.packing import Job, packed\n"
        "from agentsim.simulation import Menu\n"
        "from tests.simulation.fakes import reading\n"
        "packed(Job(reading(), agent, Menu()), 'so')\n"
    )
    (tmp_path / "explores_on_import.py").write_text(source)
    monkeypatch.delitem(sys.modules, "explores_on_import")
    importlib.invalidate_caches()
    with pytest.raises(UsageError, match="would start workers of its own"):
        unpacked(data)
    monkeypatch.delitem(sys.modules, "explores_on_import", raising=False)
    assert packed(Job(reading(), reference, Menu()), "so")


def test_who_is_alone_is_copied() -> None:
    """A thread that is none of ours forbids it, and is named."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait, name="telemetry")
    thread.start()
    try:
        assert why_no_copy() in (
            "only Linux copies processes safely",
            *(f"it has other threads: {names}" for names in _names(thread)),
        )
    finally:
        done.set()
        thread.join()


def _names(thread: threading.Thread) -> Iterator[str]:
    here = threading.get_ident()
    named = [one.name for one in threading.enumerate() if one.ident != here]
    assert thread.name in named
    yield ", ".join(named)


# -------------------------------------------------------------------------- the processes


def waited_for(how: str, made: subprocess.Popen[bytes], errors: IO[bytes]) -> Process:
    """A process that is waited for as a new one, or as a copy."""
    wait = {
        "new": partial(processes._exit_of, made),
        "copy": partial(processes._exit_code, made.pid),
    }[how]
    place = memoryview(bytearray(PLACE_BYTES))
    return Process(made.pid, wait, orders=0, answers=0, errors=errors, place=place)


@pytest.mark.parametrize("how", ["new", "copy"])
def test_who_goes_on_without_pipes_is_ended(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker of which nothing can be heard any more is not waited for for ever."""
    monkeypatch.setattr(processes, "PATIENCE_S", 0.05)
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with TemporaryFile() as errors, subprocess.Popen(command, stdin=PIPE) as made:
        process = waited_for(how, made, errors)
        assert process.ended() == (-signal.SIGKILL, "")
        made.returncode = -signal.SIGKILL


@pytest.mark.parametrize("how", ["new", "copy"])
def test_who_ends_by_himself_tells_how(how: str) -> None:
    """The exit code, and the last line that was written."""
    code = "import sys; sys.stderr.write('one\\ntwo\\n'); sys.exit(3)"
    command = [sys.executable, "-S", "-c", code]
    with (
        TemporaryFile() as errors,
        subprocess.Popen(command, stderr=errors) as made,
    ):
        process = waited_for(how, made, errors)
        assert process.ended() == (3, "two")
        assert process.end() == 3
        made.returncode = 3


def test_who_was_waited_for_elsewhere_is_gone() -> None:
    """Code of the user that waits for any process takes away the exit code."""
    with (
        TemporaryFile() as errors,
        subprocess.Popen([sys.executable, "-S", "-c", ""]) as made,
    ):
        made.wait()
        assert waited_for("copy", made, errors).end() == 0


def test_new_workers_are_gone_with_their_end() -> None:
    """Whatever they are at, here still at their start."""
    with another_thread():
        team = hire(Job(reading(), reference, MENU), 2)
        pids = team.pids
        assert [is_left(pid) for pid in pids] == [True, True]
        assert (team.out, team.begun, team.strangers) == ((), (), 0)
        team.end()
    assert [is_left(pid) for pid in pids] == [False, False]


def test_what_cannot_be_started_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were started before are ended."""
    before = sys.executable
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with (
        another_thread(),
        pytest.raises(UsageError, match="can't start another process: No such file"),
    ):
        hire(Job(reading(), reference, MENU), 2)
    assert before != sys.executable


# ------------------------------------------------------------------------------- the team


class Line:
    """A process that is none: a test writes its answers, and says how it ended."""

    def __init__(
        self, pipe: Callable[[], tuple[int, int]], code: int, last: str
    ) -> None:
        (self.asked, self.orders), (self.answers, self.tell) = pipe(), pipe()
        self.is_ended = False
        self.run = 0
        self._death = code, last

    def ended(self) -> tuple[int, str]:
        return self._death

    def end(self) -> int:
        self.is_ended = True
        return self._death[0]

    def close(self) -> None:
        """The test does."""


@pytest.fixture
def line(pipe: Callable[[], tuple[int, int]]) -> Callable[..., Line]:
    """Make processes that are none."""
    return lambda code=0, last="": Line(pipe, code, last)


def team_of(*lines: Line) -> Team:
    """Workers behind the lines; the first run of all is the dull one."""
    team = Team(lines)  # type: ignore[arg-type]
    team.expect(make(Dull(), reading(), reference, Menu()))
    return team


UP = make(Dull(), reading(), reference, Menu()).trace.digest()


def fill(team: Team, number: int = 0, left: int | None = None) -> int:
    """Give as many runs as there is room for, and tell how many were given so far."""
    room = team.room(left)
    team.give([(number + n, Dull()) for n in range(1, room + 1)])
    return number + room


def test_a_worker_gets_runs_once_it_is_up(line: Callable[..., Line]) -> None:
    """It has a few before it, more where it had to wait, and less towards the end."""
    one = line()
    team = team_of(one)
    assert team.room(None) == 0
    send(one.tell, ("up", UP))
    assert team.receive(wait=True) == []
    number, sizes = 0, []
    for _ in range(8):
        number = fill(team, number)
        sizes.append(len(team.out))
        send(one.tell, *[(done, None) for done in team.out])
        while team.out:
            team.receive(wait=True)
    assert sizes[0] < sizes[-1] == DEPTH_MAX
    assert sizes == sorted(sizes)
    assert team.receive(wait=False) == []
    assert fill(team, left=3) == 1
    assert (team.out, team.room(3)) == ((1,), 0)
    team.end()
    team.end()
    assert one.is_ended


def test_what_a_worker_is_at_is_told_from_what_it_has_before_it(
    line: Callable[..., Line],
) -> None:
    """Runs are told several at a time: those up to the one that it is at are begun."""
    one = line()
    team = team_of(one)
    send(one.tell, ("up", UP))
    team.receive(wait=True)
    number = 0
    while len(team.out) < 4:
        number = fill(team, number)
        send(one.tell, *[(done, None) for done in team.out] * (number < 4))
        team.receive(wait=number < 4)
    first, second, third, *_ = team.out
    assert [*team.begun] == [first]
    one.run = third
    assert [*team.begun] == [first, second, third]


def test_who_is_slow_gets_no_more_than_he_has_room_for(
    line: Callable[..., Line],
) -> None:
    """One that always has a run left gets few, beside one that had to wait."""
    slow, fast = line(), line()
    team = team_of(slow, fast)
    for one in (slow, fast):
        send(one.tell, ("up", UP))
    while team.room(None) < 4:
        team.receive(wait=True)
    number, reads = 0, Frames(fast.asked)
    for _ in range(4):
        number = fill(team, number)
        send(fast.tell, *[(given, None) for given, _ in reads.read()])
        team.receive(wait=True)
    assert len(Frames(slow.asked).read()) == 2
    assert number > 16


def test_a_worker_whose_first_run_differs_gets_none(line: Callable[..., Line]) -> None:
    """It is told as a stranger; who is not up yet is none."""
    same, other, late = line(), line(), line()
    team = team_of(same, other, late)
    send(same.tell, ("up", UP))
    send(other.tell, ("up", "another"))
    while team.strangers == 0 or not team.room(None):
        team.receive(wait=True)
    assert fill(team) == 2
    assert team.strangers == 1
    assert Frames(same.asked).read() == [(1, Dull()), (2, Dull())]


@pytest.mark.parametrize("given", [None, 0, 1], ids=["starting", "idle", "busy"])
@pytest.mark.parametrize(
    "death", [(7, "Oh."), (-signal.SIGKILL, ""), (-11, ""), (-99, "")]
)
def test_a_dead_worker_is_one_sentence(
    given: int | None,
    death: tuple[int, str],
    line: Callable[..., Line],
    snapshot: SnapshotAssertion,
) -> None:
    """It says in which run and how, and what repeats that."""
    one = line(*death)
    team = team_of(one)
    if given is not None:
        send(one.tell, ("up", UP))
        team.receive(wait=True)
    if given:
        assert team.room(None)
        team.give([(15, Dull()), (16, Dull())])
        one.run = 16
    os.close(one.tell)
    if given:
        came = dict(team.receive(wait=True))
        assert (came[15], team.out, team.room(None)) == (None, (), 0)
        assert str(came[16]) == snapshot
        return
    with pytest.raises(UsageError) as died:
        team.receive(wait=True)
    assert str(died.value) == snapshot


def test_a_death_between_two_runs_stands_at_the_next_one(
    line: Callable[..., Line],
) -> None:
    """The others that were given are made elsewhere, and who is alive goes on."""
    one, other = line(1), line()
    team = team_of(one, other)
    for worker in (one, other):
        send(worker.tell, ("up", UP))
    while team.room(None) < 4:
        team.receive(wait=True)
    team.give([(number, Dull()) for number in (1, 2, 3, 4)])
    one.run = 0
    os.close(one.tell)
    came = dict(team.receive(wait=True))
    assert (sorted(came), team.out) == ([1, 3], (2, 4))
    assert str(came[1]).startswith("workers: one of them ended between two runs, with")
    assert came[3] is None
    send(other.tell, (2, None))
    assert team.receive(wait=True) == [(2, None)]


def test_who_died_is_not_given_more(line: Callable[..., Line]) -> None:
    """A pipe that nobody reads is the same death."""
    one = line(-signal.SIGKILL)
    team = team_of(one)
    send(one.tell, ("up", UP))
    team.receive(wait=True)
    assert team.room(None)
    os.close(one.asked)
    team.give([(4, Dull())])
    ((number, died),) = team.receive(wait=True)
    words = "workers: one of them ended between two runs, by signal SIGKILL"
    assert (number, str(died)) == (
        4,
        f"{words}, as the system does to what takes too much memory",
    )
    assert team.room(None) == 0


def test_what_a_worker_refuses_is_said(line: Callable[..., Line]) -> None:
    """A module that can't be imported there is no death."""
    one = line()
    send(one.tell, ("refused", "workers: importing it raised ImportError"))
    with pytest.raises(UsageError, match="raised ImportError"):
        team_of(one).receive(wait=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"workers": 0}, "workers: expected a whole number of 1 or more, got 0"),
        ({"workers": 65}, "workers: expected 64 at most, got 65"),
        (
            {"workers": 2, "on_run": print},
            "on_run: whole runs stay where they are made",
        ),
    ],
)
def test_workers_that_make_no_sense_are_refused(
    arguments: dict[str, Any], words: str
) -> None:
    """No process is started for them."""
    with pytest.raises(UsageError, match=words):
        explore(reading(), **arguments)
