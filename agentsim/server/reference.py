"""The reference page of the server, made from its endpoints."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.server.asgi import BODY_BYTES_MAX
from agentsim.server.endpoints import ENDPOINTS, Endpoint
from agentsim.server.runs import DEFAULT_RUN, KEY, RUN_HEADER

__all__ = ["server_page"]

_HEAD = f"""\
# The server

<!-- Made from the endpoints by `make docs`; a test compares the two. -->

`agentsim serve` answers as the vendors' services do, on the loopback interface, to
programs in any language. [How to use it](../how-to/serve-any-program.md).

| path | answers as |
|---|---|
| `POST /v1/chat/completions` | OpenAI Chat Completions |
| `POST /v1/responses`, and what is below it | OpenAI Responses |
| `POST /v1/messages`, `POST /v1/messages/count_tokens` | Anthropic Messages |
| `GET /v1/models`, `GET /v1/models/NAME` | both, by the header `anthropic-version` |

Any other path has the vendor's 404. Bodies of more than {BODY_BYTES_MAX >> 20} MB have its 413.
A run that was halted, since its script ran out or something was asked for that is not
simulated, or that was ended, answers with 400, the reason, and `x-should-retry: false`.

## Runs

A request belongs to the run that its header `{RUN_HEADER}` names; else to that of its API
key: `{KEY}` or no key is the run `{DEFAULT_RUN}`, `{KEY}-NAME` the run `NAME`, and any other
key has a run of its own, named by eight digits over the key. Each run begins the script
anew, with its own faults, trace and verdict. One run is one conversation, as in process:
a program that holds several gives each a run.

A program that leaves a request unanswered and then begins anew has a new *life* in the
same run, as after a crash.

## Time

Answers come at once; with `--latency real` after the seconds that the script says. Without
it, errors after which SDKs ask again carry `retry-after-ms: 1`, so that they do so at once.
The times in a trace are counted either way: each answer is as much later than its request
as the script says, and the program takes no time. So a trace is the same on every machine.

## What is judged

Only the wire is seen: the tools, the person, the user and the end of the program are its
own. The invariants that need them are not applicable ([which](invariants.md)), messages of
the user are never called invented, and of what a scenario expects only `iterations` and
`calls` are compared. Prompt, model, limits and world of the scenario are not the program's:
they are not judged. All that shows in the histories is judged as ever.

## Control

JSON in and out, below `/_agentsim/`. An error has a status of 400 or more, and one sentence
in `error`.
"""


def server_page() -> str:
    """The text of `docs/reference/server.md`."""
    return "\n".join([_HEAD, *map(_section, ENDPOINTS)])


def _section(entry: Endpoint) -> str:
    return "\n".join(_lines(entry))


def _lines(entry: Endpoint) -> Iterator[str]:
    yield f"### {entry.method} {entry.path}\n"
    yield f"{entry.sentence}\n"
    if entry.takes:
        yield f"*Takes* {entry.takes}.\n"
    yield f"*Gives* {entry.gives}.\n"
