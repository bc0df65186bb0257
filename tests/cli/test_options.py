"""Options do what they say, in text as in data."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from agentsim.cli.options.durations import parse_duration
from tests.support.command import agentsim
from tests.support.scenarios import FOLDER

HIGH_CPU = str(FOLDER / "high_cpu.yaml")
STUCK = str(FOLDER / "stuck_model.yaml")

UNMET = """\
task: How full is the disk?
world: {disk: {}}
faults: [{fault: raises, tool: check_disk, attempt: 2}]
script: [{call: check_disk}, {say: Half full.}]
"""

CHAT = [
    {"role": "user", "content": "hello"},
    {"role": "assistant", "content": "Good day."},
]


@pytest.fixture
def story(tmp_path: Path) -> str:
    """A scenario whose own fault never strikes."""
    path = tmp_path / "story.yaml"
    path.write_text(UNMET, encoding="utf-8")
    return str(path)


def test_a_fault_that_never_struck_makes_a_run_unknown(story: str) -> None:
    """Exit code 2, and the fault by its name and place, wherever the run is made."""
    unmet = "raises on check_disk, attempt 2"
    done = agentsim("run", story)
    assert done.code == 2
    assert f"Named and never met: {unmet}" in done.out
    data = agentsim("run", story, "--json").data
    assert (data["verdict"], data["unmet"]) == ("unknown", [unmet])
    found = agentsim("explore", story, "--deviations", "0", "--json")
    assert (found.code, found.data["unmet"]) == (2, [unmet])
    assert (
        f"Named and never met: {unmet}"
        in agentsim("explore", story, "--deviations", "0").out
    )


def test_the_menu_is_told_as_it_was_chosen() -> None:
    """Faults by name, by `all` and by `none`; cancellation and crash by their flags."""
    for options, menu in (
        (("--faults", "none", "--no-cancel"), "policy=any_order faults=none"),
        (("--faults", "slow, raises"), "policy=any_order faults=slow,raises cancel"),
        (
            ("--policy", "timed", "--faults", "", "--crash"),
            "policy=timed faults=none cancel crash",
        ),
    ):
        data = agentsim("explore", HIGH_CPU, "--runs", "2", *options, "--json").data
        assert data["menu"] == menu
    every = agentsim("explore", HIGH_CPU, "--runs", "1", "--faults", "all", "--json")
    assert every.data["menu"] == "policy=any_order faults=own cancel"


def test_random_and_exhaustive_explorations_tell_what_they_are() -> None:
    """The mode, its seed or bound, and whether anything is left."""
    at_random = agentsim(
        "explore", HIGH_CPU, "--runs", "4", "--seed", "3", "--json"
    ).data
    assert (at_random["mode"], at_random["seed"]) == ("random", 3)
    assert (at_random["runs"], at_random["deviations_left"]) == (4, None)
    assert at_random["runs_per_s"] > 0
    bounded = ("explore", HIGH_CPU, "--deviations", "1", "--faults", "none")
    whole = agentsim(*bounded, "--json").data
    assert (whole["mode"], whole["deviations"]) == ("exhaustive", 1)
    assert "Complete: every run within the bound was made." in agentsim(*bounded).out
    part = agentsim(*bounded, "--runs", "3")
    assert "Not complete: " in part.out
    two = agentsim("explore", HIGH_CPU, "--deviations", "2", "--runs", "3")
    assert "Not complete: at least " in two.out


def test_the_two_names_of_the_number_of_runs_mean_one_thing() -> None:
    """`--runs` and `--max-runs` both are the most runs that are made, in either mode."""
    for name in ("--runs", "--max-runs"):
        for mode in ((), ("--deviations", "2")):
            data = agentsim("explore", HIGH_CPU, *mode, name, "4", "--json").data
            assert (data["runs"], data["stopped_by"]) == (4, "runs")
            assert data["complete"] is False


def test_a_time_ends_an_exploration_honestly() -> None:
    """What is left, and that it is the time that is over, in both forms."""
    words = ("explore", HIGH_CPU, "--deviations", "3", "--time", "1ms")
    data = agentsim(*words, "--json").data
    assert (data["complete"], data["stopped_by"]) == (False, "time")
    assert data["deviations_left"]["runs"] > 0
    assert "runs are left, the time is over." in agentsim(*words).out
    at_random = agentsim("explore", HIGH_CPU, "--time", "1ms")
    assert "Stopped: the time is over." in at_random.out


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("5m", 300),
        ("1h30m", 5400),
        ("1.5s", 1.5),
        ("200ms", 0.2),
        ("7", 7),
    ],
)
def test_durations_are_read_as_people_write_them(text: str, seconds: float) -> None:
    """Hours, minutes, seconds and milliseconds, alone or together."""
    assert parse_duration(text, "--time") == seconds


def test_limits_that_end_most_runs_are_warned_of(tmp_path: Path) -> None:
    """A limit is an insurance: where it ends most runs unasked, somebody should look."""
    story = Path(STUCK).read_text(encoding="utf-8")
    unasked = tmp_path / "unasked.yaml"
    unasked.write_text(story[: story.index("expect:")], encoding="utf-8")
    words = ("--policy", "timed", "--runs", "2", "--faults", "none", "--no-cancel")
    assert "runs ended by a limit" in agentsim("explore", str(unasked), *words).out
    (warning,) = agentsim("explore", str(unasked), *words, "--json").data["warnings"]
    assert "a limit is an insurance, not a way to finish" in warning
    for calm in (HIGH_CPU, STUCK):
        assert agentsim("explore", calm, *words, "--json").data["warnings"] == []


def test_a_runtimes_own_events_are_shown_on_request(tmp_path: Path) -> None:
    """`--runtime-events` adds what the runtime says of itself, in every view."""
    path = str(tmp_path / "trace.jsonl")
    assert " runtime " not in agentsim("run", HIGH_CPU, "--trace", path).out
    for command in (("run", HIGH_CPU), ("show", path)):
        assert " runtime " in agentsim(*command, "--runtime-events").out
    plain = agentsim("show", path, "--json").data["timeline"]
    more = agentsim("show", path, "--runtime-events", "--json").data["timeline"]
    assert len(more) > len(plain)


def test_checks_of_several_files_come_to_the_worst(tmp_path: Path) -> None:
    """Each file has its row, traces and transcripts alike; the verdict is the worst."""
    trace, broken = tmp_path / "trace.jsonl", tmp_path / "broken.jsonl"
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    agentsim("run", HIGH_CPU, "--trace", str(trace))
    mutant = ("--agent", "agentsim.mutants:error_kills_loop")
    unreachable = str(FOLDER / "database_unreachable.yaml")
    agentsim("run", unreachable, *mutant, "--trace", str(broken))
    good.write_text(json.dumps({"model": "m", "messages": CHAT}), encoding="utf-8")
    stray = {"role": "tool", "tool_call_id": "x", "content": "?"}
    bad.write_text(json.dumps({"model": "m", "messages": [*CHAT, stray]}), "utf-8")
    files = [str(path) for path in (trace, good)]
    calm = agentsim("check", *files, "--json")
    assert (calm.code, calm.data["verdict"]) == (0, "holds")
    assert [row["kind"] for row in calm.data["files"]] == ["trace", "transcript"]
    for one in (broken, bad):
        worst = agentsim("check", *files, str(one), "--json")
        assert (worst.code, worst.data["verdict"]) == (1, "violated")
        assert worst.data["files"][-1]["verdict"] == "violated"
        assert agentsim("check", *files, str(one)).code == 1
    assert "a trace judged by all invariants" in agentsim("check", *files).out


def test_what_a_transcript_leaves_open_is_noted(tmp_path: Path) -> None:
    """State that the server holds gives unknown and exit code 2, with the reason."""
    path = tmp_path / "stateful.json"
    request = {
        "model": "m",
        "previous_response_id": "resp_1",
        "input": [{"type": "function_call_output", "call_id": "a", "output": "x"}],
    }
    path.write_text(json.dumps(request), encoding="utf-8")
    done = agentsim("check", str(path))
    assert done.code == 2
    assert "note: " in done.out


def test_a_file_that_cannot_be_read_is_no_trace(tmp_path: Path) -> None:
    """A folder is told as such."""
    done = agentsim("show", str(tmp_path))
    assert (done.code, done.out) == (3, "")
    assert "this is no regular file" in done.err


def test_equal_traces_are_told_in_both_forms(tmp_path: Path) -> None:
    """Without a divergence the data has null, and the text a sentence."""
    path = str(tmp_path / "trace.jsonl")
    agentsim("run", HIGH_CPU, "--trace", path)
    assert agentsim("show", path, "--diff", path, "--json").data["divergence"] is None
    assert "The traces are equal." in agentsim("show", path, "--diff", path).out
    assert "divergence" not in agentsim("show", path, "--json").data


def test_a_failure_is_saved_as_a_scenario_that_repeats_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file holds the shortest story, and the line in it gives the same failure."""
    monkeypatch.chdir(tmp_path)
    agent = ("--agent", "agentsim.mutants:unknown_tool_kills_loop")
    words = ("explore", HIGH_CPU, *agent, "--deviations", "1", "--faults")
    done = agentsim(*words, "unknown_tool", "--save-failure", "bad.yaml", "--json")
    assert done.code == 1
    assert done.data["saved"] == "Saved: bad.yaml shows result-always."
    (violation,) = done.data["violations"]
    text = Path("bad.yaml").read_text(encoding="utf-8")
    assert text.endswith(violation["story"]["yaml"])
    (line,) = [line for line in text.splitlines() if line.startswith("# Repeat it: ")]
    name, *again = shlex.split(line.removeprefix("# Repeat it: "))
    assert name == "agentsim"
    repeated = agentsim(*again, "--json")
    assert repeated.code == 1
    assert repeated.data["trace_digest"] == violation["story"]["trace_digest"]


def test_nothing_is_saved_where_nothing_fails(tmp_path: Path) -> None:
    """The report says so, and no file is made."""
    path = tmp_path / "bad.yaml"
    done = agentsim("explore", HIGH_CPU, "--runs", "2", "--save-failure", str(path))
    assert (done.code, path.exists()) == (0, False)
    assert "Not saved: there is no failure that a file could show." in done.out


def test_known_failures_are_kept_replayed_and_reported() -> None:
    """The next exploration begins with them; `--no-known` neither reads nor writes any."""
    agent = ("--agent", "agentsim.mutants:unknown_tool_kills_loop")
    words = ("explore", HIGH_CPU, *agent, "--faults", "unknown_tool")
    assert agentsim(*words, "--deviations", "1", "--no-known").code == 1
    assert not Path(".agentsim").exists()
    first = agentsim(*words, "--deviations", "1", "--json")
    assert first.data["known"]["failing"] == []
    calm = agentsim(*words, "--deviations", "0", "--no-known", "--json")
    assert (calm.code, calm.data["known"]) == (0, None)
    again = agentsim(*words, "--deviations", "0", "--json")
    assert (again.code, again.data["violated_runs"]) == (1, 0)
    (violation,) = again.data["violations"]
    assert (violation["known"], violation["runs"]) == (True, 0)
    assert [one["invariant"] for one in again.data["known"]["failing"]] == [
        "result-always"
    ]
    text = agentsim(*words, "--deviations", "0").out
    assert "Known failures: 1 replayed, 1 still failing." in text
