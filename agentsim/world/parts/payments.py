"""Payments of invoices, which a lost answer must not double (spec T4).

The payment system pays an invoice as often as it is asked to: what keeps an agent from
paying twice is its own care, by looking first, or by an idempotency key.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from agentsim.core import ToolFailed, UsageError
from agentsim.world.parameters import AtLeast
from agentsim.world.subsystem import Subsystem, Surroundings, Unchanged, unknown
from agentsim.world.tools import world_tool

__all__ = ["Payments", "PaymentsSystem"]

_AMOUNT = re.compile(r"([0-9]{1,12})(?:\.([0-9]{1,2}))?", re.ASCII)

InvoiceNumber = Annotated[int, "Number of the invoice", AtLeast(1)]


@dataclass(frozen=True, slots=True)
class Payments:
    """How a payment system begins.

    Attributes:
        balance: What can be spent, as a decimal text such as `100.00`; None: no limit.
        honours_keys: Whether an idempotency key that is known gives the payment that
            was made with it. If not, keys are taken and change nothing.

    Raises:
        UsageError: for a balance that is no amount.
    """

    kind: ClassVar[str] = "payments"
    balance: str | None = None
    honours_keys: bool = True

    def __post_init__(self) -> None:
        if self.balance is not None and _cents(self.balance) is None:
            raise UsageError(
                f"balance: expected an amount such as '100.00', got {self.balance!r}"
            )

    def build(self, world: Surroundings) -> PaymentsSystem:
        """Make the payment system for one run."""
        return PaymentsSystem(self, world)


class PaymentsSystem(Subsystem):
    """A payment system in one run.

    Attributes:
        balance_cents: What can still be spent, in cents; None: no limit.
        payments: Each with `number`, `invoice`, `amount`, `key` and `refunded`.
    """

    STATE = ("balance_cents", "payments")

    def __init__(self, spec: Payments, world: Surroundings) -> None:
        super().__init__(world)
        self.honours_keys = spec.honours_keys
        self.balance_cents = None if spec.balance is None else _cents(spec.balance)
        self.payments: list[dict[str, Any]] = []

    def paid(self, invoice: int) -> str:
        """What was paid for an invoice and not refunded, as a decimal text."""
        made = (p for p in self.payments if p["invoice"] == invoice)
        return _text(sum(_cents(p["amount"]) or 0 for p in made if not p["refunded"]))

    @world_tool("mutating", latency_s=2.0)
    def create_payment(
        self,
        invoice: InvoiceNumber,
        amount: Annotated[str, "Amount as a decimal text, such as 40.00"],
        idempotency_key: Annotated[
            str | None, "A text of your own; the same one again pays nothing again"
        ] = None,
    ) -> str:
        """Pay an invoice."""
        cents = _cents(amount)
        if not cents:
            raise ToolFailed(
                f"amount: expected a decimal text above 0 such as '40.00', got {amount!r}"
            )
        if idempotency_key is not None and self.honours_keys:
            for made in self.payments:
                if made["key"] == idempotency_key:
                    return _repeated(made, invoice, _text(cents))
        if self.balance_cents is not None:
            if cents > self.balance_cents:
                raise ToolFailed(
                    f"the balance does not cover it: there is {_text(self.balance_cents)}"
                )
            self.balance_cents -= cents
        payment = {
            "number": len(self.payments) + 1,
            "invoice": invoice,
            "amount": _text(cents),
            "key": idempotency_key,
            "refunded": False,
        }
        self.payments.append(payment)
        return _made(payment)

    @world_tool(latency_s=0.5)
    def check_payment(self, invoice: InvoiceNumber) -> str:
        """Show the payments of an invoice."""
        return (
            "\n".join(
                _made(payment) + (" (refunded)" if payment["refunded"] else "")
                for payment in self.payments
                if payment["invoice"] == invoice
            )
            or f"invoice {invoice} is not paid"
        )

    @world_tool("mutating", latency_s=2.0)
    def refund_payment(
        self, payment: Annotated[int, "Number of the payment", AtLeast(1)]
    ) -> str:
        """Take a payment back."""
        if payment > len(self.payments):
            numbers = [str(number + 1) for number in range(len(self.payments))]
            raise unknown("payment", str(payment), numbers)
        made = self.payments[payment - 1]
        if made["refunded"]:
            raise ToolFailed(f"payment {payment} is refunded already")
        made["refunded"] = True
        if self.balance_cents is not None:
            self.balance_cents += _cents(made["amount"]) or 0
        return f"payment {payment} refunded: {made['amount']}"


def _repeated(made: dict[str, Any], invoice: int, amount: str) -> Unchanged:
    if (made["invoice"], made["amount"]) != (invoice, amount):
        raise ToolFailed(
            f"the idempotency key {made['key']!r} belongs to another payment: "
            f"{made['amount']} for invoice {made['invoice']}"
        )
    return Unchanged(_made(made))


def _made(payment: dict[str, Any]) -> str:
    return (
        f"payment {payment['number']}: {payment['amount']} "
        f"for invoice {payment['invoice']}"
    )


def _cents(amount: str) -> int | None:
    """An amount in cents, or None for what is no decimal text."""
    match = _AMOUNT.fullmatch(amount)
    if match is None:
        return None
    return int(match[1]) * 100 + int((match[2] or "").ljust(2, "0"))


def _text(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}"
