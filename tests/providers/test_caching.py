"""Usage of long prompts: what the request before had too is read from the cache."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from agentsim.core import (
    History,
    Message,
    Request,
    ToolDef,
    Usage,
    tokens_of,
    tool_result,
    user,
)
from agentsim.providers import Script, ScriptedModel, by, call, forever
from tests.providers.fakes import request, start

LONG = "All of this was said before. " * 200


def asked(model: ScriptedModel, sent: Request) -> Usage:
    """The usage of an answer."""
    usage = model.answer(sent).response.usage
    assert usage is not None
    return usage


def model() -> ScriptedModel:
    """A model that calls one tool for ever."""
    return ScriptedModel(Script([forever(call("look"))]))


def test_a_short_prompt_is_never_read_from_the_cache() -> None:
    """Under 1,024 tokens nothing is."""
    fake, history = model(), History(start())
    for _turn in range(5):
        answer = fake.answer(request(history.view()))
        assert answer.response.usage is not None
        assert answer.response.usage.cache_read == 0
        history.append(answer.response.message)
        history.append(tool_result(answer.response.message.tool_calls[0].id, "seen"))


def test_a_growing_prompt_is_read_from_the_cache_in_steps() -> None:
    """What the request before had is, rounded down to 128 tokens; the new part is not."""
    fake, history = model(), History([user(LONG)])
    first = asked(fake, request(history.view()))
    history.append(fake.answer(request(history.view())).response.message)
    history.append(tool_result("call_1", "seen"))
    second = asked(fake, request(history.view()))
    assert first.cache_read == 0
    assert second.cache_read == tokens_of(len(LONG)) // 128 * 128 == 1_408
    assert second.billable() == second.prompt - 1_408 + second.completion


def test_another_model_or_other_tools_empty_the_cache() -> None:
    """They come first in a prompt: nothing after them can be read."""
    fake, history = model(), History([user(LONG)])
    before = request(history.view())
    asked(fake, before)
    assert asked(fake, before).cache_read > 0
    assert asked(fake, replace(before, model="another")).cache_read == 0
    assert asked(fake, replace(before, model="another")).cache_read > 0
    tools = (ToolDef("other", "another tool"),)
    assert asked(fake, replace(before, tools=tools)).cache_read == 0


def test_a_prompt_that_is_rewritten_keeps_its_stable_beginning() -> None:
    """A changed message ends the prefix; the messages before it are read."""
    fake = ScriptedModel(Script([forever(by(lambda _request: call("look")))]))
    asked(fake, request([user(LONG), user("one"), user("two")]))
    assert asked(fake, request([user(LONG), user("other")])).cache_read == 1_408
    assert asked(fake, request([user("new"), user(LONG)])).cache_read == 0


@settings(max_examples=50)
@given(st.lists(st.sampled_from([LONG, "a", "b"]), max_size=6), st.data())
def test_what_is_read_is_part_of_the_prompt(
    texts: list[str], data: st.DataObject
) -> None:
    """Cached tokens never outgrow the prompt, nor what both prompts share."""
    history = [user("begin"), *map(user, texts)]
    kept = data.draw(st.integers(0, len(history)))
    again: list[Message] = [*history[:kept], user("and now?")]
    fake = ScriptedModel(Script([forever(by(lambda _request: call("look")))]))
    asked(fake, request(history))
    usage = asked(fake, request(again))
    shared = sum(message.characters for message in history[:kept])
    assert usage.cache_read <= min(usage.prompt, tokens_of(shared))
    assert usage.cache_read % 128 == 0
