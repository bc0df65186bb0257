import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import ToolFailed, UsageError
from agentsim.faults import answer_lost
from agentsim.providers import call, say
from agentsim.simulation import Scenario, run
from agentsim.world import Payments, World


def pay(world: World, invoice: int = 17, amount: str = "40.00", **more: str) -> str:
    """Pay an invoice."""
    return world.apply("create_payment", {"invoice": invoice, "amount": amount, **more})


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 9_999)), max_size=6))
def test_what_is_paid_leaves_the_balance(payments: list[tuple[int, int]]) -> None:
    """No cent is lost or made: payments and what is left sum up to the balance."""
    world = World((Payments(balance="100.00"),))
    for invoice, cents in payments:
        left = world.payments.balance_cents
        amount = f"{cents // 100}.{cents % 100:02}"
        if cents > left:
            with pytest.raises(ToolFailed, match="does not cover it: there is "):
                pay(world, invoice, amount)
            assert world.payments.balance_cents == left
        else:
            pay(world, invoice, amount)
    made = [str(world.payments.paid(invoice)).replace(".", "") for invoice in (1, 2, 3)]
    assert sum(map(int, made)) + world.payments.balance_cents == 10_000


def test_the_same_payment_twice_is_paid_twice() -> None:
    """Nothing but the agent's care keeps an invoice from being paid again."""
    world = World((Payments(),))
    assert pay(world) == "payment 1: 40.00 for invoice 17"
    assert pay(world, amount="40.0") == "payment 2: 40.00 for invoice 17"
    assert [effect.name for effect in world.ledger] == ["create_payment"] * 2
    assert world.payments.paid(17) == "80.00"


def test_a_known_key_pays_nothing_again() -> None:
    """The same key twice is one effect, and the answer of the first is given again."""
    world = World((Payments(balance="50.00"),))
    assert pay(world, idempotency_key="a") == pay(world, idempotency_key="a")
    assert len(world.ledger) == 1
    assert world.payments.paid(17) == "40.00"
    with pytest.raises(ToolFailed, match="'a' belongs to another payment"):
        pay(world, invoice=18, idempotency_key="a")
    with pytest.raises(ToolFailed, match=r"does not cover it: there is 10\.00"):
        pay(world, idempotency_key="b")


def test_keys_that_are_not_honoured_change_nothing() -> None:
    """A system may take keys and pay again all the same."""
    world = World((Payments(honours_keys=False),))
    pay(world, idempotency_key="a")
    pay(world, idempotency_key="a")
    assert world.payments.paid(17) == "80.00"
    assert len(world.ledger) == 2


def test_a_refund_takes_back_one_payment_once() -> None:
    """What is refunded can be spent again, and can't be refunded again."""
    world = World((Payments(balance="40.00"),))
    with pytest.raises(ToolFailed, match=r"unknown payment '1' \(there is none\)"):
        world.apply("refund_payment", {"payment": 1})
    pay(world)
    assert world.apply("refund_payment", {"payment": 1}) == "payment 1 refunded: 40.00"
    assert world.payments.paid(17) == "0.00"
    with pytest.raises(ToolFailed, match="refunded already"):
        world.apply("refund_payment", {"payment": 1})
    pay(world)
    shown = world.apply("check_payment", {"invoice": 17})
    assert shown.splitlines() == [
        "payment 1: 40.00 for invoice 17 (refunded)",
        "payment 2: 40.00 for invoice 17",
    ]
    assert world.apply("check_payment", {"invoice": 3}) == "invoice 3 is not paid"


@pytest.mark.parametrize(
    "amount", ["", "0", "0.00", "-1", "1.234", "1e3", "\uff140", "a"]
)
def test_only_a_decimal_text_is_an_amount(amount: str) -> None:
    """What is no amount above zero pays nothing, and the words show what came."""
    world = World((Payments(),))
    with pytest.raises(ToolFailed) as caught:
        pay(world, amount=amount)
    assert f"got {amount!r}" in str(caught.value)
    assert world.ledger == ()


def test_a_balance_is_an_amount() -> None:
    """A balance that can't be read is told where it is given."""
    with pytest.raises(UsageError, match="balance: expected an amount such as"):
        Payments(balance="much")


def test_a_repeated_key_is_no_effect_in_a_trace() -> None:
    """A payment whose answer was lost and is asked for again by its key is one effect."""
    arguments = {"invoice": 17, "amount": "40.00", "idempotency_key": "invoice-17"}
    made = run(
        Scenario(
            task="Pay invoice 17.",
            world=[Payments()],
            script=[
                call("create_payment", **arguments),
                call("create_payment", **arguments),
                say("Paid."),
            ],
            faults=[answer_lost("create_payment", attempt=1)],
            expect={"effects": {"create_payment": 1}},
        )
    )
    made.expect_holds()
