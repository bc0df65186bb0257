"""The page that tells for each rule of each wire which requests test it, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import anthropic
import openai

from agentsim.providers.anthropic import MESSAGES_RULES
from agentsim.providers.openai_chat import CHAT_RULES
from agentsim.providers.openai_responses import RESPONSES_RULES
from agentsim.providers.wires import WireRule
from tests.providers.anthropic import bodies as of_messages
from tests.providers.openai_chat import bodies as of_chat
from tests.providers.openai_responses import bodies as of_responses

__all__ = ["RAW", "WIRES", "OnWire", "exception_of", "refusals_page"]


class OnWire(NamedTuple):
    """A wire, its rules, and the requests that break them.

    Attributes:
        page: The page of its rules.
        sdk: The module whose exceptions tell of a refusal.
        bad: Each with a `rule`, a `phrase` and a `status`.
    """

    title: str
    page: str
    sdk: Any
    rules: Mapping[str, WireRule]
    bad: Sequence[Any]


WIRES = (
    OnWire("Chat Completions", "openai-chat.md", openai, CHAT_RULES, of_chat.BAD),
    OnWire(
        "Responses",
        "openai-responses.md",
        openai,
        RESPONSES_RULES,
        of_responses.BAD,
    ),
    OnWire(
        "Anthropic Messages",
        "anthropic.md",
        anthropic,
        MESSAGES_RULES,
        of_messages.BAD,
    ),
)

RAW = ("no-json",)
"""Rules that no request of an SDK breaks: a body of bytes does, by an HTTP library."""

_HEAD = """\
# Rules of the wires, and the requests that test them

<!-- Made from the rules and their tests by `make docs`; a test compares the two. -->

Each rule of a simulated service has one or more minimal bad requests, which its tests send
through the vendor's own SDK, or as they are where the SDK can't send them: the SDK raises
its own exception, with the status and the words of the service. A rule that is off, or hangs
on a model, is tested with a profile that asks for it.
"""


def exception_of(sdk: Any, status: int) -> str:  # noqa: ANN401 - a module
    """Name of the class that an SDK raises for a status."""
    names = {
        400: "BadRequestError",
        401: "AuthenticationError",
        403: "PermissionDeniedError",
        404: "NotFoundError",
        413: "RequestTooLargeError",
        422: "UnprocessableEntityError",
    }
    name = names[status]
    return name if hasattr(sdk, name) else "APIStatusError"


def refusals_page() -> str:
    """The text of `docs/reference/rule-tests.md`."""
    return _HEAD + "".join(map(_section, WIRES))


def _section(wire: OnWire) -> str:
    rows = [_row(wire, rule) for rule in wire.rules.values()]
    return (
        f"\n## {wire.title}\n\n[Its rules]({wire.page}).\n\n"
        "| rule | requests | the SDK raises | words |\n|---|---|---|---|\n"
        + "".join(rows)
    )


def _row(wire: OnWire, rule: WireRule) -> str:
    bad = [one for one in wire.bad if one.rule == rule.id]
    raised = list(dict.fromkeys(exception_of(wire.sdk, one.status) for one in bad))
    cells = (
        f"`{rule.id}`",
        "a body as bytes" if rule.id in RAW else str(len(bad)),
        ", ".join(f"`{name}`" for name in raised) or f"status {rule.status}",
        rule.phrase.replace("|", "\\|"),
    )
    return f"| {' | '.join(cells)} |\n"
