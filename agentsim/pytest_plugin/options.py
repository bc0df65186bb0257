"""The plugin's options: on the command line, and in the ini file by the same names.

pytest loads this module in every project that has agentsim installed, so it imports
nothing of agentsim.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import pytest

__all__ = [
    "MARKERS",
    "OPTIONS",
    "RECORDS",
    "RECORD_MODES",
    "Option",
    "Settings",
    "add_options",
    "settings_of",
]

RECORD_MODES = ("replay", "record", "record-missing", "refresh")
"""What a cassette can be used for, as `agentsim.cassettes.tape.MODES` has it."""

RECORDS: pytest.StashKey[bool] = pytest.StashKey()
"""Whether a test may record into its cassette, so that it has to reach the network."""


class Option(NamedTuple):
    """One option: `--agentsim-NAME`, and `agentsim_NAME` in the ini file.

    The lines of a `lines` one stand in the ini file only.
    """

    name: str
    metavar: str
    help: str
    form: Literal["number", "text", "flag", "list", "lines", "mode"] = "text"
    in_ini: bool = True

    @property
    def flag(self) -> str:
        """Its name on the command line; one of the form `lines` has none there."""
        return f"--agentsim-{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """Its name in the ini file."""
        return f"agentsim_{self.name}"


OPTIONS = (
    Option(
        "deviations",
        "N",
        "Repeat each run of a sim test over all orders, with at most N deviations.",
        "number",
    ),
    Option(
        "runs",
        "N",
        "Repeat each run of a sim test N times, with random choices.",
        "number",
    ),
    Option("seed", "N", "Seed of the random runs; 0 unless told otherwise.", "number"),
    Option(
        "faults",
        "NAMES",
        "Faults that may strike in the repeated runs too: names and groups by comma, all, or none.",
    ),
    Option(
        "cancel", "", "Offer cancellation at each gate of the repeated runs.", "flag"
    ),
    Option(
        "crash", "", "Let the process die at any gate of the repeated runs.", "flag"
    ),
    Option(
        "replay",
        "TOKEN",
        "Make the run of that token again, and none of the other repeated runs.",
        in_ini=False,
    ),
    Option("traces", "FOLDER", "Write the trace of each failing run to this folder."),
    Option(
        "no_network",
        "",
        "Fail each test that leaves this machine, whether it simulates or not.",
        "flag",
    ),
    Option(
        "allow_hosts",
        "HOSTS",
        "What no-network lets through: names, also with `*`, addresses, networks.",
        "list",
    ),
    Option(
        "record",
        "MODE",
        "What tests with a cassette do: replay (unless told otherwise), record, "
        "record-missing, or refresh, which records again what changed or is too old.",
        "mode",
        in_ini=False,
    ),
    Option(
        "cassette_dir",
        "FOLDER",
        "The folder of all cassettes, seen from pytest's root; a folder `cassettes` "
        "beside each file of tests unless told otherwise.",
    ),
    Option(
        "cassette_max_age",
        "DAYS",
        "Tell of cassettes that are older, and record them again with refresh.",
        "number",
    ),
    Option("fail_old", "", "Fail each test whose cassette is older than that.", "flag"),
    Option(
        "fail_unused",
        "",
        "Fail each test that does not ask for all that is in its cassette.",
        "flag",
    ),
    Option(
        "redact",
        "",
        "Regular expressions, one a line, for what else is secret in cassettes.",
        "lines",
    ),
    Option(
        "volatile",
        "",
        "Regular expressions, one a line, for what may differ in requests to cassettes.",
        "lines",
    ),
)
"""Every option, in the order in which help and reference list them."""

MARKERS = (
    (
        "agentsim(world, faults, deviations, runs, seed): how a test with the sim fixture "
        "begins and is repeated"
    ),
    (
        "agentsim_network(*hosts): the test may reach these hosts, or any where none is "
        "named, though --agentsim-no-network is given"
    ),
    (
        "agentsim_cassette(path, mode, redact, secrets, keep_headers, volatile, "
        "allow_hosts, max_age, fail_unused, timed): how a test with the cassette fixture "
        "records and replays"
    ),
)


class Settings(NamedTuple):
    """What was asked for, by the command line, else the ini file, else by default."""

    deviations: int | None = None
    runs: int = 0
    seed: int = 0
    faults: str = "none"
    cancel: bool = False
    crash: bool = False
    replay: str | None = None
    traces: str | None = None
    no_network: bool = False
    allow_hosts: tuple[str, ...] = ()
    record: str | None = None
    cassette_dir: str | None = None
    cassette_max_age: int | None = None
    fail_old: bool = False
    fail_unused: bool = False
    redact: tuple[str, ...] = ()
    volatile: tuple[str, ...] = ()

    @property
    def flags(self) -> tuple[str, ...]:
        """The options that add choice points, as they stand on a command line."""
        flags = [f"--agentsim-faults={self.faults}"] if self.faults != "none" else []
        flags += ["--agentsim-cancel"] if self.cancel else []
        flags += ["--agentsim-crash"] if self.crash else []
        return tuple(flags)


_NEVER_EMPTY = frozenset(
    option.flag
    for option in OPTIONS
    if option.form in ("number", "mode") or option.name == "replay"
)
"""Flags that say nothing without a value: one whose variable is empty was not meant."""

_INI_TYPES: dict[str, Literal["bool", "linelist", "string"]] = {
    "flag": "bool",
    "lines": "linelist",
    "list": "linelist",
    "number": "string",
    "text": "string",
}


def add_options(parser: pytest.Parser) -> None:
    """Declare all options."""
    group = parser.getgroup("agentsim", "simulations of agents (agentsim)")
    for option in OPTIONS:
        shape: dict[str, Any] = {"action": "store_true"}
        if option.form != "flag":
            shape = {"metavar": option.metavar}
        if option.form != "lines":
            group.addoption(
                option.flag, dest=option.key, default=None, help=option.help, **shape
            )
        if option.in_ini:
            kind = _INI_TYPES[option.form]
            parser.addini(option.key, option.help, type=kind, default=None)


def settings_of(config: pytest.Config) -> Settings:
    """Read the options.

    Raises:
        pytest.UsageError: for a value that can't be read, naming where it was given.
    """
    found = {}
    for option in OPTIONS:
        where, value = option.flag, config.getoption(option.key, None)
        if value is None and option.in_ini:
            where, value = option.key, config.getini(option.key)
        if value not in (None, "", []) or (value == "" and where in _NEVER_EMPTY):
            found[option.name] = _read(option, where, value)
    return Settings(**found)


def _read(option: Option, where: str, value: Any) -> Any:  # noqa: ANN401 - by its form
    if option.form == "list":
        lines = [value] if isinstance(value, str) else value
        return tuple(" ".join(map(str, lines)).replace(",", " ").split())
    if option.form == "lines":
        return tuple(map(str, value))
    if option.form == "mode" and value not in RECORD_MODES:
        raise pytest.UsageError(
            f"{where}: expected one of {', '.join(RECORD_MODES)}, got {value!r}"
        )
    if option.form != "number":
        return value
    text = str(value)
    if not (text.isascii() and text.isdigit()):
        raise pytest.UsageError(
            f"{where}: expected a whole number of 0 or more, got {text!r}"
        )
    return int(text)
