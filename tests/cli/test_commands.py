"""The commands do the main job: run, explore, replay, show, check, list, doctor."""

from __future__ import annotations

import inspect
import itertools
import json
import shlex
from pathlib import Path
from typing import get_args

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.cli.app import COMMANDS, load_command
from agentsim.cli.options.declared import for_typer
from tests.support.command import Done, agentsim
from tests.support.scenarios import FOLDER

HIGH_CPU = str(FOLDER / "high_cpu.yaml")
DISK_FULL = str(FOLDER / "disk_full.yaml")
DECLINED = str(FOLDER / "declined.yaml")

MUTANT = "agentsim.mutants:declined_call_runs"


def shown(done: Done) -> str:
    """What was printed, without the path of this checkout."""
    return done.out.replace(str(FOLDER), "scenarios")


def test_a_run_prints_its_timeline_and_its_verdict(snapshot: SnapshotAssertion) -> None:
    """The timeline, the table of invariants and the verdict read as they should."""
    done = agentsim("run", HIGH_CPU)
    assert (done.code, done.err) == (0, "")
    assert shown(done) == snapshot


def test_a_run_as_data_has_every_field(snapshot: SnapshotAssertion) -> None:
    """`run --json` tells status, usage, invariants, token and digest of a run."""
    done = agentsim("run", HIGH_CPU, "--json")
    data = done.data
    assert (data["verdict"], data["status"], data["iterations"]) == ("holds", "done", 5)
    assert {
        **data,
        "repeat": data["repeat"].replace(str(FOLDER), "scenarios"),
    } == snapshot


def test_a_broken_agent_is_caught_with_its_timeline(
    snapshot: SnapshotAssertion,
) -> None:
    """An exploration of a mutant shows what it broke, and ends with exit code 1."""
    done = agentsim("explore", DECLINED, "--agent", MUTANT, "--deviations", "0")
    assert done.code == 1
    told = shown(done).splitlines()
    assert [line for line in told if "runs/s" not in line] == snapshot


@pytest.mark.parametrize("mode", [("--runs", "30"), ("--deviations", "1")])
def test_the_line_that_repeats_a_failure_repeats_it(mode: tuple[str, str]) -> None:
    """Running the printed line gives the same violation, digest and exit code."""
    found = agentsim("explore", DECLINED, "--agent", MUTANT, *mode, "--json")
    assert found.code == 1
    for violation in found.data["violations"]:
        name, *words = shlex.split(violation["repeat"])
        assert name == "agentsim"
        again = agentsim(*words, "--json")
        assert again.code == 1
        assert again.data["trace_digest"] == violation["trace_digest"]
        assert again.data["invariants"][violation["invariant"]]["status"] == "violated"


def test_an_exhaustive_exploration_states_its_menu_and_is_complete() -> None:
    """`explore --deviations 1 --json` tells policy, menu and that nothing is left."""
    data = agentsim("explore", DISK_FULL, "--deviations", "1", "--json").data
    assert data["complete"] is True
    assert data["deviations_left"] == {"runs": 0, "exact": True}
    assert data["violations"] == []
    assert data["policy"] == "any_order"
    assert data["menu"] == "policy=any_order faults=own cancel"
    assert data["runs"] == sum(data["endings"].values())


def test_a_capped_exploration_is_honestly_incomplete() -> None:
    """With fewer runs than the bound has, `complete` is false and something is left."""
    data = agentsim(
        "explore", DISK_FULL, "--deviations", "1", "--runs", "5", "--json"
    ).data
    assert (data["runs"], data["complete"]) == (5, False)
    assert data["deviations_left"]["runs"] > 0


def test_what_was_required_and_never_met_makes_the_verdict_unknown() -> None:
    """A required crash that the menu does not offer gives exit code 2."""
    done = agentsim("explore", DISK_FULL, "--runs", "3", "--require", "crash", "--json")
    assert (done.code, done.data["unmet"]) == (2, ["crash"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--require", "crash"], "crash (it could not be: give --crash)"),
        (
            ["--require", "cancel", "--no-cancel"],
            "cancel (it could not be: give --cancel)",
        ),
        (["--require", "slow"], "slow (it could not be: give slow among --faults)"),
        (["--require", "hangs", "--faults", "hangs:check_disk@9"], "hangs"),
    ],
)
def test_what_no_run_could_meet_is_told_with_the_option(
    options: list[str], told: str
) -> None:
    """What was required, and is not on the menu, says what puts it there."""
    words = ("--runs", "1", "--deviations", "0", "--faults", "none", "--no-known")
    done = agentsim("explore", DISK_FULL, *words, *options)
    assert done.code == 2
    assert f"Named and never met: {told}" in done.out.splitlines()


def test_a_trace_is_written_shown_compared_and_checked(tmp_path: Path) -> None:
    """`run --trace` writes what `show` and `check` read, with the same digest."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    digest = agentsim("run", HIGH_CPU, "--trace", str(first), "--json").data[
        "trace_digest"
    ]
    agentsim("run", DISK_FULL, "--trace", str(second))
    data = agentsim("show", str(first), "--json").data
    assert (data["verdict"], data["trace_digest"]) == ("holds", digest)
    assert (
        "The traces are equal."
        in agentsim("show", str(first), "--diff", str(first)).out
    )
    assert agentsim("show", str(first), "--diff", str(second), "--json").data[
        "divergence"
    ]
    assert agentsim("check", str(first)).code == 0


def test_a_violating_trace_is_caught_by_check(tmp_path: Path) -> None:
    """`check` judges a trace of a broken agent by all invariants, as the run did."""
    path = tmp_path / "trace.jsonl"
    agentsim("run", DECLINED, "--agent", MUTANT, "--trace", str(path))
    done = agentsim("check", str(path))
    assert done.code == 1
    assert "confirmed-before-effect is violated" in done.out


def test_a_transcript_with_an_open_call_is_told_with_line_and_position(
    tmp_path: Path,
) -> None:
    """`check` names file, line, position and rule of a call without its result."""
    path = tmp_path / "session.json"
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "and?"},
    ]
    path.write_text(
        json.dumps({"model": "m", "messages": messages}, indent=1), encoding="utf-8"
    )
    done = agentsim("check", str(path))
    assert done.code == 1
    assert f"{path}:" in done.out
    assert "messages[" in done.out
    assert "unanswered" in done.out


def test_everything_that_can_be_named_is_listed() -> None:
    """`list --json` has the invariants, faults, mutants, tools and events."""
    data = agentsim("list", "--json").data
    for kind in ("invariants", "faults", "mutants", "tools", "events"):
        assert data[kind]
        assert agentsim("list", kind).out.startswith(f"{kind}:")


@pytest.mark.slow
def test_the_doctor_finds_this_machine_sound() -> None:
    """Interpreter, libraries, engine and determinism are as they must be."""
    done = agentsim("doctor", "--json")
    assert done.code == 0
    assert {check["passed"] for check in done.data["checks"]} == {True}


def test_help_names_every_command() -> None:
    """Without a command the help is printed, and names each of them."""
    done = agentsim("--help")
    assert done.code == 0
    for name in ("run", "explore", "replay", "show", "check", "list", "doctor"):
        assert name in done.out


@pytest.mark.parametrize("words", [(), ("run",), ("cassette",), ("cassette", "audit")])
def test_the_short_option_of_help_gives_the_same(words: tuple[str, ...]) -> None:
    """`-h` is `--help`, of all commands together, of a group and of one."""
    assert agentsim(*words, "-h") == agentsim(*words, "--help")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_has_every_word(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stands in brackets is shown as all else, and not taken for a style."""
    monkeypatch.setenv("COLUMNS", "400")
    shown = " ".join(agentsim(*name.split(), "--help").out.split())
    command = for_typer(load_command(name))
    parameters = inspect.signature(command).parameters.values()
    said = [get_args(parameter.annotation)[-1].help for parameter in parameters]
    for words in (inspect.getdoc(command) or "", *said):
        assert " ".join(words.split()) in shown


@pytest.mark.parametrize("words", [("cassette", "check"), ("check",), ("record",)])
def test_the_help_of_a_command_fills_its_lines(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paragraphs are broken where the terminal ends, and a repeated word has its dots once."""
    monkeypatch.setenv("COLUMNS", "100")
    lines = [line.strip() for line in agentsim(*words, "--help").out.splitlines()]
    prose = lines[: next(at for at, line in enumerate(lines) if "Arguments" in line)]
    assert prose[1].startswith(f"Usage: agentsim {' '.join(words)} [OPTIONS] ")
    assert not [dots for dots in ("...]", "...}") if dots in prose[1]]
    for line, after in itertools.pairwise(prose):
        assert not line or not after or len(f"{line} {after.split()[0]}") > 98
