import pytest

from agentsim.core import ToolFailed, UsageError
from agentsim.world import Letter, Mail, World

SECOND = 1_000_000_000


def send(world: World, to: str, at_s: int = 0) -> str:
    """Send a mail at a virtual second."""
    arguments = {"to": to, "subject": "Lunch", "body": "At one?"}
    return world.apply("send_mail", arguments, at_ns=at_s * SECOND)


def test_an_answer_comes_after_its_time() -> None:
    """What is sent is answered once, and not before the answer is there."""
    mail = Mail((Letter("bob@a.org", "Hi"),), {"ada@a.org": "Yes."}, answer_after_s=30)
    world = World((mail,))
    assert world.apply("list_mail", {}) == "1: bob@a.org: Hi"
    assert send(world, "ada@a.org", at_s=10) == "Sent to ada@a.org"
    assert world.apply("list_mail", {}, at_ns=39 * SECOND) == "1: bob@a.org: Hi"
    with pytest.raises(ToolFailed, match=r"unknown mail '2' \(known: 1\)"):
        world.apply("read_mail", {"number": 2})
    listed = world.apply("list_mail", {}, at_ns=40 * SECOND)
    assert listed.splitlines()[1:] == ["2: ada@a.org: Re: Lunch"]
    shown = world.apply("read_mail", {"number": 2})
    assert shown == "From: ada@a.org\nSubject: Re: Lunch\n\nYes."


def test_what_is_sent_twice_is_there_twice() -> None:
    """Each mail is an effect of its own, also the same one again."""
    world = World((Mail(),))
    assert world.apply("list_mail", {}) == "no mail"
    send(world, "ada@a.org")
    send(world, "ada@a.org")
    assert (
        world.mail.sent
        == [{"to": "ada@a.org", "subject": "Lunch", "body": "At one?"}] * 2
    )
    assert [effect.name for effect in world.ledger] == ["send_mail"] * 2


@pytest.mark.parametrize(
    ("to", "words"),
    [
        ("ada", "'ada' is not the address of a mailbox"),
        ("a b@c", "'a b@c' is not the address of a mailbox"),
        ("no@a.org", "no@a.org does not take mail"),
    ],
)
def test_what_cannot_be_delivered_is_not_sent(to: str, words: str) -> None:
    """An address that is none, or takes no mail, is told and leaves no effect."""
    world = World((Mail(refused=("no@a.org",)),))
    with pytest.raises(ToolFailed, match=words):
        send(world, to)
    assert (world.mail.sent, world.ledger) == ([], ())


def test_an_answer_never_comes_before_its_mail() -> None:
    """A negative time is refused where it is given."""
    with pytest.raises(UsageError, match="answer_after_s: expected 0 or more, got -1"):
        Mail(answer_after_s=-1)
