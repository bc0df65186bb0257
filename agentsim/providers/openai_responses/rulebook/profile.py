"""What differs between models, and what is not sure of the service."""

from __future__ import annotations

from dataclasses import dataclass

from agentsim.providers.openai_responses.rulebook.table import ALWAYS, RESPONSES_RULES
from agentsim.providers.wires.rules import check_off

__all__ = ["LENIENT_RESPONSES", "STRICT_RESPONSES", "ResponsesProfile"]


@dataclass(frozen=True, slots=True)
class ResponsesProfile:
    """How strict the service is, and what its model takes.

    Attributes:
        off: Ids of the rules that are not enforced.
        unsupported: Fields that the model refuses, such as `temperature`.
        context_tokens: Tokens that fit into the context; None for any number.
        models: The models that there are; None for every name.

    Raises:
        UsageError: when `off` names no rule, or one that is always on.
    """

    off: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    context_tokens: int | None = None
    models: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_off(self.off, RESPONSES_RULES, ALWAYS, wire="Responses")


STRICT_RESPONSES = ResponsesProfile(off=("answered-twice",))
"""All rules but the one of which nobody has told: a second output of a call is taken."""

LENIENT_RESPONSES = ResponsesProfile(
    off=tuple(rule.id for rule in RESPONSES_RULES.values() if rule.source == "assumed")
)
"""Only the rules of which it is sure that the service has them, with every model."""
