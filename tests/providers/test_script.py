"""Scripts: what stands at which index, and what can't stand there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from agentsim.core import ProviderError, Request, UsageError
from agentsim.providers import (
    By,
    Entry,
    Reply,
    Script,
    by,
    call,
    forever,
    pick,
    say,
    together,
)
from tests.providers.fakes import request, scripts, start


def named(_request: Request) -> Reply:
    """A function with a name."""
    return say("By name.")


def numbered(n: int) -> Reply:
    """A function of the turn."""
    return say(f"Turn {n}.")


@given(scripts())
def test_a_script_is_a_sequence_of_its_entries(replies: list[Reply]) -> None:
    """Length, items, slices, equality and indexes are those of the entries."""
    script = Script(replies)
    assert len(script) == len(replies)
    assert list(script) == replies
    assert script[1:] == tuple(replies[1:])
    assert script == Script(replies)
    assert [script.at(index) for index in range(len(replies))] == replies
    assert script.at(len(replies)) is None
    assert not script.endless


@given(st.integers(0, 3), st.integers(1, 3), st.integers(0, 20))
def test_forever_takes_turns_for_ever(before: int, turns: int, n: int) -> None:
    """After the entries before it, the turns of `forever` come round and round."""
    looped = [say(f"turn {turn}") for turn in range(turns)]
    script = Script([*[call("first")] * before, forever(*looped)])
    assert script.at(before + n) == looped[n % turns]
    assert script.endless


def test_forever_counts_the_turns_of_each_function_from_one() -> None:
    """A function of `forever` gets 1, 2, 3 however many others take turns with it."""
    script = Script(
        [
            say("Go."),
            forever(
                lambda n: call("read_file", path="a").but(text=f"Try {n}."),
                say("Hm."),
            ),
        ]
    )
    made = [script.at(index) for index in range(1, 6)]
    texts = [reply.text for reply in made if isinstance(reply, Reply)]
    assert texts == ["Try 1.", "Hm.", "Try 2.", "Hm.", "Try 3."]


def test_forever_asks_a_function_once_for_each_turn() -> None:
    """A function that counts its calls still gives one reply for one index."""
    asked: list[int] = []

    def counting(n: int) -> Reply:
        asked.append(n)
        return say(f"{len(asked)}")

    script = Script([forever(counting)])
    assert [script.at(4), script.at(4), script.at(0)] == [say("1"), say("1"), say("2")]
    assert asked == [5, 1]


def test_pick_draws_up_to_its_bound() -> None:
    """Option 0 is the final answer, each other a reply; past the bound none is drawn."""
    policy = pick(call("a"), call("b"), final=say("End."), at_most=2)
    drawn: list[tuple[str, tuple[str, ...]]] = []

    def choose(label: str, options: object) -> int:
        assert isinstance(options, tuple)
        drawn.append((label, options))
        return len(drawn)

    replies = [policy.reply(n, choose) for n in range(4)]
    assert replies == [call("a"), call("b"), say("End."), say("End.")]
    assert drawn == [("model", ('say "End."', "call a", "call b"))] * 2
    assert pick(call("a")).reply(0, lambda _label, _options: 0) == say("Done.")


def test_called_tools_are_listed_with_their_entries() -> None:
    """A scenario can look for unknown tools in every reply written by hand."""
    entries: list[Entry] = [
        together(call("a"), call("b")),
        by(named),
        say("x"),
        forever(call("c"), lambda n: call("hidden"), by(named)),
    ]
    assert list(Script(entries).called_tools()) == [(0, "a"), (0, "b"), (3, "c")]
    assert list(Script([pick(call("d"))]).called_tools()) == [(0, "d")]


def test_the_plain_form_is_json_and_names_functions(
    snapshot: SnapshotAssertion,
) -> None:
    """The plain form of every kind of entry is JSON, and the same in every process."""
    looped = Script([call("a", n=1), by(named), forever(say("x"), numbered, by(named))])
    drawn = Script([pick(call("a"), final=say("End."), at_most=3)])
    plain = [looped.plain(), drawn.plain()]
    assert json.loads(json.dumps(plain)) == plain
    assert [plain, repr(looped), repr(drawn)] == snapshot


class Policy:
    """A function that is an object."""

    def __call__(self, _request: Request) -> Reply:
        return say("By an object.")


def test_an_object_is_named_by_its_type() -> None:
    """A callable without a name of its own shows its type, never its address."""
    assert By(Policy()).plain() == {"by": "Policy"}


def test_an_error_of_the_service_passes_through_a_function() -> None:
    """A function of the request may answer with an error of the service."""

    def overloaded(_request: Request) -> Reply:
        raise ProviderError("busy", status=529, kind="overloaded_error")

    with pytest.raises(ProviderError, match="busy"):
        by(overloaded).reply(request(start()))


def broken(_argument: object) -> Reply:
    """A function with a bug."""
    raise KeyError("secret of the interpreter")


def wrong(_argument: object) -> Reply:
    """A function that forgets to make a reply."""
    return "Done."  # type: ignore[return-value]


FAULTY: dict[str, Callable[[], object]] = {
    "an entry that is text": lambda: Script(["Done."]),  # type: ignore[list-item]
    "an entry that is nothing": lambda: Script([say("x"), None]),  # type: ignore[list-item]
    "forever before the end": lambda: Script([forever(say("x")), say("y")]),
    "pick before the end": lambda: Script([pick(call("x")), say("y")]),
    "forever nothing": forever,
    "forever forever": lambda: forever(forever(say("x"))),  # type: ignore[arg-type]
    "forever text": lambda: forever("x"),  # type: ignore[arg-type]
    "by no function": lambda: by(say("x")),  # type: ignore[arg-type]
    "pick nothing": pick,
    "pick text": lambda: pick("x"),  # type: ignore[arg-type]
    "pick none at most": lambda: pick(call("x"), at_most=0),
    "by that raises": lambda: by(broken).reply(request(start())),
    "by that returns text": lambda: by(wrong).reply(request(start())),
    "forever that raises": lambda: Script([forever(broken)]).at(0),
    "forever that returns text": lambda: Script([forever(wrong)]).at(0),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_entry_is_refused_with_advice(
    name: str, snapshot: SnapshotAssertion
) -> None:
    """Each mistake in a script is a usage error that says where and what to do."""
    with pytest.raises(UsageError) as caught:
        FAULTY[name]()
    assert re.sub(r"py:\d+", "py:N", str(caught.value)) == snapshot


def test_an_empty_script_has_nothing() -> None:
    """A script without entries is allowed, and has no reply at all."""
    script = Script([])
    assert script.at(0) is None
    assert script.plain() == []
    assert not script.endless
