"""The reference page of the recording proxy."""

from __future__ import annotations

from agentsim.cassettes import LEAVING_S
from agentsim.server.recording.asking import CONNECT_S
from agentsim.server.recording.playing import PATIENCE_S
from agentsim.server.recording.upstreams import VENDORS

__all__ = ["proxy_page"]


_VENDORS = "\n".join(
    f"| `{name}` | `{name.upper()}_BASE_URL` | `{url}` |"
    for name, url in VENDORS.items()
)

_PAGE = f"""\
# The recording proxy

<!-- Made from the proxy by `make docs`; a test compares the two. -->

`agentsim record OUT.yaml -- CMD` stands between a program in any language and the services
that it asks, and keeps what goes through in a [cassette](cassette-format.md); with `--mode
replay` it answers out of the cassette, and nothing is asked of anybody. [Its
options](command-line.md).

## Services

`--upstream NAME=URL` names one by its base URL, as its SDK takes it; it may be repeated.
These two are always there, at the base URL of the environment or at the vendor's own:

| name | variable for CMD | by default |
|---|---|---|
{_VENDORS}

CMD finds the proxy by the variable of each service, such as
`OPENAI_BASE_URL=http://127.0.0.1:PORT/openai/v1`; a service of another name has `NAME_BASE_URL`.
The first part of a path is the name of the service, the rest is the path there. A path
without a name goes to Anthropic where it has `/messages` or the header `anthropic-version`, and to
OpenAI otherwise, so that `AGENTSIM_URL`, the bare address, does as well. Services that need
`https` or a proxy of the network are asked as their SDK would ask them (`SSL_CERT_FILE`,
`HTTPS_PROXY`, `NO_PROXY`).

## What goes through

Method, path, query, headers, bodies of any kind, statuses, errors and retries, as they are.
Streams go on piece by piece. Not passed on: headers of one connection (such as `connection`
and `transfer-encoding`). No compressed answer is asked for; one that comes all the same is
decoded, and loses `content-encoding` and `content-length`. Web sockets do not go through.

Keys go to the service and are not recorded: neither the headers that carry them, nor, in
any text, the values of `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` and `ANTHROPIC_AUTH_TOKEN`.
A request encoded so that nobody can search it for secrets is refused; such an answer goes
through, and is kept without its body.

| what happens | the program sees | the cassette has |
|---|---|---|
| the service can't be reached, or gives no head | a broken connection | `no answer`, and why |
| it breaks off within its answer | what came, and that it broke | `broken off`, and what came |
| the program leaves | | `closed by the client`, and what came |

When the program leaves, so does the proxy. For a connection {CONNECT_S:g} seconds are waited,
for an answer as long as the program waits.
An exchange is in the file before the last byte of its answer, or the last event of its
stream, is handed on: a proxy that is killed loses nothing that was delivered.

## Modes

| `--mode` | answers from the cassette | asks the services | the file |
|---|---|---|---|
| (none) | | all | must not be there yet |
| `record` | | all | replaces an old one in the end |
| `replay` | all | nothing | is read only |
| `record-missing` | what is there | what is not | grows |
| `refresh` | what is not too old | the rest | replaces the old one |

`refresh` leaves out what nobody asked for; with `--max-age DAYS` a cassette that is older is
recorded anew. An old file is replaced when CMD succeeds, or ^C ends a proxy without one. When
CMD fails it stays, and the new recording stands beside it in `OUT.yaml.new`.

## Replay

Requests are found by their meaning: dialect, model, messages and tools; ids, uuids and times
may differ, and what `--volatile` matches. Equal requests are answered in recorded order. What
was not recorded is answered with status 400 in the dialect of the request, the difference to
the nearest recording, and `x-should-retry: false`; the same is printed to standard error.

What broke when it was recorded breaks again. An answer that the program left stays open until
it leaves again, {LEAVING_S:g} seconds at most. Answers come at once, and errors after which
SDKs ask again carry `retry-after-ms: 1`, save where `retry-after` is above {PATIENCE_S} seconds;
with `--latency real` all take the time that they took. Where no key is set, `agentsim` is
set as one, without which SDKs do not begin.

## Exit code

That of CMD; 128 and the number of the signal that ended it. Where CMD succeeded:

| exit code | `verdict` | |
|---|---|---|
| 0 | holds | all was recorded, or found |
| 2 | unknown | no request came |
| 3 | usage | a request was not recorded, or an answer could not be kept |
| 4 | internal | a bug of agentsim: please report it |

`--json` prints one object: `verdict`, `file`, `mode`, `hits`, `recorded`, `missed` (the words of
each), `unused` (numbers of exchanges), `notes` (what went wrong on the way), `beside` (where the
new recording stands, if it did not replace the old one) and `command`. CMD's standard output
goes to standard error then. A command that failed is `violated`.
"""


def proxy_page() -> str:
    """The text of `docs/reference/proxy.md`."""
    return _PAGE
