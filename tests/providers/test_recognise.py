"""The next reply is found in the history, whatever happened on the way there."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentsim.core import (
    History,
    InvalidArguments,
    Message,
    Request,
    ToolCall,
    UnscriptedRequest,
    assistant,
    canonical_arguments,
    parse_arguments,
    user,
)
from agentsim.providers import (
    Call,
    Reply,
    ReplyFinder,
    Script,
    ScriptedModel,
    by,
    call,
    forever,
    same_call,
    say,
    together,
)
from tests.providers.fakes import REPLIES, request, results, scripts, start, with_ids
from tests.support.examples import examples

KEPT = ("answer", "own ids", "text dropped", "as objects", "split")
"""Ways to append a reply with which it counts as given."""

CHANGED = ("garbled text", "cut arguments", "unknown tool", "empty", "repeated")
"""Ways to append a changed reply, so that the original is still to come."""

OTHER = ("retry", "inject", "crash", "from the start", "rewrite", "new process")


def is_json(text: str) -> bool:
    """Whether a call's arguments are valid."""
    try:
        parse_arguments(text)
    except InvalidArguments:
        return False
    return True


def as_objects(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """Calls as a runtime sends them back that reads arguments and writes them anew."""
    return tuple(
        replace(
            call,
            arguments=canonical_arguments(call.arguments)
            if is_json(call.arguments)
            else "{}",
        )
        for call in calls
    )


def has_derived_ids(message: Message) -> bool:
    """Whether every call has an id by which its reply is known for sure."""
    ids = [call.id for call in message.tool_calls]
    return bool(ids) and all(one.startswith("call_") for one in ids)


class Conversation:
    """A history to which anything may happen, and how many replies stand in it."""

    def __init__(self, replies: list[Reply]) -> None:
        self.script = Script(replies)
        self.model = ScriptedModel(self.script)
        self.history = start()
        self.given = 0
        self.steps = 0
        self.saved = [(len(self.history), 0)]

    def ask(self) -> Message:
        answer = self.model.answer(request(self.history))
        assert answer.index == self.given
        return answer.response.message

    def append(self, *messages: Message, given: bool) -> None:
        for message in messages:
            self.history += [message, *results(message)]
        self.given += given
        self.saved.append((len(self.history), self.given))

    def step(self, event: str, at: int) -> None:
        self.steps += 1
        if event == "inject":
            self.append(user("One more thing."), given=False)
        elif event in ("crash", "from the start"):
            length, self.given = self.saved[at % len(self.saved) if at else 0]
            self.history = self.history[:length]
            self.saved = [save for save in self.saved if save[0] <= length]
        elif event == "rewrite":
            self.history = [replace(message) for message in self.history]
        elif event == "new process":
            self.model = ScriptedModel(self.script)
        elif event == "retry":
            self.ask()
        elif event in KEPT:
            self.append(*self.kept(event, self.ask()), given=True)
        else:
            self.append(self.changed(event, self.ask()), given=False)

    def kept(self, event: str, message: Message) -> list[Message]:
        calls = message.tool_calls
        if event == "own ids":
            return [with_ids(message, lambda n: f"runtime-{self.steps}-{n}")]
        if event == "text dropped" and calls:
            return [replace(message, content="")]
        if event == "as objects" and all(call.id for call in calls):
            return [replace(message, tool_calls=as_objects(calls))]
        if event == "split" and has_derived_ids(message):
            return [assistant("", one) for one in calls]
        return [message]

    def changed(self, event: str, message: Message) -> Message:
        calls = message.tool_calls
        garbled = replace(message, content="\u2237 garbled", tool_calls=())
        if event == "empty":
            return assistant("")
        if event == "repeated":
            known = [one for one in self.history if has_derived_ids(one)]
            return known[-1] if known else garbled
        if not calls or event == "garbled text":
            return garbled
        *others, last = calls
        if event == "cut arguments":
            changed = replace(
                last, arguments=last.arguments[: len(last.arguments) // 2]
            )
        else:
            changed = replace(last, name=f"unknown_{last.name}")
        if has_derived_ids(message):
            return replace(message, tool_calls=(*others, changed))
        return with_ids(
            replace(message, tool_calls=(*others, changed)), lambda n: f"fault-{n}"
        )


EVENTS = st.lists(
    st.tuples(st.sampled_from((*KEPT, *CHANGED, *OTHER)), st.integers(0, 9)),
    max_size=12,
)


def check_successor(replies: list[Reply], events: list[tuple[str, int]]) -> None:
    """Let all of it happen, and compare each answer with a count of our own."""
    conversation = Conversation(replies)
    for event, at in events:
        if conversation.given == len(replies):
            break
        conversation.step(event, at)
    if conversation.given < len(replies):
        conversation.ask()
    else:
        with pytest.raises(UnscriptedRequest):
            conversation.ask()


@examples(25)
@given(scripts(), EVENTS)
def test_the_next_reply_is_the_successor_of_the_last_in_the_history(
    replies: list[Reply], events: list[tuple[str, int]]
) -> None:
    """Retries, crashes, injections, new ids and faults leave the order of replies."""
    check_successor(replies, events)


@pytest.mark.slow
def test_the_successor_is_found_in_many_more_histories() -> None:
    """The same over 1,000 more histories; to draw them as above takes the most time."""
    chance = Random(7)
    for _ in range(1_000):
        replies = chance.choices(REPLIES, k=chance.randint(0, 6))
        kinds = chance.choices((*KEPT, *CHANGED, *OTHER), k=chance.randint(0, 12))
        events = [(kind, chance.randrange(10)) for kind in kinds]
        try:
            check_successor(replies, events)
        except BaseException as error:
            error.add_note(f"replies {replies}, events {events}")
            raise


@pytest.mark.parametrize("event", [*KEPT, *CHANGED, *OTHER])
def test_each_event_alone_leaves_the_order_of_replies(event: str) -> None:
    """Each thing that can happen to a reply happens to each of them here."""
    for reply in REPLIES:
        check_successor([call("first"), reply, reply], [("answer", 0), (event, 1)])


@pytest.mark.parametrize(
    ("kept", "following"),
    [
        ([2], 3),  # the tail of a condensed history, known by its ids
        ([0, 2], 3),
        ([4], 5),  # a text that stands once in the script
        ([3], 1),  # of two equal texts the first is meant
    ],
)
def test_a_condensed_history_goes_on_after_what_is_left(
    kept: list[int], following: int
) -> None:
    """After a condensation the reply is found by its ids, or by being the only one."""
    replies = [say("Same."), call("a"), call("b"), say("Same."), say("Last."), say("x")]
    script = Script(replies)
    history = start()
    for index in kept:
        prepared = script.prepared(index)
        assert prepared is not None
        history += [prepared.message, *results(prepared.message)]
    assert ScriptedModel(script).answer(request(history)).index == following


def test_an_equal_text_elsewhere_in_the_script_is_not_skipped_to() -> None:
    """A reply repeated by a fault under new ids does not use up a later equal one."""
    script = Script([call("a"), call("b"), call("a"), say("Done.")])
    model = ScriptedModel(script)
    first = model.answer(request(start())).response.message
    repeated = with_ids(first, lambda n: f"fault-{n}")
    history = [*start(), first, *results(first), repeated, *results(repeated)]
    assert model.answer(request(history)).index == 1


def test_a_reply_gets_fresh_ids_when_its_own_stand_in_the_history() -> None:
    """What a fault changed keeps its ids, so the original comes under new ones."""
    script = Script([together(call("a"), call("b").but(id="mine"), call("c"))])
    model = ScriptedModel(script)
    history = start()
    seen = []
    for _ in range(3):
        message = model.answer(request(history)).response.message
        seen.append([call.id for call in message.tool_calls])
        broken = tuple(replace(call, name="gone") for call in message.tool_calls)
        changed = replace(message, tool_calls=broken)
        history = [*history, changed, *results(changed)]
    assert seen == [
        ["call_1_1", "mine", "call_1_3"],
        ["call_1_1-r2", "mine", "call_1_3-r2"],
        ["call_1_1-r3", "mine", "call_1_3-r3"],
    ]
    kept = model.answer(request(history)).response.message
    finder = ReplyFinder(script)
    for message in [*history, kept]:
        finder.feed(message)
    assert finder.last == 0


def test_a_reply_made_by_a_function_is_found_again() -> None:
    """Made replies are known by their derived ids, or while the model remembers them."""
    script = Script(
        [
            by(lambda asked: call("a", n=len(asked.messages))),
            by(lambda asked: say(f"{len(asked.messages)} messages")),
            say("Done."),
        ]
    )
    model = ScriptedModel(script)
    history = start()
    for index in range(2):
        model.answer(request([*history, user("Something that was lost.")]))
        model.answer(request(history))  # its answer is lost
        answer = model.answer(request(history))
        assert answer.index == index
        message = answer.response.message
        history = [*history, message, *results(message)]
    assert model.answer(request(history)).index == 2
    assert ScriptedModel(script).answer(request(history[:4])).index == 1
    # Another process has nothing but the text, and a text made by a function says
    # nothing: that reply is made again.
    assert ScriptedModel(script).answer(request(history)).index == 1
    changed = replace(history[2], tool_calls=(ToolCall("call_1", "b"),))
    assert model.answer(request([*start(), changed, *results(changed)])).index == 0


def test_replies_of_forever_are_found_by_their_ids() -> None:
    """A crash in an endless script goes on where the history ends."""
    script = Script([call("a"), forever(lambda n: call("b", n=n), say("Hm."))])
    model = ScriptedModel(script)
    history = start()
    for index in range(6):
        answer = model.answer(request(history))
        assert answer.index == index
        message = answer.response.message
        history = [*history, message, *results(message), user("Go on.")]
    condensed = [*start(), *history[-6:]]
    assert ScriptedModel(script).answer(request(condensed)).index == 6


def test_messages_older_than_the_script_are_none_of_its_replies() -> None:
    """A conversation that goes on with a new script does not take old for new."""
    script = Script([call("check_disk"), say("Done.")])
    old = ScriptedModel(script)
    history = start()
    for _ in range(2):
        message = old.answer(request(history)).response.message
        history = [*history, message, *results(message)]
    history.append(user("Again, please."))
    model = ScriptedModel(script, earlier=2)
    answer = model.answer(request(history))
    assert answer.index == 0
    assert answer.response.message.tool_calls[0].id == "call_1-r2"
    message = answer.response.message
    assert model.answer(request([*history, message, *results(message)])).index == 1


@pytest.mark.parametrize(
    ("asked", "seen", "same"),
    [
        ('{"a": 1, "b": 2}', '{"b":2,"a":1}', True),
        ("", "{}", True),
        ('{"a": ', "{}", True),  # a wire that can't carry invalid JSON
        ('{"a": ', '{"a": ', True),
        ('{"a": 1}', "{}", False),
        ('{"a": 1, "b": 0, "a": 2}', '{"b": 0, "a": 2}', True),  # one that has objects
        ('{"a": 1, "b": 0, "a": 2}', '{"b": 0, "a": 1}', False),
        ('{"a": 1}', '{"a": 2}', False),
        ('{"a": ', '{"a"', False),
    ],
)
def test_arguments_are_the_same_when_they_mean_the_same(
    asked: str, seen: str, same: bool
) -> None:
    """Order and white space do not count; a wire may have no place for invalid JSON."""
    assert same_call(Call("a", asked), ToolCall("x", "a", seen)) is same
    assert not same_call(Call("b", asked), ToolCall("x", "a", seen))


@pytest.mark.parametrize(
    "given_id", ["call_99", "call_0", "call_1_2", "call_2-r", "call_" + "9" * 5000]
)
def test_ids_that_only_look_derived_are_no_replies(given_id: str) -> None:
    """A foreign id names no reply, whatever it looks like."""
    script = Script([call("a"), say("Done.")])
    message = assistant("", ToolCall(given_id, "b"))
    answer = ScriptedModel(script).answer(
        request([*start(), message, *results(message)])
    )
    assert answer.index == 0


def test_a_growing_history_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over n requests on one history each message is read once by the finder."""
    read: list[Message] = []
    feed = ReplyFinder.feed

    def counting(finder: ReplyFinder, message: Message) -> None:
        read.append(message)
        feed(finder, message)

    monkeypatch.setattr(ReplyFinder, "feed", counting)
    model = ScriptedModel(Script([forever(call("a"))]))
    history = History(start())
    asked: list[Request] = []
    for _ in range(200):
        asked.append(request(history.view()))
        message = model.answer(asked[-1]).response.message
        for one in [message, *results(message)]:
            history.append(one)
    assert read == list(asked[-1].messages)
