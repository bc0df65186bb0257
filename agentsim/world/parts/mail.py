"""A mailbox: what came, what was sent, and answers that take their time (spec T4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from agentsim.core import ToolFailed, UsageError, number_fault
from agentsim.world.parameters import AtLeast
from agentsim.world.subsystem import Subsystem, Surroundings, unknown
from agentsim.world.tools import world_tool

__all__ = ["Letter", "Mail", "MailSystem"]

NS_PER_S = 1_000_000_000

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail that is there from the start."""

    sender: str
    subject: str
    body: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """How a mailbox begins.

    Attributes:
        inbox: What came before, oldest first.
        answers: Address to what it answers to each mail that is sent there.
        answer_after_s: Virtual seconds until an answer comes.
        refused: Addresses to which no mail can be sent.

    Raises:
        UsageError: for an answer that comes before the mail.
    """

    kind: ClassVar[str] = "mail"
    inbox: tuple[Letter, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    answer_after_s: float = 60.0
    refused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if fault := number_fault(self.answer_after_s):
            raise UsageError(f"answer_after_s: {fault}")

    def build(self, world: Surroundings) -> MailSystem:
        """Make the mailbox for one run."""
        return MailSystem(self, world)


class MailSystem(Subsystem):
    """A mailbox in one run.

    Attributes:
        inbox: What came or is on its way, each with `sender`, `subject`, `body` and
            `at_ns`, the virtual time of its arrival.
        sent: What was sent, each with `to`, `subject` and `body`.
    """

    STATE = ("inbox", "sent")

    def __init__(self, spec: Mail, world: Surroundings) -> None:
        super().__init__(world)
        self.spec = spec
        self.inbox: list[dict[str, Any]] = [
            {"sender": one.sender, "subject": one.subject, "body": one.body, "at_ns": 0}
            for one in spec.inbox
        ]
        self.sent: list[dict[str, str]] = []

    @world_tool(latency_s=0.5)
    def list_mail(self) -> str:
        """List the mails that came, by number, sender and subject."""
        return (
            "\n".join(
                f"{number}: {mail['sender']}: {mail['subject']}"
                for number, mail in enumerate(self._arrived(), 1)
            )
            or "no mail"
        )

    @world_tool(latency_s=0.5)
    def read_mail(
        self, number: Annotated[int, "Number of the mail in the list", AtLeast(1)]
    ) -> str:
        """Show a mail that came."""
        arrived = self._arrived()
        if number > len(arrived):
            known = [str(one + 1) for one in range(len(arrived))]
            raise unknown("mail", str(number), known)
        mail = arrived[number - 1]
        return f"From: {mail['sender']}\nSubject: {mail['subject']}\n\n{mail['body']}"

    @world_tool("mutating", latency_s=1.0)
    def send_mail(
        self,
        to: Annotated[str, "Address of the one who gets it"],
        subject: Annotated[str, "Subject"],
        body: Annotated[str, "Text of the mail"],
    ) -> str:
        """Send a mail."""
        if _ADDRESS.fullmatch(to) is None:
            raise ToolFailed(f"{to!r} is not the address of a mailbox")
        if to in self.spec.refused:
            raise ToolFailed(f"{to} does not take mail")
        self.sent.append({"to": to, "subject": subject, "body": body})
        if to in self.spec.answers:
            after_ns = round(self.spec.answer_after_s * NS_PER_S)
            answer = {
                "sender": to,
                "subject": f"Re: {subject}",
                "body": self.spec.answers[to],
                "at_ns": self.world.now_ns + after_ns,
            }
            self.inbox.append(answer)
        return f"Sent to {to}"

    def _arrived(self) -> list[dict[str, Any]]:
        return [mail for mail in self.inbox if mail["at_ns"] <= self.world.now_ns]
