from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import ToolFailed, UsageError
from agentsim.world import (
    Cpu,
    Database,
    Disk,
    Files,
    Process,
    Search,
    Service,
    Services,
    World,
)


@settings(max_examples=50)
@given(st.integers(1, 10**7), st.integers(0, 100), st.integers(0, 100))
def test_cleaning_frees_the_logs_and_nothing_else(
    capacity_mb: int, used: int, percent: int
) -> None:
    """Whatever the sizes, what stays is what was used and was no log."""
    disk = Disk(capacity_mb=capacity_mb, used=f"{used}%")
    world = World((disk,))
    before_mb = world.disk.used_mb
    target_mb = before_mb + (capacity_mb - before_mb) * percent // 100
    world.disk.fill(target_mb)
    assert world.disk.used_mb == target_mb
    world.apply("clean_logs", {})
    assert (world.disk.used_mb, world.disk.logs_mb) == (before_mb, 0)
    assert 0 <= world.disk.used_percent <= 100


@pytest.mark.parametrize(
    ("size", "megabytes"),
    [
        (0, 0),
        (500, 500),
        ("12.5%", 125),
        ("12.55%", 126),
        ("500 MB", 500),
        ("0.5GB", 500),
        ("0.001TB", 1000),
    ],
)
def test_sizes_are_read_half_up(size: int | str, megabytes: int) -> None:
    """A size is a number of megabytes, a share, or text with a unit."""
    assert World((Disk(capacity_mb=1000, used=size),)).disk.used_mb == megabytes


@pytest.mark.parametrize(
    ("freed_mb", "words"),
    [(0, "0 MB"), (999, "999 MB"), (1000, "1 GB"), (1949, "1.9 GB"), (1950, "2 GB")],
)
def test_sizes_are_shown_half_up(freed_mb: int, words: str) -> None:
    """A size is shown in megabytes below a gigabyte, else to a tenth of one."""
    world = World((Disk(capacity_mb=10_000, used=freed_mb, logs=freed_mb),))
    assert world.apply("clean_logs", {}) == f"Freed {words}; disk: 0% used"


def test_nothing_is_written_to_a_full_disk() -> None:
    """Files can't be written while the disk is full, and can after it was cleaned."""
    world = World((Disk(used="100%", logs="10%"), Files()))
    write = {"path": "a", "content": "x\ny"}
    with pytest.raises(ToolFailed, match="no space left"):
        world.apply("write_file", write)
    world.apply("clean_logs", {})
    assert world.apply("write_file", write) == "Wrote a (2 lines)"


@pytest.mark.parametrize(
    ("content", "lines"),
    [("", "0 lines"), ("x", "1 line"), ("x\n", "1 line"), ("x\n\n", "2 lines")],
)
def test_lines_are_counted_as_an_editor_does(content: str, lines: str) -> None:
    """A line that is not ended counts, and an ended one does not begin another."""
    said = World((Files(),)).apply("write_file", {"path": "a", "content": content})
    assert said == f"Wrote a ({lines})"


def test_files_are_listed_by_folder() -> None:
    """A folder lists what is in it and below it, in order of the paths."""
    world = World((Files({"b/c/d.txt": "", "a.txt": "", "b/e.txt": ""}),))
    for everything in ("", ".", "/"):
        said = world.apply("list_files", {"folder": everything})
        assert said == "a.txt\nb/c/d.txt\nb/e.txt"
    assert world.apply("list_files", {"folder": "b/c/"}) == "b/c/d.txt"
    with pytest.raises(ToolFailed, match=r"unknown folder 'c' \(known: b, b/c\)"):
        world.apply("list_files", {"folder": "c"})
    assert World((Files(),)).apply("list_files", {}) == "no files"


def test_a_processor_is_never_over_full() -> None:
    """More than the processor has is shown as 100 %; the load average tells the rest."""
    world = World((Cpu(processes=(Process("a", 80), Process("b", 90, 30.0))),))
    assert world.apply("check_cpu", {}) == "CPU: 100%, load average: 30.0"
    assert world.cpu.load_average == 30.0


def test_a_process_can_be_heated() -> None:
    """A process takes what it is told, and calms down with its service if it can."""
    calm = Process("a", 5, 0.5, "a", 5, 0.5)
    world = World(
        (Cpu(processes=(calm, Process("b", 1, service="a"))), Services((Service("a"),)))
    )
    world.cpu.heat("a", 70.0, 4.0)
    assert world.apply("check_cpu", {}) == "CPU: 71%, load average: 4.0"
    assert world.cpu.percent == 71
    world.apply("restart_service", {"host": "web-03", "service": "a"})
    assert world.apply("check_cpu", {}) == "CPU: 6%, load average: 0.5"


def test_a_service_of_the_same_name_elsewhere_relieves_nothing() -> None:
    """Only the service on the processor's own host matters."""
    hot = Process("a", 90, 9.0, "a", 1, 0.1)
    world = World((Cpu(processes=(hot,)), Services((Service("a", host="web-04"),))))
    world.apply("restart_service", {"host": "web-04", "service": "a"})
    assert world.cpu.percent == 90


def test_an_idle_host_has_no_processes() -> None:
    """Without processes there is no load, and that is said."""
    world = World((Cpu(processes=()),))
    assert world.apply("check_cpu", {}) == "CPU: 0%, load average: 0.0"
    assert world.apply("list_top_processes", {}) == "no processes"


def test_a_restarted_service_starts_again() -> None:
    """A restart begins the checks, or the seconds, anew; a quick service runs at once."""
    world = World(
        (
            Services(
                (
                    Service("checks", ready_after_checks=1),
                    Service("seconds", state="failed", ready_after_s=5.0),
                    Service("quick", state="stopped"),
                )
            ),
        )
    )

    def status(service: str, seconds: int = 0) -> str:
        return world.apply("check_status", {"service": service}, at_ns=seconds * 10**9)

    def restart(service: str) -> None:
        world.apply("restart_service", {"host": "web-03", "service": service})

    assert status("quick") == "quick: stopped"
    restart("quick")
    assert status("quick") == "quick: running"
    for _ in range(2):
        restart("checks")
        assert status("checks") == "checks: starting (check 1 of 1)"
        assert status("checks") == "checks: running"
    assert status("seconds", 100) == "seconds: failed"
    restart("seconds")
    assert status("seconds", 104) == "seconds: starting (4 s)"
    assert status("seconds", 105) == "seconds: running"


def test_a_service_may_never_get_ready() -> None:
    """What begins starting, with nothing to wait for, starts for ever."""
    world = World((Services((Service("a", state="starting"),)),))
    for seconds in (0, 10**6):
        said = world.apply("check_status", {"service": "a"}, at_ns=seconds * 10**9)
        assert said == f"a: starting ({seconds} s)"


def test_a_log_shows_its_last_lines_and_the_restarts() -> None:
    """A log ends with what was done to the service, and by whom."""
    world = World((Services((Service("a", logs=("one", "two")), Service("b"))),))
    assert world.apply("read_logs", {"service": "b"}) == "the log is empty"
    assert world.apply("read_logs", {"service": "a", "lines": 1}) == "two"
    restart = {"host": "web-03", "service": "a"}
    world.apply("restart_service", {**restart, "confirmed_by": "operator-1"})
    world.apply("restart_service", restart)
    said = world.apply("read_logs", {"service": "a"})
    assert said == "one\ntwo\nrestarted by operator-1\nrestarted"


def test_a_service_on_two_hosts_needs_its_host() -> None:
    """Where the name alone does not tell, the tool asks for the host."""
    world = World((Services((Service("a", host="x"), Service("a", host="y"))),))
    with pytest.raises(ToolFailed, match="a runs on x, y: name the host"):
        world.apply("check_status", {"service": "a"})
    assert world.apply("check_status", {"service": "a", "host": "y"}) == "a: running"


def test_a_database_tells_its_state() -> None:
    """Accepting, out of connections, behind a silent host: each reads differently."""
    world = World((Database(),))
    ask = {"database": "main"}
    assert world.apply("check_database_status", ask) == (
        "main at db-01:5432: accepting connections (12 of 100 connections in use)"
    )
    world.database.connections = 100
    with pytest.raises(ToolFailed, match=r"too many connections \(100 of 100"):
        world.apply("check_database_status", ask)
    world.database.reachable = False
    with pytest.raises(ToolFailed, match="connection timed out"):
        world.apply("check_database_status", ask)


def test_the_restart_of_its_service_opens_a_database() -> None:
    """A database that refuses takes connections again when its service was restarted."""
    units = (Service("postgres", host="db-01"), Service("postgres", host="web-03"))
    world = World((Database(accepting=False, service="postgres"), Services(units)))
    world.apply("restart_service", {"host": "web-03", "service": "postgres"})
    with pytest.raises(ToolFailed, match="connection refused"):
        world.apply("check_database_status", {})
    world.apply("restart_service", {"host": "db-01", "service": "postgres"})
    said = world.apply("check_database_status", {})
    assert said.endswith("(0 of 100 connections in use)")


def test_every_host_of_the_world_can_be_pinged() -> None:
    """Hosts of all parts are known; one that any part knows to be down is silent."""
    world = World(
        (
            Database(host="web-03", reachable=False),
            Cpu(),
            Disk(host="files-01"),
            Services(),
        )
    )
    said = world.apply("ping_host", {"host": "files-01"})
    assert said == "files-01: 3 packets sent, 3 received"
    with pytest.raises(ToolFailed, match="web-03: host unreachable"):
        world.apply("ping_host", {"host": "web-03"})


def test_a_search_without_results_is_an_answer() -> None:
    """What is not listed has no results, and that is no error."""
    said = World((Search(),)).apply("search", {"query": "x"})
    assert said == "No results for 'x'"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Disk(used="lots"), "used: expected a size such as '95%' or '20 GB'"),
        (lambda: Disk(used="101%"), "used: expected 0 to 36400 MB, got '101%'"),
        (lambda: Disk(used=-1), "used: expected 0 to 36400 MB, got -1"),
        (lambda: Disk(used="10%", logs="11%"), "can't be more logs than is used"),
        (lambda: Disk(capacity_mb=0), "capacity_mb: expected 1 or more, got 0"),
        (
            lambda: World((Disk(),)).disk.fill("39%"),
            "fill: 40% are used already, got '39%'",
        ),
        (lambda: Process("a", -1), "process 'a': cpu_percent: expected 0 or more"),
        (lambda: Cpu(processes=(Process("a", 1),) * 2), "two are named 'a'"),
        (lambda: World((Cpu(),)).cpu.heat("ngnix", 1), "heat: unknown process 'ngnix'"),
        (lambda: Service("a", state="up"), "state: expected one of running, starting"),  # type: ignore[arg-type]
        (
            lambda: Service("a", ready_after_checks=1, ready_after_s=1),
            "ready_after_checks or ready_after_s, not both",
        ),
        (
            lambda: Service("a", ready_after_s=-1),
            "ready_after_s: expected 0 or more, got -1",
        ),
        (lambda: Services((Service("a"),) * 2), "has two services named 'a'"),
        (lambda: Database(connections=101), "connections: expected 0 to 100, got 101"),
    ],
)
def test_impossible_beginnings_are_refused(
    make: Callable[[], object], words: str
) -> None:
    """A spec that contradicts itself is a usage error that names the field."""
    with pytest.raises(UsageError) as caught:
        make()
    assert words in str(caught.value)


def test_a_list_of_processes_is_copied() -> None:
    """What a caller does to it later changes no run, and hides no process from one."""
    processes: Any = [Process("java", 90.0, 3.0)]
    spec = Cpu(processes=processes)
    assert World([spec]).apply("list_top_processes", {}) == "java 90.0%"
    processes.append(Process("mysqld", 50.0, 1.0))
    assert World([spec]).apply("list_top_processes", {}) == "java 90.0%"
    assert spec == Cpu(processes=(Process("java", 90.0, 3.0),))
