import pytest

from agentsim.core import ToolFailed
from agentsim.world import (
    Case,
    Cpu,
    Database,
    Disk,
    Files,
    Process,
    Search,
    Service,
    Services,
    Spec,
    Suite,
    World,
    from_plain,
    to_plain,
)

HIGH_CPU: tuple[Spec, ...] = (
    Cpu(
        processes=(
            Process("nginx-worker", 82.1, 11.1, "nginx", 19.1, 0.9),
            Process("postgres", 3.2, 0.4),
            Process("redis-server", 2.8, 0.3),
            Process("log-shipper", 2.6, 0.2),
            Process("node-exporter", 1.9, 0.2),
            Process("sshd", 1.4, 0.1),
        )
    ),
    Services(first_pid=19012),
)
DISK_FULL: tuple[Spec, ...] = (Disk(used="95%", logs="55%"),)
DATABASE_UNREACHABLE: tuple[Spec, ...] = (Database(accepting=False, reachable=False),)
POLLING: tuple[Spec, ...] = (
    Services((Service("api", state="starting", ready_after_checks=4),)),
)
POLLING_BY_TIME: tuple[Spec, ...] = (
    Services((Service("api", state="starting", ready_after_s=20.0),)),
)
STUCK: tuple[Spec, ...] = (Files({"config.yaml": "port: 80\n"}),)
SEARCHES: tuple[Spec, ...] = (Search({"cats": "About cats.", "dogs": "About dogs."}),)
EDIT_AND_TEST: tuple[Spec, ...] = (
    Files({"app.py": "total = 0\n"}),
    Suite(
        (Case("test_total", "app.py", "total = a + b"), Case("test_it", "app.py", ""))
    ),
)
READS: tuple[Spec, ...] = (Files({f"part-{n}.txt": f"part {n}" for n in range(10)}),)

STORIES = {
    "high_cpu": HIGH_CPU,
    "disk_full": DISK_FULL,
    "database_unreachable": DATABASE_UNREACHABLE,
    "polling_service": POLLING,
    "polling_by_time": POLLING_BY_TIME,
    "stuck_model": STUCK,
    "alternating_search": SEARCHES,
    "edit_and_test": EDIT_AND_TEST,
    "parallel_reads": READS,
}


def test_restarting_the_culprit_relieves_the_processor() -> None:
    """high_cpu: 94 %, nginx on top; after its restart 31 %."""
    world = World(HIGH_CPU)
    host = {"host": "web-03"}
    assert world.apply("check_cpu", host) == "CPU: 94%, load average: 12.3"
    assert world.apply("list_top_processes", {**host, "limit": 5}) == (
        "nginx-worker 82.1%\npostgres 3.2%\nredis-server 2.8%\nlog-shipper 2.6%\n"
        "node-exporter 1.9%"
    )
    approved = {**host, "service": "nginx", "confirmed_by": "operator-1"}
    assert world.apply("restart_service", approved) == "nginx restarted, PID: 19012"
    assert world.apply("check_cpu", host) == "CPU: 31%, load average: 2.1"
    [effect] = world.ledger
    assert effect.arguments == {**host, "service": "nginx"}
    assert effect.confirmed_by == "operator-1"


def test_restarting_another_service_relieves_nothing() -> None:
    """high_cpu: the restart of what is not the culprit leaves 94 %."""
    world = World(HIGH_CPU)
    world.apply("restart_service", {"host": "web-03", "service": "postgres"})
    assert world.apply("check_cpu", {}) == "CPU: 94%, load average: 12.3"


def test_cleaning_logs_frees_the_disk() -> None:
    """disk_full: 95 %, 20 GB freed, 40 %."""
    world = World(DISK_FULL)
    assert world.apply("check_disk", {}) == "Disk: 95% used (34.6 GB of 36.4 GB)"
    assert world.apply("clean_logs", {}) == "Freed 20 GB; disk: 40% used"
    assert world.apply("check_disk_usage", {}) == "Disk: 40% used (14.6 GB of 36.4 GB)"


def test_a_healthy_disk_can_be_filled_up() -> None:
    """disk_full, made by hand: filling a disk up is what cleaning its logs undoes."""
    world = World((Disk(),))
    world.disk.fill("95%")
    assert world.apply("check_disk", {}) == "Disk: 95% used (34.6 GB of 36.4 GB)"
    assert world.apply("clean_logs", {}) == "Freed 20 GB; disk: 40% used"
    assert world.disk.used_percent == 40


def test_an_unreachable_database_refuses_and_its_host_is_silent() -> None:
    """database_unreachable: both tools fail, with words that say how."""
    world = World(DATABASE_UNREACHABLE)
    with pytest.raises(ToolFailed, match=r"^main at db-01:5432: connection refused$"):
        world.apply("check_database_status", {})
    with pytest.raises(ToolFailed, match=r"^db-01: host unreachable$"):
        world.apply("ping_host", {"host": "db-01"})


def test_a_service_recovers_after_some_checks() -> None:
    """polling_service: each check says something else, and the last ones `running`."""
    world = World(POLLING)
    said = [world.apply("check_status", {"service": "api"}) for _ in range(6)]
    assert said == [
        "api: starting (check 1 of 4)",
        "api: starting (check 2 of 4)",
        "api: starting (check 3 of 4)",
        "api: starting (check 4 of 4)",
        "api: running",
        "api: running",
    ]


def test_a_service_recovers_after_some_time() -> None:
    """polling_service, by time: the seconds grow until the service runs."""
    world = World(POLLING_BY_TIME)
    said = [
        world.apply("check_status", {"service": "api"}, at_ns=seconds * 10**9)
        for seconds in (0, 12, 19, 20, 1000)
    ]
    assert said == [
        "api: starting (0 s)",
        "api: starting (12 s)",
        "api: starting (19 s)",
        "api: running",
        "api: running",
    ]


def test_a_file_that_nobody_writes_stays_the_same() -> None:
    """stuck_model: reading one file again and again gives one content."""
    world = World(STUCK)
    said = {world.apply("read_file", {"path": "config.yaml"}) for _ in range(20)}
    assert said == {"port: 80\n"}


def test_two_searches_in_turn_give_fixed_answers() -> None:
    """alternating_search: each query has one answer."""
    world = World(SEARCHES)
    said = [
        world.apply("search", {"query": q}) for q in ("cats", "dogs", "Cats ", "dogs")
    ]
    assert said == ["About cats.", "About dogs."] * 2


def test_edits_differ_between_equal_test_runs() -> None:
    """edit_and_test: the tests fail alike until the edit that repairs the file."""
    world = World(EDIT_AND_TEST)
    failing = "1 passed, 1 failed\nFAILED test_total (app.py)"
    for content in ("total = 1\n", "total = a\n"):
        assert world.apply("run_tests", {}) == failing
        world.apply("write_file", {"path": "app.py", "content": content})
    assert world.apply("run_tests", {}) == failing
    world.apply("write_file", {"path": "app.py", "content": "total = a + b\n"})
    assert world.apply("run_tests", {}) == "2 passed, 0 failed"
    written = [effect.arguments["content"] for effect in world.ledger]
    assert len(set(written)) == 3


def test_ten_reads_and_a_write_in_the_middle() -> None:
    """parallel_reads: reads leave nothing in the ledger, and see the write after it."""
    world = World(READS)
    paths = [{"path": f"part-{n}.txt"} for n in range(10)]
    before = [world.apply("read_file", path) for path in paths[:5]]
    world.apply("write_file", {"path": "part-7.txt", "content": "new"}, operation=6)
    after = [world.apply("read_file", path) for path in paths[5:]]
    assert before == [f"part {n}" for n in range(5)]
    assert after == ["part 5", "part 6", "new", "part 8", "part 9"]
    assert [(e.order, e.operation, e.name) for e in world.ledger] == [
        (1, 6, "write_file")
    ]


@pytest.mark.parametrize("name", STORIES)
def test_every_story_can_be_told_as_plain_data(name: str) -> None:
    """The specs of a story, written as JSON data and read back, are the same."""
    for spec in STORIES[name]:
        assert from_plain(spec.kind, to_plain(spec)) == spec
