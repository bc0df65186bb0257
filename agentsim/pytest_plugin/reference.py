"""The reference page of the pytest plugin, made from what it declares."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from agentsim.cassettes.deck import Deck
from agentsim.pytest_plugin.cassettes.naming import NAME_BYTES_MAX
from agentsim.pytest_plugin.options import OPTIONS
from agentsim.pytest_plugin.sim import WORLD, Sim

__all__ = ["pytest_page"]

_HEAD = """\
# The pytest plugin

<!-- Made from the plugin by `make docs`; a test compares the two. -->

The plugin is installed with the package and does nothing until a test asks for one of
its fixtures: `sim` simulates, `cassette` records a real session once and replays it for
ever. [Test in CI](../how-to/test-in-ci.md) shows `sim` at work.

"""

_JUDGED = """\
Every run that a test makes is judged by all invariants once the function of the test is
through: a violation fails the test, whatever it asserts. If the function failed itself,
its failure comes first, and the violation is told below it.

A test that passes though its function says what happens in a run (`sim.script`, `sim.faults`,
`sim.limits`, `sim.human`, names for `sim.tools`) and never asks for one is an error at its
teardown: nothing would have been checked. `sim.scenario(...)`, and a run that is refused,
count as asked for; what fixtures say does not count, since not each test that shares them
has to run, and neither does a world that is only set up and looked at. Where a case has
nothing to run, let it `pytest.skip(...)`, or say the script only where it is run.

Without more, the world has these parts, as they are by default: {world}.
"""

_OUTSIDE = """
Outside of pytest, in a notebook for instance, `agentsim.pytest_plugin.Sim()` makes one;
there `run.expect_holds()` judges.
"""

_CASSETTE = """
## Fixture `cassette`

A recorded session that answers the agent of a test, or is recorded in it. It is a
`agentsim.cassettes.deck.Deck`, and works in async tests as in others: it needs no event
loop of its own.

| | |
|---|---|
"""

_CASSETTES = """
Each test has a cassette of its own, `cassettes/<file of tests>/<class.name-parameters>.yaml`
beside its file: what is no letter, digit, `_`, `.` or `-` becomes `-`, and a name of more
than {bytes_max} bytes is cut. Two tests whose names come to one file are an error of the
collection. A cassette says whose it is, and refuses the others; a file that the marker
names has no owner, and may be shared.

Nothing goes out unless `--agentsim-record=MODE` is given, or the marker has a mode: then
what is missing is asked for live. The command line goes before the marker, and where the
variable `CI` is set, only the command line can ask for it. A replay refuses all that leaves
the process, and a test that records may reach the network, `--agentsim-no-network` or not.

| mode | |
|---|---|
| `replay` | Answer from the cassette. |
| `record` | Ask live, and write a new cassette. |
| `record-missing` | Answer what is there, ask live for the rest, and append it. |
| `refresh` | Answer what is there and not too old, ask live for the rest, and write a \
new cassette without what nobody asked for. |

A request that was not recorded fails the test, whatever the agent made of the error, and so
does what was about to leave the process. A new cassette takes the place of an old one only
if the function of the test passed; else it stays beside it, as `NAME.yaml.new`.

At the end of a session one line for each mode tells how many requests and calls of tools
were answered (hits), not found (misses) and asked live, and what nobody asked for
(untouched); tests with something else than hits have a line each, with `-v` all. Which test
used which cassette, and what had changed, is kept in `.agentsim/cassettes.json` below
pytest's root, for `agentsim cassette check`.
"""

_OPTIONS = """
## Options

Each can stand on the command line, or in the ini file by the name in the second column.
The marker of a test goes before both.

| option | ini key | |
|---|---|---|
"""

_REPEATED = """
What is repeated is each `sim.run(...)` of a test that passed, with its agent and scenario
as they were, and not the function of the test: its assertions judge its own runs, the
invariants judge all. Faults that `sim.faults(...)` names strike in the repeated runs as
well; those of the marker and of `--agentsim-faults` may strike there. A test that uses a
`snapshot` is run once, and the summary says so. What agents print and log in the repeated
runs is dropped, but for the failing ones, which tell it. Failures are kept in `.agentsim/`
below pytest's root and made again first, until they are mended. An error of usage ends the
repetition and fails the test; what was found before it is told below it, and kept.
"""

_MARKER = """
## Marker

`@pytest.mark.agentsim(...)` takes these by name; the closest one counts.

| field | |
|---|---|
| `world` | The parts of the world, in place of all of them. |
| `faults` | Faults that may strike in the repeated runs. With \
`deviations`, the test is unknown, and fails, if one struck in none of them. |
| `deviations`, `runs`, `seed` | As the options of these names. |

`@pytest.mark.agentsim_cassette(...)` takes these; alone it asks for the fixture too. The
closest one counts, but lists add up.

| field | |
|---|---|
| `path` | A file, seen from the folder of the test's file; it may stand first, without \
its name. |
| `mode` | What is done with it, unless `--agentsim-record` says otherwise. |
| `redact` | Regular expressions for what else is secret; all that one matches is replaced. |
| `secrets` | Secrets by their value; None, as of a variable that is not set, is none. |
| `keep_headers` | Names of further headers to keep. |
| `volatile` | Regular expressions for what may differ in requests beside ids and times. |
| `allow_hosts` | What a replay lets through all the same: names, also with `*`, addresses, \
networks, each with or without a port. |
| `max_age`, `fail_unused` | As `--agentsim-cassette-max-age` and `--agentsim-fail-unused`. |
| `timed` | Whether recorded answers take the time that they took. |

## Without network

With `--agentsim-no-network` each test fails that connects to another machine or looks up a
name, in setup, call or teardown, with a sentence that says who asked for what. On the
test's own thread the attempt raises pytest's `Failed`, which no `except Exception` takes;
on other threads a `PermissionError`; swallowed, the test fails at the end of the phase.
Threads that were there before the tests, such as those of pytest-xdist, are let be.

Let through are loopback addresses, `localhost` and the machine's own name, local sockets,
and `agentsim_allow_hosts`: names (`db`, `*.example.com`) with the addresses that they have,
addresses, and networks (`10.0.0.0/8`), each with or without a port (`db:5432`); on the
command line separated by commas, in the ini file one a line.
`@pytest.mark.agentsim_network` lets one test reach everything, and
`@pytest.mark.agentsim_network("api.example.com")` that host. Programs and servers are not
judged, and clients written in C (grpc, psycopg, pycurl) are not seen. In a simulation more
is refused, whatever is let through here.

## Properties

They stand in JUnit's file, at the test, and in the reports of pytest.

| property | |
|---|---|
| `agentsim_runs` | How many runs were made, the repeated ones included. |
| `agentsim_verdict` | `holds`, `violated` or `unknown`. |
| `agentsim_deviations` | The bound of an exhaustive repetition. |
| `agentsim_seed` | The seed of a random one. |
| `agentsim_token` | The token of each failing run. |
| `agentsim_replayed` | The token, at the test that it belongs to. |
| `agentsim_once` | Why a test was run once. |
| `agentsim_note` | What a run met beside itself and did not refuse, each once. |
| `agentsim_cassette` | The cassette of the test, seen from pytest's root. |
| `agentsim_cassette_use` | What was made of it, in words. |

## Snapshots

With [syrupy](https://syrupy-project.github.io/syrupy/) installed, its `snapshot` stores
runs and traces as timelines: `assert run == snapshot`. The extension is
`agentsim.pytest_plugin.TimelineExtension`; it stores everything else as syrupy does, and
stands aside where `--snapshot-default-extension` names another.
"""


def pytest_page() -> str:
    """The text of `docs/reference/pytest.md`."""
    world = ", ".join(f"`{spec.kind}`" for spec in WORLD)
    parts = [
        _HEAD,
        "## Fixture `sim`\n\n",
        _JUDGED.format(world=world),
        "\n| | |\n|---|---|\n| `sim.world` | ",
        "The live world: set it up before a run, look at it afterwards. |\n",
        *_methods(Sim, "sim"),
        _OUTSIDE,
        _CASSETTE,
        *_methods(Deck, "cassette"),
        _CASSETTES.format(bytes_max=NAME_BYTES_MAX),
        _OPTIONS,
        *_options(),
        _REPEATED,
        _MARKER,
    ]
    return "".join(parts)


def _methods(of: type, called: str) -> Iterator[str]:
    for name, method in vars(of).items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        signature = inspect.signature(method)
        names = [
            {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(one.kind.name, "")
            + one.name
            for one in signature.parameters.values()
        ]
        asked = "await " if inspect.iscoroutinefunction(method) else ""
        sentence = (inspect.getdoc(method) or "").partition("\n\n")[0]
        call = f"{asked}{called}.{name}({', '.join(names[1:])})"
        yield f"| `{call}` | {' '.join(sentence.split())} |\n"


def _options() -> Iterator[str]:
    for option in OPTIONS:
        shown = option.flag + (f"={option.metavar}" if option.metavar else "")
        shown = f"`{shown}`" if option.form != "lines" else ""
        key = f"`{option.key}`" if option.in_ini else ""
        yield f"| {shown} | {key} | {option.help} |\n"
