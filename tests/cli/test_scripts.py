"""What a script that calls `agentsim` may rely on: codes, JSON, streams, signals."""

from __future__ import annotations

import errno
import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agentsim.cli import main, output
from agentsim.core import InternalError
from agentsim.simulation import verdict
from tests.support.command import agentsim
from tests.support.scenarios import FOLDER

HIGH_CPU = str(FOLDER / "high_cpu.yaml")

AGENTS = """
import logging
import sys

print("imported")


async def prints(env):
    from agentsim.runtime import reference

    print("thinking")
    print("muttering \\udc80", file=sys.stderr)
    logging.getLogger("agent").warning("retrying")
    return await reference(env)


async def keyboard(env):
    raise KeyboardInterrupt


async def interrupted(env):
    import os
    import signal
    from agentsim.runtime import reference

    RUNS.append(0)
    if len(RUNS) == 9:
        # A child of a background job ignores the keyboard, and would go on.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.kill(os.getpid(), signal.SIGINT)
    return await reference(env)


async def fails_then_stops(env):
    RUNS.append(0)
    if len(RUNS) % 10 == 9:
        raise KeyboardInterrupt
    raise ValueError("no")


async def raises(env):
    raise ValueError("no [bold]idea[/bold] \\x1b[31m")


RUNS = []


async def counts(env):
    import asyncio
    from agentsim.runtime import reference

    RUNS.append(0)
    await asyncio.sleep(len(RUNS))
    return await reference(env)
"""

STORY = """
from agentsim import Scenario, say

story = Scenario("Say so.", [say("So.")], name="a [red]story[/red]\\nin two lines")
number = 3
"""

SHORT = 'task: t\nscript: [{say: "So."}]\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with agents and scenarios, with a space in its name."""
    place = tmp_path / "my project"
    place.mkdir()
    (place / "cli_agents.py").write_text(AGENTS, encoding="utf-8")
    (place / "cli_story.py").write_text(STORY, encoding="utf-8")
    (place / "my story.yaml").write_text(SHORT, encoding="utf-8")
    monkeypatch.chdir(place)
    monkeypatch.syspath_prepend(place)
    for name in ("cli_agents", "cli_story"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return place


# ------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        (("run", "missing.yaml", "--json"), 3, "usage"),
        (("run", "--json", "--frobnicate"), 3, "usage"),
        (("frobnicate", "--json"), 3, "usage"),
        (("explore", HIGH_CPU, "--json", "--runs", "0"), 3, "usage"),
        (("replay", HIGH_CPU, "0:1~0000", "--json"), 3, "usage"),
        (("check", "missing.json", "--json"), 3, "usage"),
        (("show", "missing.jsonl", "--json"), 3, "usage"),
        (("list", "mutant", "--json"), 3, "usage"),
    ],
)
def test_an_error_is_data_where_data_was_asked_for(
    words: tuple[str, ...], code: int, kind: str
) -> None:
    """With `--json` stdout has one object that says what stderr says in a sentence."""
    done = agentsim(*words)
    assert done.code == code
    assert done.data["schema_version"] == 1
    assert done.data["verdict"] == kind
    assert done.err == f"agentsim: {done.data['error']}\n"


def test_what_stands_behind_two_dashes_is_no_option() -> None:
    """`--json` there is a name, and the error is told as to a person."""
    done = agentsim("run", "--", "--json")
    assert (done.code, done.out) == (3, "")


def test_no_command_prints_the_help_and_is_a_mistake() -> None:
    """A script that lost its arguments must not take it for a verdict that holds."""
    done = agentsim()
    assert done.code == 3
    assert "Usage" in done.out


def test_our_own_bugs_are_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 4, one sentence that asks for a report, no traceback."""

    def fails(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(verdict, "judge", fails)
    judged = agentsim("run", HIGH_CPU, "--json")
    assert (judged.code, judged.data["verdict"]) == (4, "internal")
    assert judged.err.startswith("agentsim: internal error, please report it: judging")
    from agentsim.cli import run_command

    monkeypatch.setattr(run_command, "run", fails)
    done = agentsim("run", HIGH_CPU)
    words = "internal error, please report it: ZeroDivisionError: by zero"
    assert (done.code, done.out, done.err) == (4, "", f"agentsim: {words}\n")
    assert issubclass(InternalError, Exception)


def test_a_finding_that_stops_a_command_counts_as_violated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A run that differs from what was expected of it is no mistake of the user."""
    from agentsim.cli import run_command
    from agentsim.core import NondeterminismError

    def differs(*_: object, **__: object) -> None:
        raise NondeterminismError("the same choices gave another run")

    monkeypatch.setattr(run_command, "run", differs)
    done = agentsim("run", HIGH_CPU, "--json")
    assert (done.code, done.data["verdict"]) == (1, "violated")


@pytest.mark.usefixtures("folder")
def test_the_keyboard_stops_a_command() -> None:
    """Ctrl-C gives 130, as shells have it, and a word."""
    done = agentsim("explore", HIGH_CPU, "--agent", "cli_agents:keyboard", "--json")
    assert done.code == 130
    assert done.data["verdict"] == "stopped"
    assert done.err == "agentsim: stopped by the keyboard\n"


@pytest.mark.usefixtures("folder")
def test_a_stopped_exploration_tells_what_it_found() -> None:
    """Ctrl-C gives 130 and the report so far, as text and as one JSON object."""
    words = ("explore", HIGH_CPU, "--agent", "cli_agents:fails_then_stops")
    done = agentsim(*words, "--runs", "50", "--json")
    assert (done.code, done.err) == (130, "agentsim: stopped by the keyboard\n")
    data = done.data
    assert (data["verdict"], data["stopped_by"]) == ("stopped", "keyboard")
    assert 0 < data["runs"] < 50
    violations = data["violations"]
    assert violations
    assert not any(entry["shrunk"] for entry in violations)
    text = agentsim(*words, "--runs", "50")
    assert text.code == 130
    assert "stopped by the keyboard" in text.out
    assert "Not made smaller: " in text.out


# ------------------------------------------------------------------------------ streams


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["run", "replay", "explore"])
def test_what_an_agent_prints_is_kept_apart(command: str) -> None:
    """The output is the command's own; of many runs prints and logs are left out."""
    token = agentsim("run", HIGH_CPU, "--json").data["token"]
    words = {
        "run": ("run", HIGH_CPU),
        "replay": ("replay", HIGH_CPU, token),
        "explore": ("explore", HIGH_CPU, "--runs", "3"),
    }[command]
    done = agentsim(*words, "--agent", "cli_agents:prints", "--json")
    assert done.data["verdict"] == "holds"
    if command == "explore":
        assert done.err == ""
    else:
        assert done.err.startswith("imported\nthinking\nmuttering ")


@pytest.mark.usefixtures("folder")
def test_texts_of_agents_and_files_are_printed_as_they_are() -> None:
    """No markup is read, no control character gets through, and a name is one line."""
    done = agentsim("run", "cli_story:story", "--agent", "cli_agents:raises")
    assert "\x1b" not in done.out
    assert "no [bold]idea[/bold] \\u001b[31m" in done.out
    assert "a [red]story[/red]" in done.out.splitlines()[-2]


@pytest.mark.usefixtures("folder")
def test_the_line_that_repeats_is_quoted_for_a_shell() -> None:
    """A file with a space in its name can be pasted back."""
    import shlex

    done = agentsim("run", "my story.yaml", "--json")
    name, *words = shlex.split(done.data["repeat"])
    assert name == "agentsim"
    assert agentsim(*words, "--json").data["trace_digest"] == done.data["trace_digest"]


@pytest.mark.usefixtures("folder")
def test_a_scenario_of_a_module_is_run() -> None:
    """`module:attribute` names a scenario; what is none is told."""
    assert agentsim("run", "cli_story:story", "--json").data["verdict"] == "holds"
    done = agentsim("run", "cli_story:number")
    assert done.code == 3
    assert "'cli_story:number' is no Scenario but a int" in done.err


@pytest.mark.usefixtures("folder")
def test_runs_that_hang_on_each_other_are_repeated_by_exploring() -> None:
    """The line to repeat them is that of the exploration: one run shows nothing."""
    agent = ("--agent", "cli_agents:counts")
    for mode in (("--runs", "3"), ("--deviations", "0")):
        words = ("explore", HIGH_CPU, *agent, *mode, "--no-cancel", "--faults", "none")
        done = agentsim(*words, "--json")
        assert done.code == 1
        (violation,) = done.data["violations"]
        assert violation["invariant"] == "runs-independent"
        assert violation["repeat"].startswith(f"agentsim explore {HIGH_CPU} --agent")
        assert " ".join(mode) in violation["repeat"]
        assert violation["repeat"].endswith("--faults=none --no-cancel")
        told = agentsim(*words)
        assert violation["repeat"] in told.out


def test_the_output_is_the_same_whatever_the_terminal_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where stdout is no terminal, neither its size nor its kind shows."""
    plain = agentsim("run", HIGH_CPU).out
    for name, value in (("COLUMNS", "40"), ("TERM", "dumb"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
        assert agentsim("run", HIGH_CPU).out == plain


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_colours_and_a_progress_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Colours on stdout unless `NO_COLOR` says otherwise; the bar is on stderr."""
    from agentsim.cli import main

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def printed() -> tuple[str, str]:
        out, err = Terminal(), Terminal()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        with pytest.raises(SystemExit):
            main(["explore", HIGH_CPU, "--runs", "3"])
        return out.getvalue(), err.getvalue()

    out, err = printed()
    assert "runs" in err
    assert "high_cpu: holds" in out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[31m" not in printed()[0]


class Closed(io.StringIO):
    """A stream whose reader went away, or whose disk is full."""

    def __init__(self, error: OSError, *, at_flush: bool = False) -> None:
        super().__init__()
        self.error = error
        self.at_flush = at_flush

    def write(self, text: str) -> int:
        if self.at_flush:
            return len(text)
        raise self.error

    def flush(self) -> None:
        raise self.error


def pipe() -> OSError:
    """What a closed pipe says."""
    return BrokenPipeError(errno.EPIPE, "Broken pipe")


def full() -> OSError:
    """What a full disk says."""
    return OSError(errno.ENOSPC, "No space left on device")


def into(stream: Closed, *words: str) -> int:
    """The exit code of a command that prints into a stream."""
    from agentsim.cli import main

    before, sys.stdout = sys.stdout, stream
    try:
        with pytest.raises(SystemExit) as end:
            main(words)
    finally:
        sys.stdout = before
    assert isinstance(end.value.code, int)
    return end.value.code


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_a_reader_that_goes_away_does_not_change_a_verdict(
    options: tuple[str, ...],
) -> None:
    """`agentsim run ... | head` ends with the code of the verdict, or as shells have it."""
    code = into(Closed(pipe()), "run", HIGH_CPU, *options)
    assert code in (0, 141)
    assert into(Closed(pipe(), at_flush=True), "run", HIGH_CPU, *options) in (0, 141)
    assert into(Closed(pipe()), "--help") == 141


@pytest.mark.parametrize("make", [Closed, lambda e: Closed(e, at_flush=True)])
def test_a_full_disk_is_told(
    make: Callable[[OSError], Closed], capsys: pytest.CaptureFixture[str]
) -> None:
    """What can't be written is said, and no bug of ours."""
    for options in ((), ("--json",)):
        assert into(make(full()), "list", "faults", *options) == 3
        told = capsys.readouterr().err
        assert told == "agentsim: can't write the output: No space left on device\n"


def test_silence_needs_no_real_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where stdout is a text in memory there is nothing to send elsewhere."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    output.silence_output()
    output.accept_any_text()
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    output.accept_any_text()
    assert stream.errors == "backslashreplace"


def test_closed_streams_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a shell closed stdin or stdout (`>&-`) the exit code is what it is else."""
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit) as ended:
        main(["list", "faults"])
    assert ended.value.code == 0
    opened = sys.stdin, sys.stdout
    assert all(stream.fileno() > 2 for stream in opened)  # those below are in use here
    assert opened[0].read() == ""
    for stream in opened:
        stream.close()


# ---------------------------------------------------------------------- real processes


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_a_command_holds_with_any_stream_closed(closed: str) -> None:
    """So it is where the process begins without them."""
    words = shlex.join(
        child("explore", HIGH_CPU, "--runs=9", "--workers=2", "--no-known")
    )
    assert (
        subprocess.run(["sh", "-c", f"{words} {closed}"], check=False).returncode == 0
    )


def child(*words: str) -> list[str]:
    """The words that run the command line in a process of its own."""
    return [sys.executable, "-m", "agentsim.cli", *words]


@pytest.mark.slow
def test_a_pipe_that_closes_early_makes_no_noise() -> None:
    """`| head -1` of much output: the verdict's code, and nothing on stderr."""
    with subprocess.Popen(
        child("list", "--json"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(20) in (0, 141)


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_ctrl_c_ends_an_exploration_at_once() -> None:
    """A million runs are left with one sentence and code 130."""
    agent = ("--agent", "cli_agents:interrupted")
    words = child("explore", HIGH_CPU, *agent, "--runs", "1000000", "--json")
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert json.loads(done.stdout)["verdict"] == "stopped"
    assert done.stderr == "agentsim: stopped by the keyboard\n"


@pytest.mark.slow
def test_a_terminal_without_unicode_gets_escapes() -> None:
    """An ASCII terminal shows everything, if less nicely."""
    done = subprocess.run(
        child("run", HIGH_CPU),
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u256d" in done.stdout
