"""`agentsim doctor`: whether this machine, or an agent, gives what simulations need."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import Annotated

from agentsim.cli.common import REFERENCE, JsonOption
from agentsim.cli.determinism.comparing import compare
from agentsim.cli.determinism.processes import Asked
from agentsim.cli.determinism.telling import comparison_data, comparison_lines
from agentsim.cli.options.bundles import unbundled
from agentsim.cli.options.declared import Option
from agentsim.cli.output import console, print_json, tell
from agentsim.core import AgentsimError, UsageError
from agentsim.engine import Replay, self_test
from agentsim.providers import call, say
from agentsim.simulation import Scenario, run
from agentsim.world import Disk

__all__ = ["command"]

DISTRIBUTIONS = ("pydantic", "PyYAML", "jsonschema-rs", "typer", "rich")

HASH_SEEDS = ("1", "2")

CHILD_SECONDS = 60

Check = tuple[str, bool, str]


RUNS = 100
"""How many runs are compared, unless their number is given."""

PROCESSES = 2


@dataclass(frozen=True)
class Comparison:
    """Which runs of an agent are compared, and in how many processes."""

    scenario: Annotated[
        str | None,
        Option(
            "--determinism",
            metavar="SCENARIO",
            says="Compare the runs of an agent in several processes.",
        ),
    ] = None
    agent: Annotated[
        str | None,
        Option(
            "--agent",
            metavar="MODULE:CALLABLE",
            says="The agent; the reference runtime by default.",
        ),
    ] = None
    runs: Annotated[
        int | None,
        Option("--runs", least=1, says=f"So many runs; {RUNS} by default."),
    ] = None
    processes: Annotated[
        int | None,
        Option(
            "--processes", least=2, says=f"So many processes; {PROCESSES} by default."
        ),
    ] = None

    @property
    def asked(self) -> Asked | None:
        """What is to be run in each process, or None where nothing is to be compared.

        Raises:
            UsageError: for the details of a comparison without one.
        """
        if self.scenario is not None:
            return Asked(self.scenario, self.agent or REFERENCE, self.runs or RUNS)
        given = {
            "--agent": self.agent,
            "--runs": self.runs,
            "--processes": self.processes,
        }
        for name, value in given.items():
            if value is not None:
                raise UsageError(f"{name}: say what to run by --determinism SCENARIO")
        return None


@unbundled
def command(comparison: Comparison, as_json: JsonOption = False) -> int:
    """Check the interpreter, the libraries, the engine and determinism.

    With `--determinism` check an agent instead: the same runs, with every fault,
    cancellation and crash, are made in several processes with other hash seeds and heaps,
    and again from their tokens, and must give the same traces.
    """
    asked = comparison.asked
    if asked is not None:
        return _compare(asked, comparison.processes or PROCESSES, as_json=as_json)
    checks = [check() for check in (_python, _libraries, _engine, _determinism)]
    sound = all(passed for _, passed, _ in checks)
    if as_json:
        print_json(
            {
                "verdict": "holds" if sound else "violated",
                "checks": [
                    {"name": name, "passed": passed, "words": words}
                    for name, passed, words in checks
                ],
            }
        )
    else:
        for name, passed, words in checks:
            mark = "ok  " if passed else "FAIL"
            tell(console(), f"{mark} {name}: {words}")
    return 0 if sound else 1


def _compare(asked: Asked, processes: int, *, as_json: bool) -> int:
    made = compare(asked, processes)
    if as_json:
        print_json(comparison_data(made, asked))
    else:
        for line in comparison_lines(made, asked):
            tell(console(), line)
    return 0 if made.divergence is None else 1


def _python() -> Check:
    supported = (
        sys.version_info >= (3, 11) and platform.python_implementation() == "CPython"
    )
    words = f"{platform.python_implementation()} {platform.python_version()}"
    return (
        "interpreter",
        supported,
        words if supported else f"{words}: CPython 3.11+ is needed",
    )


def _libraries() -> Check:
    found: list[str] = []
    for name in DISTRIBUTIONS:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            return (
                "libraries",
                False,
                f"{name} is missing: install pytest-agentsim again",
            )
    return "libraries", True, ", ".join(found)


def _engine() -> Check:
    try:
        self_test()
    except AgentsimError as error:
        return "engine", False, str(error)
    return "engine", True, "this asyncio is as the engine assumes"


def _determinism() -> Check:
    digests = {seed: _digest_in_child(seed) for seed in HASH_SEEDS}
    digests["this process"] = sample_digest()
    if len(dict.fromkeys(digests.values())) == 1:
        return "determinism", True, f"one trace in three processes ({sample_digest()})"
    told = ", ".join(f"{name}: {digest}" for name, digest in digests.items())
    return "determinism", False, f"the same run gave several traces: {told}"


def sample_digest() -> str:
    """The digest of the trace of a small scenario."""
    sample = Scenario(
        "How full is the disk?",
        [call("check_disk"), say("It is half full.")],
        world=[Disk()],
    )
    return run(sample, choices=Replay({})).trace.digest()


def _digest_in_child(hash_seed: str) -> str:
    code = (
        "from agentsim.cli.doctor_command import sample_digest; print(sample_digest())"
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            timeout=CHILD_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return "no answer"
    return done.stdout.strip() or "no answer"
