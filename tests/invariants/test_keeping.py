"""What was said reaches the model again: responses, and nobody else's words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from agentsim.core import (
    CallIdsReplaced,
    CallRecovered,
    CondenseEnded,
    History,
    Message,
    MessageInjected,
    ToolCall,
    assistant,
    tool_result,
    user,
)
from agentsim.invariants import Judgement
from tests.invariants.support import Run, asked, call, read, verdict

LOOK = read("look")
BLOCK = {"type": "thinking", "signature": "c2ln"}
SAID = Message(
    "assistant", "I look.", (ToolCall("c1", "look", '{"n": 1}'),), blocks=(BLOCK,)
)


def kept(said: Message, echo: Message | None, *events: object) -> Judgement:
    """The judgement on a response that the next request carries as `echo`."""
    run = Run([LOOK])
    run.responds(said, keep=False)
    run.runs("look", "seen", n=1)
    for event in events:
        event.who = "runtime"  # type: ignore[attr-defined]
        run.adds(event)  # type: ignore[arg-type]
    if echo is not None:
        run.history.append(echo)
        for entry in echo.tool_calls:
            run.history.append(tool_result(entry.id, "seen"))
    run.says("done")
    return verdict(run.ends(), "response-kept-whole")


def test_a_response_that_goes_back_whole_is_evidence() -> None:
    """Text, calls, arguments and blocks are there: each response counts once."""
    judged = kept(SAID, SAID)
    assert (judged.status, judged.evidence) == ("holds", 2)
    copy = replace(SAID, blocks=(dict(BLOCK),))
    assert kept(SAID, copy).status == "holds"


CHANGES: dict[str, Callable[[Message], Message]] = {
    "the text of response 1 was changed": lambda said: replace(said, content="I look"),
    "blocks of response 1 were dropped": lambda said: replace(said, blocks=()),
    "was dropped or changed": lambda said: replace(
        said, blocks=({**BLOCK, "signature": "other"},)
    ),
    "the arguments of call 0": lambda said: replace(
        said, tool_calls=(ToolCall("c1", "look", '{"n":1}'),)
    ),
    "goes back under another name": lambda said: replace(
        said, tool_calls=(ToolCall("c1", "see", '{"n": 1}'),)
    ),
    "goes back with another id": lambda said: replace(
        said, tool_calls=(ToolCall("mine", "look", '{"n": 1}'),)
    ),
    "goes back with other calls": lambda said: replace(said, tool_calls=()),
}


@pytest.mark.parametrize("words", CHANGES)
def test_each_part_of_a_response_must_stay(words: str) -> None:
    """What was changed is named, with both texts cut where they differ."""
    words_found = "or changed" if words == "was dropped or changed" else words
    judged = kept(SAID, CHANGES[words](SAID))
    assert judged.status == "violated"
    assert words_found in judged.violations[0].words
    assert judged.violations[0].expected != judged.violations[0].found


def test_a_response_that_is_nowhere_is_lost() -> None:
    """A history that goes on without it, or the same request again, has lost it."""
    run = Run([LOOK])
    run.says("half an answer", keep=False)
    run.history.append(user("and?"))
    run.says("done")
    judged = verdict(run.ends(), "response-kept-whole")
    assert judged.violations[0].words == "response 1 is lost"
    run = Run()
    run.says("half an answer", keep=False)
    run.says("done")
    judged = verdict(run.ends(), "response-kept-whole")
    assert judged.violations[0].found == "the same request again"


@pytest.mark.parametrize(
    ("said", "stop"),
    [
        (assistant(), None),
        (assistant("ab" * 200), None),
        (assistant("cut"), "max_tokens"),
        (assistant("I look."), "tool_use"),
        (SAID, "max_tokens"),
        (SAID, "recitation"),
    ],
    ids=[
        "empty",
        "degenerate",
        "cut",
        "no call",
        "cut call",
        "odd reason",
    ],
)
def test_what_is_no_whole_answer_may_be_asked_for_again(
    said: Message, stop: str | None
) -> None:
    """An empty, a degenerate and a cut response leave no trace in the history (R7.1)."""
    run = Run([LOOK])
    run.responds(said, stop=stop, keep=False)
    run.says("done")
    for rule in ("response-kept-whole", "every-call-answered"):
        assert verdict(run.ends(), rule).status != "violated"


@pytest.mark.parametrize("stop", ["tool_use", "end_turn"])
def test_a_whole_response_may_not_be_asked_for_again(stop: str) -> None:
    """What the model asked for is lost, whether the reason says tool_use or stop."""
    run = Run([LOOK])
    run.responds(SAID, stop=stop, keep=False)
    run.says("done")
    for rule in ("response-kept-whole", "every-call-answered"):
        assert verdict(run.ends(), rule).status == "violated"


def test_announced_and_needed_changes_are_allowed() -> None:
    """New ids for unusable ones, invalid arguments on a wire, recovered calls."""
    nameless = replace(SAID, tool_calls=(ToolCall("", "look", '{"n": 1}'),))
    assert kept(nameless, SAID).status == "holds"
    renamed = replace(SAID, tool_calls=(ToolCall("mine", "look", '{"n": 1}'),))
    assert kept(SAID, renamed, CallIdsReplaced((("c1", "mine"),))).status == "holds"
    invalid = replace(SAID, tool_calls=(ToolCall("c1", "look", "{'n'"),))
    carried = replace(SAID, tool_calls=(ToolCall("c1", "look", "{}"),))
    assert kept(invalid, carried).status == "holds"
    empty = replace(SAID, tool_calls=(ToolCall("c1", "look", ""),))
    assert kept(empty, carried).status == "holds"
    assert kept(SAID, carried).status == "violated"
    text = assistant('look {"n": 1}')
    assert kept(text, SAID, CallRecovered("c1", "look")).status == "holds"
    assert kept(text, SAID).status == "violated"


def test_a_rewritten_history_is_judged_where_it_holds_the_response() -> None:
    """Without the response in it there is no evidence: another invariant judges that."""
    run = Run([LOOK])
    run.asks(asked("look", id="a"), text="I look.")
    run.runs("look")
    run.answers("ok")
    run.history = History([user("summary"), user("go on")])
    run.adds(CondenseEnded(4, 2, who="runtime"))
    run.says("done")
    assert verdict(run.ends(), "response-kept-whole").evidence == 1


def test_no_history_is_no_evidence() -> None:
    """A response that nothing follows tells nothing."""
    run = Run()
    run.says("done")
    judged = verdict(run.trace(), "response-kept-whole")
    assert (judged.status, judged.why) == ("unknown", "no history shows a response")


# ---------------------------------------------------------------------- other voices


def heard(*messages: Message, injected: str | None = None) -> Judgement:
    """The judgement on what stands behind the results of a call."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.runs("look")
    run.answers("ok")
    if injected is not None:
        run.adds(MessageInjected("m1", injected))
    for message in messages:
        run.history.append(message)
    run.says("done")
    return verdict(run.ends(), "no-invented-messages")


def test_only_model_tools_and_user_speak() -> None:
    """Nothing else stands between two requests, or what a user sent meanwhile."""
    assert heard().status == "holds"
    assert heard(user("hurry"), injected="hurry").status == "holds"
    assert heard(user("The user says: hurry"), injected="hurry").status == "holds"


@pytest.mark.parametrize(
    ("messages", "injected", "found"),
    [
        ([user("Continue.")], None, "'Continue.'"),
        ([user("")], None, "an empty one"),
        ([user("Continue."), user("hurry")], "hurry", "'Continue.'"),
        ([user("Continue.")], "", "'Continue.'"),
        ([assistant("I shall go on.")], None, "'I shall go on.'"),
    ],
)
def test_an_invented_message_is_found(
    messages: list[Message], injected: str | None, found: str
) -> None:
    """In the user's name or in the model's: nobody outside of the agent said it."""
    judged = heard(*messages, injected=injected)
    assert [v.found for v in judged.violations] == [found]


def test_each_message_of_the_user_is_heard_once() -> None:
    """One that no later history has is lost, and a second copy was never sent (R9)."""
    lost = heard(injected="mind the backups")
    assert lost.violations[0].words == (
        "a message that the user sent does not reach the model"
    )
    twice = heard(*[user("mind the backups")] * 2, injected="mind the backups")
    assert twice.violations[0].found == "2 times 'mind the backups'"
    for text in ("mind the backups", "größere Dateien zuerst"):
        dressed = heard(user(json.dumps({"user": text})), injected=text)
        assert dressed.status == "holds"


@pytest.mark.parametrize(
    ("summary", "expected"),
    [
        ("We looked. The user wants no backups touched.", "holds"),
        ("We looked, and it is full.", "violated"),
    ],
)
def test_a_condensation_keeps_what_the_user_sent(summary: str, expected: str) -> None:
    """Some word of each message must be left of it, in whatever words."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.runs("look", "seen")
    run.answers("seen")
    run.adds(MessageInjected("m1", "Leave the backups alone."))
    run.history.append(user("Leave the backups alone."))
    run.asks(call("look"))
    run.runs("look", "seen")
    run.answers("seen")
    run.requests()
    run.adds(CondenseEnded(9, 3, who="runtime"))
    run.history = History([*run.history.view()[:1], user(f"go. {summary}")])
    run.says("done")
    assert verdict(run.ends(), "no-invented-messages").status == expected


def test_a_message_before_the_first_request_stands_in_that_one() -> None:
    """As in the second life of a run whose process died while a user spoke (R9)."""
    for kept, status in ((True, "holds"), (False, "violated")):
        run = Run([LOOK])
        run.adds(MessageInjected("m1", "mind the backups"))
        if kept:
            run.history.append(user("mind the backups"))
        run.looks()
        run.says("done")
        assert verdict(run.ends(), "no-invented-messages").status == status


def test_a_message_may_wait_where_no_request_takes_it() -> None:
    """Nothing follows it, only the continuation of a pause, or the process died (R9)."""
    run = Run()
    run.says("hm", stop="pause_turn")
    run.adds(MessageInjected("m1", "mind the backups"))
    run.says("done")
    assert verdict(run.ends(), "no-invented-messages").status == "holds"
    run = Run([LOOK])
    run.looks()
    run.adds(MessageInjected("m1", "mind the backups"))
    run.crashes()
    run.looks()
    run.says("done")
    assert verdict(run.ends(), "no-invented-messages").status == "holds"


def test_what_a_broken_request_left_may_be_kept() -> None:
    """The piece of an answer that broke off is the model's; a user's words are not."""
    run = Run()
    run.fails()
    run.history.append(assistant("I began to"))
    run.says("done")
    assert verdict(run.ends(), "no-invented-messages").status == "holds"
    run = Run()
    run.fails()
    run.history.append(user("try again"))
    run.says("done")
    assert verdict(run.ends(), "no-invented-messages").status == "violated"


def test_the_first_request_and_the_history_left_are_free() -> None:
    """What was said before the run, and what is noted at its end, add to no request."""
    run = Run()
    run.says("done")
    run.history.append(user("[the user closed the window]"))
    judged = verdict(run.ends(), "no-invented-messages")
    assert (judged.status, judged.why) == ("unknown", "no second request was sent")
