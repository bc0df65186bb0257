"""The reference page of the rules of Responses, made from their table."""

from __future__ import annotations

from agentsim.providers.openai_responses.rulebook.profile import (
    LENIENT_RESPONSES,
    STRICT_RESPONSES,
)
from agentsim.providers.openai_responses.rulebook.table import RESPONSES_RULES
from agentsim.providers.wires.reference import (
    phrases_table,
    profile_section,
    rules_table,
)

__all__ = ["responses_rules_page"]

_HEAD = """\
# What Responses refuses

<!-- Made from the rules by `make docs`; a test compares the two. -->

A request to `/v1/responses`, by the SDK in process or over HTTP, is judged as OpenAI's
service judges it, and answered with its error body. The trace has the rule in
`request_failed`, and the invariant `provider-accepts` is violated by it. What
[Chat Completions](openai-chat.md) refuses has a page of its own.

Of several faults the first is told: a missing model or input, unknown fields, the form of
each item and field, fields that exclude or need one another, what the model does not take,
a response before that is not there, and at last the history that the items make. N and M
are indexes from 0.

How sure a rule is: *observed* in traffic or measurements, *reported* by people who met it,
or *assumed*. A simulation judges by the profile `strict`, unless the scenario asks for
[another one](#its-profile): it has all rules but `answered-twice`, of which nobody has told
(`off: []` has it on). `lenient` leaves out what is marked so, and other fields say what the
model does not take, without which those rules refuse nothing.

"""

_MIDDLE = """
## What people search for

These words stand in the `message`.

"""

_TAIL = """
## What is kept between requests

An answer is stored, unless its request says `store: false`: `previous_response_id` goes on
from it, and an `item_reference` stands for an item of it. Instructions are not taken over.
A `conversation` of any name holds what was said in it here; what it may have held before is
not known, so an output without its call is taken there. Which items came with which
reasoning is known of what was answered here, and of nothing else.

`GET` and `DELETE` of `/v1/responses/{id}`, `GET` of `/v1/responses/{id}/input_items` (all on
one page) and `POST` of `/v1/responses/input_tokens` are answered too; the last judges the
form of an input, and no history.

## What is not refused

Items of one role after another; a system or developer message anywhere; a history that
begins or ends with the model; calls without an id of their own, and then without the
reasoning that they came with; outputs anywhere behind their call, in any order; history of
the model as mere texts; arguments that are no JSON; `tool_choice` in one word without tools;
items and tools of the service's own, which are kept whole and never run; and `null` in place
of a field that may be left out.
"""


def responses_rules_page() -> str:
    """The page, as Markdown."""
    rules = RESPONSES_RULES.values()
    return (
        _HEAD
        + rules_table(rules, lenient=LENIENT_RESPONSES.off)
        + profile_section("openai-responses", STRICT_RESPONSES)
        + _MIDDLE
        + phrases_table(rules)
        + _TAIL
    )
