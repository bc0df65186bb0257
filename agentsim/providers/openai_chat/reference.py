"""The reference page of the rules of Chat Completions, made from their table."""

from __future__ import annotations

from agentsim.providers.openai_chat.rulebook.profile import LENIENT, STRICT
from agentsim.providers.openai_chat.rulebook.table import CHAT_RULES
from agentsim.providers.wires.reference import (
    phrases_table,
    profile_section,
    rules_table,
)

__all__ = ["chat_rules_page"]

_HEAD = """\
# What Chat Completions refuses

<!-- Made from the rules by `make docs`; a test compares the two. -->

A request that comes by `env.openai()`, `env.openai_sync()` or `env.http_client()` is judged
as OpenAI's service judges it, and answered with its error body. The trace has the rule in
`request_failed`, and the invariant `provider-accepts` is violated by it. The rules of the
neutral client stand in [rules](rules.md).

Of several faults the first is told: a missing model or messages, unknown fields, the form
of each message and field, fields that need one another, what the model does not take, and
at last the structure of the conversation. N and M are indexes from 0. A path with a dot
before the index (`messages.[3].role`) is the service's own way to write those of the
structure.

How sure a rule is: *observed* in traffic or measurements, *reported* by people who met it,
or *assumed*. A simulation judges by the profile `strict`, which has all rules, unless the
scenario asks for [another one](#its-profile): `lenient` leaves out what is marked so, and
other fields say what the model does not take, without which those rules refuse nothing.

"""

_MIDDLE = """
## What people search for

These words stand in the `message`.

"""

_TAIL = """
## What is not refused

Messages of one role after another; a system or developer message anywhere; a conversation
that begins or ends with the model; content that is an empty text or an empty array; text
beside calls; results in any order within their group; calls of tools that are no longer
offered; arguments that are no JSON; a message with calls and no content; and `null` in
place of a field that may be left out, as in what an SDK dumps of an answer.
"""


def chat_rules_page() -> str:
    """The page, as Markdown."""
    rules = CHAT_RULES.values()
    return (
        _HEAD
        + rules_table(rules, lenient=LENIENT.off)
        + profile_section("openai-chat", STRICT)
        + _MIDDLE
        + phrases_table(rules)
        + _TAIL
    )
