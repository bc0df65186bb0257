"""What differs between models and versions, and what is not sure of the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from agentsim.core import UsageError, did_you_mean
from agentsim.providers.anthropic.rulebook.table import ALWAYS, MESSAGES_RULES, OLD
from agentsim.providers.wires.rules import check_off

__all__ = [
    "MESSAGES_LENIENT",
    "MESSAGES_STRICT",
    "VERSION",
    "VERSIONS",
    "MessagesProfile",
]

VERSION = "2023-06-01"
"""The version of a request of whose headers nothing is known."""

VERSIONS = (VERSION, "2026-10-21")

WIRE_NAME = "Anthropic Messages"


@dataclass(frozen=True, slots=True)
class MessagesProfile:
    """How strict the service is, and what its model takes.

    What is None hangs on the name of the model, as far as a name is known: of another
    model everything is taken.

    Attributes:
        off: Ids of the rules that are not enforced.
        on: Ids of rules of 2024 that are: `tools-not-defined`, `alternating-roles`.
        prefill: Whether a conversation may end with the model.
        system_role: Whether system messages may stand in the conversation.
        thinking: Modes that the model has; None for those of its name.
        thinks_unasked: Whether the model thinks where a request says nothing of it.
        sampling: Whether the model takes a temperature and its like.
        max_tokens: The most that the model answers, in tokens; None for any number.
        context_tokens: Tokens that fit into the context; None for any number.
        context_stops: Whether an answer that runs out of the context just ends there;
            else a request for more than there is room for is refused.
        models: The models that there are; None for every name.
        signatures: Which ones are valid: `any`, but for those that this service gave to
            another text, or its `own` only, so that a history of elsewhere is refused.

    Raises:
        UsageError: when `off` names no rule, or one that is always on; when `on` names
            another rule than those of 2024.
    """

    off: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    prefill: bool | None = None
    system_role: bool | None = None
    thinking: tuple[str, ...] | None = None
    thinks_unasked: bool | None = None
    sampling: bool = True
    max_tokens: int | None = None
    context_tokens: int | None = None
    context_stops: bool = True
    models: tuple[str, ...] | None = None
    signatures: Literal["any", "own"] = "any"

    def __post_init__(self) -> None:
        check_off(self.off, MESSAGES_RULES, ALWAYS, wire=WIRE_NAME)
        for name in self.on:
            if name not in OLD:
                raise UsageError(
                    f"on: {name!a} is none of the rules that are off, which are "
                    f"{', '.join(OLD)}{did_you_mean(name, OLD)}"
                )

    @property
    def without(self) -> tuple[str, ...]:
        """Ids of the rules that are not enforced, those of 2024 with them."""
        return (*self.off, *(name for name in OLD if name not in self.on))


MESSAGES_STRICT = MessagesProfile()
"""All rules that the service has today, those that are only assumed too."""

MESSAGES_LENIENT = MessagesProfile(
    off=tuple(
        rule.id
        for rule in MESSAGES_RULES.values()
        if rule.source == "assumed" and rule.id not in ALWAYS
    )
)
"""Only the rules of which it is sure that the service has them."""
