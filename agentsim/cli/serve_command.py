"""`agentsim serve`: the strict model over HTTP, and a verdict on who asked it."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from agentsim.cli.common import JsonOption, load_target
from agentsim.cli.options.bundles import unbundled
from agentsim.cli.options.declared import Argument, Option
from agentsim.cli.options.places import check_place
from agentsim.cli.output import FullyTold, echo, print_json, uncollected
from agentsim.cli.serving.place import Place
from agentsim.core import UsageError
from agentsim.report import EXIT_CODES

if TYPE_CHECKING:
    from agentsim.server import CommandEnding, Listening
    from agentsim.simulation import Scenario

__all__ = ["command"]


@dataclass(frozen=True)
class Served:
    """What is served, and to whom."""

    scenario: Annotated[
        str,
        Argument(metavar="SCENARIO", says="FILE.yaml, or module:attribute."),
    ]
    program: Annotated[
        list[str] | None,
        Argument(metavar="[-- CMD...]", says="A command to run beside the server."),
    ] = None


@unbundled
def command(
    served: Served,
    place: Place,
    trace: Annotated[
        Path | None,
        Option("--trace", metavar="FILE", says="Write the trace as JSON Lines."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Answer programs in any language over HTTP, as the vendors' services do.

    With a command, run it beside the server, and end with the verdict on it. Without one,
    print the variables that programs need, and serve until ^C; with `--json` these are
    one JSON object too, before the one with the verdict.
    """
    program = served.program or []
    if trace is not None:
        check_place(trace, "--trace", served.scenario)
    with uncollected():
        listening = _listening(load_target(served.scenario), place, program)
    ending = _serve(listening, program, as_json=as_json)
    from agentsim.cli.serving.telling import Ended, print_ended, write_traces

    ended = Ended.of(listening, ending)
    unwritten = [] if trace is None else write_traces(ended, trace)
    after = ["--", *program] if program else []
    repeat = shlex.join(["agentsim", "serve", served.scenario, *after])
    print_ended(ended, repeat, as_json=as_json)
    for words in unwritten:
        echo(f"agentsim: {words}", err=True)
    return FullyTold(EXIT_CODES["usage"] if unwritten else ended.code)


def _listening(scenario: Scenario, place: Place, program: list[str]) -> Listening:
    place.check()
    try:
        from agentsim.server import Listening
    except ImportError as error:
        raise UsageError(
            f"serve: {error.name} is not installed here: pip install "
            "'pytest-agentsim[server]'"
        ) from None
    return Listening(
        scenario,
        host=place.host,
        port=place.port,
        program=shlex.join(program) or "http",
        real=place.latency == "real",
    )


def _serve(
    listening: Listening, program: list[str], *, as_json: bool
) -> CommandEnding | None:
    from agentsim.cli.serving.running import serve_beside, serve_until_stopped

    if program:
        return serve_beside(listening, program)
    _print_variables(listening.url, listening.environment(), as_json=as_json)
    serve_until_stopped(listening)
    return None


def _print_variables(url: str, variables: dict[str, str], *, as_json: bool) -> None:
    """Print what programs need, at once: somebody may wait for it behind a pipe."""
    if as_json:
        print_json({"url": url, "environment": variables})
    else:
        for name, value in variables.items():
            echo(f"export {name}={shlex.quote(value)}")
        echo(f"Serving on {url} until ^C; see {url}/_agentsim/", err=True)
    sys.stdout.flush()
