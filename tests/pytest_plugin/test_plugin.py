"""What the plugin does beside the happy path, shown on one project of small tests."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.command import Done
from tests.support.inner import run_in
from tests.support.projects import run_pytest

pytestmark = pytest.mark.slow  # each starts pytest

PROJECT = '''
import json
import logging

import pytest

from agentsim import Scenario, call, explore, reference, say
from agentsim.core import Request, system, tool_result, user
from agentsim.world import Disk, Payments


async def loop(env, run):
    tools = {tool.name: tool for tool in env.tools}
    messages = [system("You help."), user(env.task)]
    while True:
        definitions = tuple(tool.definition for tool in env.tools)
        request = Request(env.model, tuple(messages), definitions, 0.0, None)
        response = await env.client.complete(request)
        messages.append(response.message)
        if not response.message.tool_calls:
            return response.message.content
        for asked in response.message.tool_calls:
            output = await run(tools[asked.name], json.loads(asked.arguments))
            messages.append(tool_result(asked.id, str(output)))


async def careless(env):
    """Run every tool without asking anybody."""

    async def run(tool, arguments):
        print("chat")
        logging.warning("log")
        return await tool.run(arguments)

    return await loop(env, run)


async def writes_again(env):
    """Run a tool again where its answer did not come."""

    async def run(tool, arguments):
        try:
            return await tool.run(arguments)
        except Exception:
            return await tool.run(arguments)

    return await loop(env, run)


@pytest.fixture
def cleaning(sim):
    sim.world.disk.fill("95%")
    sim.script(call("check_disk"), call("clean_logs"), say("Freed."))
    return sim


def test_both_fail(cleaning):
    cleaning.run(careless, "Clean.")
    assert cleaning.world.disk.used_percent == 99


@pytest.mark.xfail(raises=AssertionError, strict=True)
def test_known_bug(cleaning):
    cleaning.run(careless, "Clean.")


@pytest.fixture
def late(cleaning):
    yield cleaning
    cleaning.run(careless, "Clean.")


def test_run_in_a_teardown(late):
    pass


def test_snapshot(cleaning, snapshot):
    run = cleaning.run(reference, "Clean.")
    assert run == snapshot
    assert run.trace == snapshot
    assert {"run": run, "number": 1} == snapshot


@pytest.mark.agentsim(world=[Disk(used="50%")], deviations=0)
def test_marked(sim):
    assert repr(sim.world) == "<World: disk>"
    sim.script(call("check_disk"), say("Half."))
    sim.run(reference, "Look.")
    sim.run(reference, "Look again.")


@pytest.mark.agentsim(world=[Disk()], faults=["answer_lost:create_payment", "slow"])
def test_fault_that_never_strikes(sim):
    sim.add(Payments())
    sim.script(call("check_disk"), say("Half."))
    sim.run(reference, "Look.")


@pytest.mark.agentsim(faults=["answer_lost:write_file"])
@pytest.mark.parametrize("word", ["a b", "c$d'e"])
def test_writes_once(sim, word):
    sim.script(call("write_file", path="a", content=word), say("Written."))
    sim.run(writes_again, "Write it down.")


@pytest.mark.agentsim(word=1)
def test_wrong_marker(sim):
    pass


@pytest.mark.agentsim(faults=["slwo"])
def test_wrong_fault(sim):
    pass


def test_wrong_script(sim):
    sim.script(call("check_disk"))
    sim.run(careless, "Look.")


def test_without_the_fixture():
    script = [call("clean_logs"), say("Freed.")]
    scenario = Scenario(task="Clean.", world=[Disk()], script=script)
    explore(scenario, careless, deviations=0).expect_holds()


def test_skips(cleaning):
    pytest.skip("not today")


@pytest.mark.parametrize("number", [1])
def test_chatty(sim, number):
    sim.script(call("check_disk"), say("Half."))
    sim.run(careless, "Talk.")
    if number == 1 and sim.world.disk.used_percent == 40:
        print("so much for the test")
'''

CLEAN = ("--strict-config", "--strict-markers", "-W", "error", "-p", "no:cacheprovider")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of one file, with the snapshots that it has made."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "test_it.py").write_text(PROJECT, "utf-8")
    return folder


@pytest.fixture(scope="module")
def once(project: Path, installed: Path) -> Done:
    """The project run without any option, which makes its snapshots.

    In a process of its own: syrupy knows of one session in each.
    """
    options = ("--snapshot-update", "-v")
    return run_pytest(project, *CLEAN, *options, installed=installed, beside=["syrupy"])


@pytest.fixture(scope="module")
def again(project: Path, installed: Path, once: Done) -> Done:
    """The project run over all runs with one deviation, in a process of its own too."""
    options = (
        "--agentsim-deviations=1",
        "--agentsim-traces=traces",
        "--junitxml=x.xml",
        "-v",
    )
    return run_pytest(project, *CLEAN, *options, installed=installed, beside=["syrupy"])


def outcomes(done: Done) -> dict[str, str]:
    """Test -> how it ended, in the words of `-v`."""
    return dict(re.findall(r"^test_it.py::(.+?) ([A-Z]+)\b", done.out, re.MULTILINE))


def section(printed: str, name: str) -> str:
    """What stands under the heading of one failure."""
    _, _, rest = printed.partition(f"_ {name} _")
    return re.split(r"^_+ .* _+$", rest, maxsplit=1, flags=re.MULTILINE)[0]


def test_a_failure_of_the_test_and_a_violation_are_both_shown(once: Done) -> None:
    """The failure of the function comes first, and hides no violation."""
    assert outcomes(once)["test_both_fail"] == "FAILED"
    shown = section(once.out, "test_both_fail")
    own, beside = (
        shown.index("assert 40 == 99"),
        shown.index("and beside this failure:"),
    )
    violated = shown.index("confirmed-before-effect is violated:")
    assert own < beside < violated < shown.index("agentsim: timeline of ~")


def test_a_violation_can_be_expected(once: Done) -> None:
    """A violation is a failure of the test itself: `xfail` may expect it."""
    assert outcomes(once)["test_known_bug"] == "XFAIL"


def test_a_run_made_in_a_teardown_is_judged(once: Done) -> None:
    """What a fixture runs after the test makes an error of its teardown."""
    assert "ERROR at teardown of test_run_in_a_teardown" in once.out
    assert "confirmed-before-effect is violated" in section(
        once.out, "ERROR at teardown of test_run_in_a_teardown"
    )


def test_a_wrong_marker_is_said(once: Done) -> None:
    """The message lists what the marker can say."""
    assert (
        "mark.agentsim has no field 'word'; did you mean 'world'? "
        "(there are world, faults, deviations, runs, seed)" in once.out
    )


def test_a_wrong_fault_is_said(once: Done) -> None:
    """The message names the test and its marker."""
    assert (
        "UsageError: test_it.py::test_wrong_fault: mark.agentsim: faults[0]: unknown "
        "fault 'slwo'; did you mean 'slow'?" in once.out
    )


def test_errors_of_agentsim_show_the_frames_of_the_project_alone(once: Done) -> None:
    """What we raise says all itself, and how we came to it is not shown."""
    for name, line, words in (
        ("test_wrong_script", "    sim.run(careless", "the script ran out"),
        ("test_without_the_fixture", "    explore(scenario", "confirmed-before-effect"),
        ("ERROR at setup of test_wrong_fault", "", "unknown fault"),
    ):
        shown = section(once.out, name)
        assert f">   {line}" in shown or not line
        assert words in shown
        assert "agentsim/" not in shown
        assert "All traceback entries are hidden" not in shown


def test_a_full_trace_shows_all_frames(project: Path) -> None:
    """`--full-trace` is for those who look for a bug in agentsim."""
    words = ("--full-trace", "-k", "wrong_script")
    assert "agentsim/" in run_in(project, *words).out


def test_snapshots_of_runs_are_timelines(once: Done, project: Path) -> None:
    """Run and trace are stored as the lines of a timeline, alone or in other values."""
    assert outcomes(once)["test_snapshot"] == "PASSED"
    [file] = (project / "__snapshots__").iterdir()
    text = file.read_text("utf-8")
    assert text.count("world   ● clean_logs took effect\n") == 3
    assert "'number': 1" in text
    assert "object at" not in text


def test_tests_with_a_snapshot_are_run_once_and_said_so(again: Done) -> None:
    """No snapshot is compared with a repeated run."""
    assert outcomes(again)["test_snapshot"] == "PASSED"
    line = (
        "agentsim: run once, since a snapshot is of one run: test_it.py::test_snapshot"
    )
    assert line in again.out.splitlines()


def test_the_marker_goes_before_the_options(again: Done, project: Path) -> None:
    """`deviations=0` makes each run of the test once more, whatever the option says."""
    properties = figures(project / "x.xml")["test_marked"]
    assert properties["agentsim_deviations"] == "0"
    assert properties["agentsim_runs"] == "4"


def test_a_declared_fault_that_never_struck_is_said(again: Done, once: Done) -> None:
    """What the test names and no run met makes it unknown; without runs it is not."""
    assert outcomes(once)["test_fault_that_never_strikes"] == "PASSED"
    shown = section(again.out, "test_fault_that_never_strikes")
    assert "unknown: never met: answer_lost:create_payment\n" in shown


def test_declared_faults_strike_in_the_repeated_runs(
    once: Done, again: Done, project: Path
) -> None:
    """The answer is lost, and the write made twice; the line repeats it literally."""
    names = ["test_writes_once[a b]", "test_writes_once[c$d'e]"]
    assert [outcomes(once)[name] for name in names] == ["PASSED"] * 2
    for name in names:
        shown = section(again.out, name)
        assert "answer_lost strikes write_file" in shown
        [line] = re.findall(r"Repeat it: pytest (.*)", shown)
        words = shlex.split(line)
        repeated = run_in(project, *CLEAN, *words)
        assert "answer_lost strikes write_file" in repeated.out
        assert f"Repeat it: pytest {line}\n" in repeated.out


def test_repeated_runs_are_quiet(project: Path) -> None:
    """What the agent prints is shown of the run of the test, and not of all others."""
    words = ("-rP", "-k", "chatty", "--agentsim-runs=20")
    done = run_in(project, *CLEAN, *words)
    assert done.out.count("\nchat\n") == 1
    assert done.out.count("WARNING  root:") == 1
    assert "agentsim: 22 runs in 1 test\n" in done.out


def test_failing_traces_are_written(again: Done, project: Path) -> None:
    """Each failing run leaves its trace in the folder of the option."""
    files = sorted(file.name for file in (project / "traces").iterdir())
    assert "test_it.py-test_both_fail-0.jsonl" in files
    first = (project / "traces" / files[0]).read_text("utf-8").splitlines()[0]
    assert "scenario_digest" in json.loads(first)


def test_a_trace_that_can_not_be_written_hides_no_failure(project: Path) -> None:
    """The finding is told as ever, with what keeps its trace from being written."""
    words = ("-k", "both_fail", "--agentsim-traces=test_it.py/traces")
    done = run_in(project, *CLEAN, *words)
    assert " is violated: " in done.out
    assert "--agentsim-traces: can't write test_it.py/traces/" in done.out
    assert "Not a directory" in done.out


def figures(file: Path) -> dict[str, dict[str, str]]:
    """Test -> its properties in JUnit's file."""
    return {
        case.get("name", ""): {
            entry.get("name", ""): entry.get("value", "")
            for entry in case.iter("property")
        }
        for case in ET.parse(file).getroot().iter("testcase")
    }


def test_wrong_options_are_said_at_once(project: Path) -> None:
    """A number or a token that is none, or empty, ends the session at its start."""
    for words, said in (
        (
            ("--agentsim-runs=many",),
            "--agentsim-runs: expected a whole number of 0 or more, got 'many'",
        ),
        (
            ("--agentsim-replay=xyz",),
            "--agentsim-replay: 'xyz' is not a replay token such as",
        ),
        (
            ("--agentsim-replay=",),
            "--agentsim-replay: '' is not a replay token such as",
        ),
        (
            ("--agentsim-deviations=",),
            "--agentsim-deviations: expected a whole number of 0 or more, got ''",
        ),
    ):
        done = run_in(project, *words)
        assert done.code == pytest.ExitCode.USAGE_ERROR
        assert said in done.out


def test_random_runs_are_made(project: Path) -> None:
    """`--agentsim-runs` repeats each run so often, with the seed in the report."""
    options = ("--agentsim-runs=20", "--agentsim-seed=3", "--junitxml=y.xml")
    words = (*options, "-k", "marked or chatty", "-o", "agentsim_faults=slow")
    done = run_in(project, *CLEAN, *words)
    assert done.code == 0, done.out + done.err
    properties = figures(project / "y.xml")["test_chatty[1]"]
    assert properties["agentsim_seed"] == "3"
    assert properties["agentsim_runs"] == "22"
