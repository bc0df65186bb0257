"""Rules of a wire as data, and what the service says of a request that breaks one.

The `source` of a rule says how sure it is: `observed` in traffic or in measurements,
`reported` by people who met it, or `assumed`, so that a profile may switch it off.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from agentsim.core import ProviderError, UsageError, did_you_mean

__all__ = ["INVALID", "Source", "WireRefusal", "WireRule", "check_off"]

INVALID = "invalid_request_error"
"""The `type` of nearly every refusal, with both vendors."""

Source = Literal["observed", "reported", "assumed"]


@dataclass(frozen=True, slots=True)
class WireRule:
    """One rule of a wire.

    Attributes:
        sentence: What a request must be.
        phrase: The words by which people find the service's message.
        param: Where the fault is told to be, with N and M for indexes; None for nowhere.
        code: The service's code; None where it sends none.
        status: HTTP status of the refusal.
        kind: The error's `type`.
    """

    id: str
    sentence: str
    phrase: str
    source: Source
    param: str | None = None
    code: str | None = None
    status: int = 400
    kind: str = INVALID


@dataclass(frozen=True, slots=True)
class WireRefusal:
    """Why a service refuses a request, as its error body says it.

    Attributes:
        rule: Id of the rule, as in the table of its wire.
        words: The `message` of the body.
        kind: The `type` of the body.
    """

    rule: str
    words: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    kind: str = INVALID

    def error(self) -> ProviderError:
        """The refusal as the client records it."""
        return ProviderError(
            self.words,
            status=self.status,
            kind=self.kind,
            param=self.param,
            code=self.code,
        )


def check_off(
    off: Collection[str],
    rules: Mapping[str, WireRule],
    always: Collection[str],
    *,
    wire: str,
) -> None:
    """Look at the ids of rules that a profile switches off.

    Args:
        always: Ids of the rules that stay: what they refuse can't be read.
        wire: Its name in words.

    Raises:
        UsageError: when one names no rule, or one that is always on.
    """
    for name in off:
        if name not in rules:
            raise UsageError(
                f"off: {name!a} is no rule of {wire}{did_you_mean(name, rules)}"
            )
        if name in always:
            raise UsageError(
                f"off: {name!a} can't be switched off: what it refuses can't be read"
            )
