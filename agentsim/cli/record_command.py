"""`agentsim record`: a proxy that records what a program asks, or answers it again."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from agentsim.cli.common import JsonOption
from agentsim.cli.options.bundles import unbundled
from agentsim.cli.options.declared import Argument, Option
from agentsim.cli.output import FullyTold, echo, print_json, uncollected
from agentsim.cli.serving.place import Place
from agentsim.core import UsageError

if TYPE_CHECKING:
    from agentsim.cassettes.tape import Tape
    from agentsim.cli.recording.opening import OpenTape
    from agentsim.server import CommandEnding
    from agentsim.server.recording import RecordingProxy

__all__ = ["command"]


@dataclass(frozen=True)
class Recorded:
    """What is recorded, and of whom."""

    cassette: Annotated[Path, Argument(metavar="OUT.yaml", says="The cassette to use.")]
    program: Annotated[
        list[str] | None,
        Argument(metavar="[-- CMD...]", says="A command to run behind the proxy."),
    ] = None


@dataclass(frozen=True)
class Use:
    """How the cassette is used."""

    upstream: Annotated[
        list[str] | None,
        Option(
            "--upstream",
            metavar="NAME=URL",
            says="The base URL of a service, as its SDK takes it; openai and anthropic "
            "are those of the environment, or the vendors' own.",
        ),
    ] = None
    mode: Annotated[
        str,
        Option(
            "--mode",
            says="record, replay, record-missing or refresh; a file that is there needs "
            "one.",
        ),
    ] = ""
    redact: Annotated[
        list[str] | None,
        Option("--redact", metavar="REGEX", says="What is secret beside the usual."),
    ] = None
    volatile: Annotated[
        list[str] | None,
        Option(
            "--volatile",
            metavar="REGEX",
            says="What may differ from the recording, beside ids, uuids and times.",
        ),
    ] = None
    max_age_days: Annotated[
        float | None,
        Option(
            "--max-age",
            metavar="DAYS",
            says="With refresh: when all is recorded again.",
        ),
    ] = None


@unbundled
def command(
    recorded: Recorded, use: Use, place: Place, as_json: JsonOption = False
) -> int:
    """Record what a program of any language asks of models, or answer it out of a cassette.

    With a command, run it with the base URLs of the SDKs set to the proxy. Its exit code
    is the exit code; where it succeeded, 3 tells of requests that were not recorded, and
    2 that none came. Without one, print the variables that programs need, and stand there
    until ^C. The summary goes to standard error, with `--json` to standard output.
    """
    program = recorded.program or []
    with uncollected():
        opened, proxy = _open(recorded, use, place)
    keep = False
    try:
        ending = _serve(proxy, program, as_json=as_json)
        troubles = proxy.troubles
        failed = bool(troubles.failure or troubles.unkept)
        used = opened.tape.use
        asked = bool(used.hits or used.live)
        keep = asked and not failed and (ending is None or ending.code == 0)
    finally:
        opened.close(keep=keep)
    return _told(opened, proxy, ending, as_json=as_json)


def _open(
    recorded: Recorded, use: Use, place: Place
) -> tuple[OpenTape, RecordingProxy]:
    place.check()
    try:
        from agentsim.cli.recording.opening import Wanted, check_command
        from agentsim.server.recording import RecordingProxy, read_upstreams
    except ImportError as error:
        raise UsageError(
            f"record: {error.name} is not installed here: pip install "
            "'pytest-agentsim[server]'"
        ) from None
    wanted = Wanted(
        recorded.cassette,
        use.mode,
        use.redact or (),
        use.volatile or (),
        use.max_age_days,
    )
    upstreams = read_upstreams(use.upstream or (), os.environ)
    check_command(recorded.program or [])
    opened = wanted.open()
    try:
        proxy = RecordingProxy(
            opened.tape,
            upstreams,
            port=place.port,
            host=place.host,
            real=place.latency == "real",
            tell=_say,
        )
    except BaseException:
        opened.close(keep=False)
        raise
    return opened, proxy


def _serve(
    proxy: RecordingProxy, program: list[str], *, as_json: bool
) -> CommandEnding | None:
    from agentsim.cli.serving.running import STDERR, serve_beside, serve_until_stopped

    if program:
        return serve_beside(proxy, program, output=STDERR if as_json else None)
    variables = proxy.environment()
    if as_json:
        print_json({"url": proxy.url, "environment": variables})
    else:
        for name, value in variables.items():
            echo(f"export {name}={shlex.quote(value)}")
        echo(f"Standing on {proxy.url} until ^C", err=True)
    sys.stdout.flush()
    serve_until_stopped(proxy)
    return None


def _told(
    opened: OpenTape,
    proxy: RecordingProxy,
    ending: CommandEnding | None,
    *,
    as_json: bool,
) -> int:
    from agentsim.cli.recording.telling import Summary

    tape: Tape = opened.tape
    summary = Summary(
        tape.path,
        tape.mode,
        tape.use,
        proxy.troubles,
        opened.beside,
        ending,
        unwritten=len(tape.unwritten),
    )
    if as_json:
        print_json(summary.data)
    else:
        for sentence in summary.sentences:
            _say(sentence)
    return FullyTold(summary.code)


def _say(words: str) -> None:
    """Say something at once, apart from what the program prints."""
    from agentsim.report import printable

    for line in words.split("\n"):
        echo(f"agentsim: {printable(line)}", err=True)
