"""A request that came by a wire: neutral, judged by that wire's own rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agentsim.core import Message, ProviderError, Request, Response
from agentsim.providers.wires.rules import WireRefusal

__all__ = ["Asked", "Reader", "RefusedRequest"]


class RefusedRequest(Protocol):
    """Why a service refuses a request, in the words of its wire."""

    @property
    def rule(self) -> str:
        """Id of the rule that the request breaks.

        Empty for a request that breaks none: the service can't serve it so, says what
        to do instead, and clients do that of themselves.
        """

    @property
    def words(self) -> str:
        """What is wrong."""

    @property
    def param(self) -> str | None:
        """Where in the request, such as `messages[3].role`, or None."""

    def error(self) -> ProviderError:
        """The answer of the service."""


class Reader(Protocol):
    """Reads the requests of one client, one after the other, and knows its wire."""

    @property
    def wire(self) -> str:
        """Its name, such as `openai-chat`."""

    def read(
        self,
        body: Mapping[str, Any] | WireRefusal,
        headers: Mapping[str, str] | None = None,
    ) -> Asked:
        """Read a request, and judge it.

        Args:
            body: Parsed, or the refusal of what could not be.
            headers: Names in lower case; None where nothing is known of them. A wire
                whose rules hang on them (a version) takes its usual ones then.
        """

    def answered(self, body: Mapping[str, Any]) -> None:
        """Remember what the service answered, where later requests refer to it."""

    def carried(self, response: Response) -> Response:
        """What of a response reaches the other end of the wire."""

    def failed(self, error: ProviderError, request: Request) -> ProviderError:
        """An error of the service in the words of the wire."""

    def resumes(self, messages: Sequence[Message]) -> RefusedRequest | None:
        """Why a history with a new message of the user after it is refused, or None."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came by a wire.

    Attributes:
        request: As far as it could be read.
        refusal: Why the service refuses it, or None.
        warnings: What the service accepts of this wire and no loop should get used to,
            in sentences without their period; the same words each time.
    """

    request: Request
    refusal: RefusedRequest | None
    reader: Reader
    warnings: tuple[str, ...] = ()
