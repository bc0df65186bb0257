"""What differs between models, and what is not sure of the service."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.providers.openai_chat.rulebook.table import ALWAYS, CHAT_RULES
from agentsim.providers.wires.rules import check_off

__all__ = ["LENIENT", "STRICT", "ChatProfile"]


@dataclass(frozen=True, slots=True)
class ChatProfile:
    """How strict the service is, and what its model takes.

    Attributes:
        off: Ids of the rules that are not enforced.
        unsupported: Fields that the model refuses, such as `max_tokens`.
        roles_unsupported: Roles that the model refuses, such as `system`.
        parts: Types of the parts that the content of a user may have; None for all.
        context_tokens: Tokens that fit into the context; None for any number.
        models: The models that there are; None for every name.

    Raises:
        UsageError: when `off` names no rule, or one that is always on.
    """

    off: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    roles_unsupported: tuple[str, ...] = ()
    parts: tuple[str, ...] | None = None
    context_tokens: int | None = None
    models: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_off(self.off, CHAT_RULES, ALWAYS, wire="Chat Completions")


STRICT = ChatProfile()
"""All rules, those that are only assumed too."""

LENIENT = ChatProfile(
    off=(
        *(rule.id for rule in CHAT_RULES.values() if rule.source == "assumed"),
        "null-content",  # one model was seen to take it
        "image-role",  # newer models are said to take them
    )
)
"""Only the rules of which it is sure that the service has them, with every model."""
