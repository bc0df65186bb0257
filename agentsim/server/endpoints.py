"""The endpoints of the control surface, as data."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ENDPOINTS", "PREFIX", "Endpoint"]

PREFIX = "/_agentsim/"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One endpoint.

    Attributes:
        sentence: What it does.
        takes: What its body holds; empty where it needs none.
        gives: What its answer holds.
    """

    name: str
    method: str
    path: str
    sentence: str
    gives: str
    takes: str = ""


_STATE = (
    "`run`; `state`, one of `fresh`, `running`, `halted`, `ended`; `requests`, "
    "`responses`, `late_requests`: how many; `replies_unused`: indexes of the replies "
    "of the script that were not given yet; `virtual_s`; `deviations`: those that were "
    "made, in words; `pending`: those that were asked for and did not strike yet; "
    "`error`: why the run was halted, or null"
)

_VERDICT = (
    "`verdict`, one of `holds`, `violated`, `unknown`, `usage`, `internal`; `exit_code`, "
    "that of the command line; `run`; `ended`: false where it may yet come to another; "
    "`scenario`; `agent`; `error`: why the run was halted, what is wrong with script or "
    "scenario, or null; "
    "`invariants`: id to status, evidence and violations; `unmet`; `deviations`; "
    "`trace_digest`; `notes`: what services accept, and programs should not get used to"
)

ENDPOINTS = (
    Endpoint(
        "index",
        "GET",
        PREFIX,
        "Lists these endpoints, and the runs.",
        "`scenario`, `runs`: their names, `endpoints`: `method`, `path` and `what` of each",
    ),
    Endpoint(
        "runs",
        "GET",
        f"{PREFIX}runs",
        "Tells where every run stands.",
        "`runs`: a list of states, each as below",
    ),
    Endpoint(
        "state",
        "GET",
        f"{PREFIX}runs/{{run}}",
        "Tells where a run stands.",
        _STATE,
    ),
    Endpoint(
        "trace",
        "GET",
        f"{PREFIX}runs/{{run}}/trace",
        "Gives the trace so far.",
        "JSON Lines, as `agentsim run --trace` writes them",
    ),
    Endpoint(
        "verdict",
        "GET",
        f"{PREFIX}runs/{{run}}/verdict",
        "Judges the run as if it ended now.",
        _VERDICT,
    ),
    Endpoint(
        "deviations",
        "POST",
        f"{PREFIX}runs/{{run}}/deviations",
        "Has faults strike the next requests that they can strike, in this order; a run "
        "that is not there yet begins.",
        "the state",
        "`deviations`: a list of faults of the model, `NAME[@ATTEMPT]`",
    ),
    Endpoint(
        "end",
        "POST",
        f"{PREFIX}runs/{{run}}/end",
        "Ends the run: its verdict stands, and requests that still come are refused.",
        "the verdict",
    ),
    Endpoint(
        "reset",
        "POST",
        f"{PREFIX}runs/{{run}}/reset",
        "Begins the run anew. What was not ended is thrown away; the verdict on what was "
        "ended still counts when the server stops.",
        "the state",
    ),
)
"""Every endpoint, in the order of the reference."""
