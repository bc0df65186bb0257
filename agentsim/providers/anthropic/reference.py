"""The reference page of the rules of Anthropic Messages, made from their table."""

from __future__ import annotations

from agentsim.providers.anthropic.rulebook.profile import (
    MESSAGES_LENIENT,
    MESSAGES_STRICT,
)
from agentsim.providers.anthropic.rulebook.table import MESSAGES_RULES, OLD, THREADS
from agentsim.providers.wires.reference import (
    paths_table,
    phrases_table,
    profile_section,
)

__all__ = ["messages_rules_page"]

_HEAD = """\
# What Anthropic Messages refuses

<!-- Made from the rules by `make docs`; a test compares the two. -->

A request to `/v1/messages`, by `env.anthropic()` in process or over HTTP, is judged as
Anthropic's service judges it, and answered with its error body, which has neither a param
nor a code. The trace has the rule in `request_failed`, and the invariant `provider-accepts`
is violated by it. The rules of the neutral client stand in [rules](rules.md).

Of several faults the first is told: the version, the form of each field and each message,
fields that need one another, the breakpoints of the cache, what the model does not take, and
at last the conversation. N and M are indexes from 0; a message begins with the path.

By the version in the header `anthropic-version` differ: `temperature`, `top_p` and `top_k`,
which are unknown fields from 2026-10-21 on; documents in messages of the model and citations
in texts of the user, which are refused from then on; and a `max_tokens` of 0, which is taken
from then on. By the name of the model differ, as far as the name is known: `prefill`,
`thinking-mode`, `thinking-off` and `system-role`.

How sure a rule is: *observed* in traffic or measurements, *reported* by people who met it,
or *assumed*. A simulation judges by the profile `strict`, which has all rules of today, unless
the scenario asks for [another one](#its-profile): `lenient` leaves out what is marked so,
and other fields say what the model does not take, without which those rules refuse nothing.
Marked as of 2024 are rules that the service has no more; the field `on` switches them on.

"""

_MIDDLE = """
## What people search for

These words stand in the `message`.

"""

_TAIL = f"""
## What is not refused

Messages of one role after another, which count as one turn; results in any order, or spread
over several messages of the user, which a run tells of in its notes; texts, images and
documents after results; an empty result that tells of no error; ids of calls that do not
begin with `toolu_`; calls without tools in the request; an empty last message of the model;
an answer in which the model paused, as the last message; server tools in flight.

## What is answered otherwise

A request with a `thread` is answered with status 400 and the code `{THREADS}`
among the details: nothing is stored here. The tool runner of the SDK then sends the whole
conversation of itself, so that no rule counts as broken.

With thinking of mode `enabled` the service thinks first in every turn. Where the reply of a
script has no thinking block, one is put before it: a loop that drops it is refused by
`thinking-missing`, as it would be in production.

The input of a call is an object on this wire, and the service reads it before it sends it.
Arguments of a scripted call that are no JSON object are sent as `{{}}`. A stream has their
text where the answer was cut off (`max_tokens`), and for tools with `eager_input_streaming`
or under the beta `fine-grained-tool-streaming`: there the SDK's helper raises an error, or
makes something else of it. The trace has what was sent. A scripted `pause_turn` with calls is
sent as `tool_use`: the service pauses for its own tools only.
"""


def messages_rules_page() -> str:
    """The page, as Markdown."""
    rules = MESSAGES_RULES.values()
    marks = dict.fromkeys(MESSAGES_LENIENT.off, "left out by `lenient`")
    marks |= dict.fromkeys(OLD, "of 2024")
    return (
        _HEAD
        + paths_table(rules, marks=marks)
        + profile_section("anthropic-messages", MESSAGES_STRICT)
        + _MIDDLE
        + phrases_table(rules)
        + _TAIL
    )
