import json
from collections.abc import Mapping
from copy import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import ToolFailed, UsageError
from agentsim.world import (
    SPECS,
    Canned,
    CannedAnswer,
    CannedTool,
    Cpu,
    Database,
    Disk,
    Effect,
    Files,
    Mail,
    Payments,
    Process,
    PullRequest,
    PullRequests,
    Search,
    Service,
    Services,
    Spec,
    Subsystem,
    Suite,
    Surroundings,
    World,
    world_tool,
)

EVERYTHING: tuple[Spec, ...] = (
    Disk(used="95%", logs="55%"),
    Cpu(processes=(Process("nginx-worker", 82.1, 11.1, "nginx", 19.1, 0.9),)),
    Services(
        (
            Service("nginx"),
            Service("api", state="starting", ready_after_checks=2),
            Service("slow", state="starting", ready_after_s=3.0),
            Service("broken", restart_error="exit code 1"),
        )
    ),
    Database(service="postgres"),
    Files({"a.txt": "a"}),
    Suite(),
    Search({"cats": "About cats."}),
    Payments(balance="5.00"),
    Mail(answers={"a@b": "yes"}, answer_after_s=2.0),
    PullRequests((PullRequest(7, "Change a", {"a.txt": "b", "n.txt": ""}),)),
    Canned(
        {
            "look": CannedTool("read_only", answers=(CannedAnswer(result="sky"),)),
            "jump": CannedTool(
                "mutating",
                answers=(CannedAnswer(result="high"), CannedAnswer(result="higher")),
            ),
        }
    ),
)

Step = tuple[str, dict[str, Any]]

services = st.sampled_from(["nginx", "api", "slow", "broken", "none"])
steps: st.SearchStrategy[Step] = st.one_of(
    st.tuples(
        st.sampled_from(["check_disk", "clean_logs", "check_cpu", "run_tests"]),
        st.just({}),
    ),
    st.tuples(st.just("check_status"), st.fixed_dictionaries({"service": services})),
    st.tuples(
        st.just("restart_service"),
        st.fixed_dictionaries({"host": st.just("web-03"), "service": services}),
    ),
    st.tuples(st.just("read_logs"), st.fixed_dictionaries({"service": services})),
    st.tuples(
        st.just("write_file"),
        st.fixed_dictionaries(
            {
                "path": st.sampled_from(["a.txt", "b/c.txt", ""]),
                "content": st.text(max_size=3),
            }
        ),
    ),
    st.tuples(
        st.just("create_payment"),
        st.fixed_dictionaries(
            {
                "invoice": st.integers(1, 2),
                "amount": st.sampled_from(["2.00", "9"]),
                "idempotency_key": st.none(),
            }
        ),
    ),
    st.tuples(
        st.just("send_mail"),
        st.fixed_dictionaries(
            {
                "to": st.sampled_from(["a@b", "nobody"]),
                "subject": st.just("s"),
                "body": st.just(""),
            }
        ),
    ),
    st.tuples(st.just("read_mail"), st.just({"number": 1})),
    st.tuples(
        st.sampled_from(["merge_pr", "get_diff"]),
        st.fixed_dictionaries({"number": st.integers(7, 8)}),
    ),
    st.tuples(
        st.just("comment"),
        st.fixed_dictionaries(
            {"number": st.just(7), "text": st.sampled_from(["", "fine"])}
        ),
    ),
    st.tuples(st.just("refund_payment"), st.just({"payment": 1})),
    st.tuples(st.just("read_file"), st.just({"path": "b/c.txt"})),
    st.tuples(st.just("list_files"), st.just({"folder": "b"})),
)
paths = st.lists(steps, max_size=8)


def walk(world: World, path: list[Step], *, start: int = 0) -> list[str]:
    """Apply operations, one virtual second each; an error is what was said."""
    said = []
    for number, (name, arguments) in enumerate(path, start=start):
        try:
            said.append(
                world.apply(name, arguments, operation=number, at_ns=number * 10**9)
            )
        except ToolFailed as error:
            said.append(f"failed: {error}")
    return said


@settings(max_examples=20)
@given(paths, paths, st.integers(0, 3))
def test_a_restored_world_goes_on_as_before(
    before: list[Step], after: list[Step], seed: int
) -> None:
    """From a snapshot, in this world or a new one, the same operations say the same."""
    world = World(EVERYTHING, seed=seed)
    walk(world, before)
    snapshot = world.snapshot()
    text = json.dumps(snapshot)
    said, end = walk(world, after, start=len(before)), world.snapshot()
    assert json.dumps(snapshot) == text
    world.restore(snapshot)
    assert world.snapshot() == snapshot
    assert walk(world, after, start=len(before)) == said
    other = World(EVERYTHING, seed=9)
    other.restore(json.loads(text))
    assert walk(other, after, start=len(before)) == said
    assert world.snapshot() == other.snapshot() == end
    assert world.ledger == other.ledger


@settings(max_examples=20)
@given(paths)
def test_a_failed_write_leaves_everything_as_it_was(path: list[Step]) -> None:
    """An operation that fails changes nothing; a write that works is in the ledger."""
    world = World(EVERYTHING)
    writes = {tool.name for tool in world.tools if tool.writes}
    for step in path:
        before = world.snapshot()
        [said] = walk(world, [step])
        worked = step[0] in writes and not said.startswith("failed")
        assert len(world.ledger) == len(before["ledger"]) + worked
        if said.startswith("failed"):
            assert world.snapshot() == before


def test_a_seed_decides_the_process_ids() -> None:
    """One seed gives the same process ids again, another gives others."""

    def restart(seed: int) -> list[str]:
        world = World((Services(),), seed=seed)
        arguments = {"host": "web-03", "service": "nginx"}
        return [world.apply("restart_service", arguments) for _ in range(3)]

    assert restart(1) == restart(1)
    assert restart(1) != restart(2)
    assert len(set(restart(1))) == 3


def test_the_output_of_a_restart_is_masked_to_one_signature() -> None:
    """The process id, which says nothing, is declared volatile."""
    world = World((Services(),))
    [tool] = [tool for tool in world.tools if tool.name == "restart_service"]
    arguments = {"host": "web-03", "service": "nginx"}
    said = {tool.rights.mask(world.apply(tool.name, arguments)) for _ in range(3)}
    assert said == {"nginx restarted, *"}


def test_the_person_stands_beside_the_arguments() -> None:
    """A confirming tool takes `confirmed_by`, any other refuses it as unknown."""
    world = World((Disk(), Files()))
    asked = {"confirmed_by": "operator-1"}
    world.apply("clean_logs", asked, operation=7)
    assert world.ledger == (Effect(1, 7, "clean_logs", {}, "operator-1"),)
    assert asked == {"confirmed_by": "operator-1"}
    with pytest.raises(ToolFailed, match="write_file: unknown argument 'confirmed_by'"):
        world.apply("write_file", {"path": "a", "content": "", **asked})


def test_the_ledger_does_not_follow_the_caller() -> None:
    """What the caller changes after a write is not changed in the ledger."""
    world = World((Files(),))
    arguments = {"path": "a", "content": "one"}
    world.apply("write_file", arguments)
    arguments["content"] = "two"
    assert world.ledger[0].arguments["content"] == "one"


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("read_logs", {}, "read_logs: argument 'service' is missing"),
        ("read_logs", {"service": 3}, "argument 'service': expected text, got 3"),
        ("read_logs", {"service": "nginx", "lines": 0}, "must be at least 1, got 0"),
        ("read_logs", {"service": "nginx", "lins": 3}, "did you mean 'lines'?"),
        (
            "check_cpu",
            {"host": "web-3"},
            "unknown host 'web-3' (known: web-03); did you",
        ),
        ("list_top_processes", {"host": "web-3"}, "did you mean 'web-03'?"),
        ("check_disk", {"host": "db"}, "unknown host 'db' (known: web-03)"),
        (
            "check_status",
            {"service": "ngnix"},
            "unknown service 'ngnix' (known: nginx, api",
        ),
        ("restart_service", {"host": "x", "service": "nginx"}, "unknown host 'x'"),
        (
            "restart_service",
            {"host": "web-03", "service": "ngnix"},
            "unknown service on web-03 'ngnix'",
        ),
        (
            "restart_service",
            {"host": "web-03", "service": "broken"},
            "broken was not restarted: exit code 1",
        ),
        ("ping_host", {"host": "db-1"}, "unknown host 'db-1' (known: web-03, db-01)"),
        (
            "check_database_status",
            {"database": "x"},
            "unknown database 'x' (known: main)",
        ),
        ("read_file", {"path": "b.txt"}, "unknown file 'b.txt' (known: a.txt)"),
        ("list_files", {"folder": "b"}, "unknown folder 'b' (there is none)"),
        ("write_file", {"path": "b/", "content": ""}, "'b/' is not the path of a file"),
    ],
)
def test_what_a_tool_can_t_do_is_told_to_the_model(
    name: str, arguments: Mapping[str, Any], words: str
) -> None:
    """Bad arguments and unknown names are definite errors that a model can act on."""
    world = World(EVERYTHING)
    with pytest.raises(ToolFailed) as caught:
        world.apply(name, arguments)
    assert words in str(caught.value)
    assert caught.value.definite
    assert world.ledger == ()


def test_an_unknown_tool_is_a_mistake_of_the_caller() -> None:
    """The world is only asked for tools that it has."""
    with pytest.raises(
        UsageError, match="no tool 'check_dsk'; did you mean 'check_disk'"
    ):
        World((Disk(),)).apply("check_dsk", {})


def test_parts_are_attributes_by_their_kind() -> None:
    """A part is found by its kind; what is not there is an error that says what is."""
    world = World(EVERYTHING)
    for kind in SPECS:
        assert isinstance(getattr(world, kind), Subsystem)
    with pytest.raises(
        AttributeError, match=r"no 'dsk': it has disk, cpu.* mean 'disk'"
    ):
        _ = world.dsk
    with pytest.raises(
        AttributeError, match="this world has no 'disk': it has no parts"
    ):
        _ = World().disk
    assert not hasattr(world, "_private")
    assert copy(world).disk is world.disk


def test_a_world_has_one_part_of_a_kind() -> None:
    """Two parts of one kind are refused, since their tools would share names."""
    with pytest.raises(UsageError, match="one 'disk' only"):
        World((Disk(), Disk()))


def test_a_suite_needs_files() -> None:
    """A part that needs another says so when the world is made."""
    with pytest.raises(UsageError, match="add Files to the world"):
        World((Suite(),))


def test_two_tools_of_one_name_are_refused() -> None:
    """Parts of different kinds can't bring tools of one name (R1.3)."""

    class Other(Subsystem):
        @world_tool(latency_s=0.0)
        def check_disk(self) -> str:
            """Say nothing."""
            return ""

    class OtherSpec:
        kind = "other"

        def build(self, world: Surroundings) -> Other:
            return Other(world)

    with pytest.raises(UsageError, match="two tools are named 'check_disk'"):
        World((Disk(), OtherSpec()))


def test_a_snapshot_of_another_world_is_refused() -> None:
    """A snapshot fits only a world with the same parts."""
    with pytest.raises(UsageError, match="it holds disk, this one has no parts"):
        World().restore(World((Disk(),)).snapshot())


def test_time_never_goes_back() -> None:
    """An operation that is told an earlier time happens at the latest time known."""
    world = World((Services((Service("a", state="starting", ready_after_s=5.0),)),))
    ask = {"service": "a"}
    assert world.apply("check_status", ask, at_ns=3 * 10**9) == "a: starting (3 s)"
    assert world.apply("check_status", ask, at_ns=2 * 10**9) == "a: starting (3 s)"
    assert world.apply("check_status", ask) == "a: starting (3 s)"


def test_worlds_of_one_spec_are_independent() -> None:
    """A spec is a beginning: what happens in one world is not seen in another."""
    one, other = World(EVERYTHING), World(EVERYTHING)
    one.apply("clean_logs", {})
    one.apply("write_file", {"path": "a.txt", "content": "b"})
    one.apply("restart_service", {"host": "web-03", "service": "nginx"})
    assert other.snapshot() == World(EVERYTHING).snapshot()


def test_the_tools_of_all_worlds_have_the_same_definitions() -> None:
    """Definitions are made once, so that the prefix of all requests is the same."""
    one, other = World(EVERYTHING).tools, World(EVERYTHING).tools
    assert all(mine is theirs for mine, theirs in zip(one, other, strict=True))
