"""A report tells each bug once, however many failing runs show it."""

from __future__ import annotations

import asyncio
import json

import pytest

from agentsim.core import Env, InvariantViolation, Message, Request, tool_result, user
from agentsim.providers import call, say, together
from agentsim.pytest_plugin.repeating import Plan, Repeats
from agentsim.pytest_plugin.sim import Recorded
from agentsim.pytest_plugin.timelines import timeline_section
from agentsim.simulation import Exploration, Menu, Scenario, explore, run
from agentsim.world import Disk, Files

BOTH = Scenario(
    "Look, and note it down.",
    [
        together(call("check_disk"), call("write_file", path="note", content="it")),
        say("Noted."),
    ],
    world=[Disk(), Files()],
)

MENU = Menu("any_order", faults=["raises:check_disk", "empty_answer"])


async def hasty(env: Env) -> str:
    """Run all at once, which is one bug, and fail where a tool does: another one."""
    tools = {tool.name: tool for tool in env.tools}
    definitions = tuple(tool.definition for tool in env.tools)
    messages: list[Message] = [user(env.task)]
    while True:
        request = Request(env.model, tuple(messages), definitions)
        message = (await env.client.complete(request)).message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        answers = [
            tools[asked.name].run(json.loads(asked.arguments))
            for asked in message.tool_calls
        ]
        outputs = await asyncio.gather(*answers)
        messages += [
            tool_result(asked.id, str(output))
            for asked, output in zip(message.tool_calls, outputs, strict=True)
        ]


def explored() -> Exploration:
    """What is found with one deviation."""
    return explore(BOTH, hasty, deviations=1, menu=MENU)


def test_what_another_run_shows_is_named_and_not_told_again() -> None:
    """The first run shows the overlap; the one in which a tool fails tells of that alone."""
    found = explored()
    first, *_, last = found.distinct_failures
    assert found.elsewhere(first) == ()
    assert "writes-alone" in [entry.id for entry in first.run.verdict.violated]
    assert "writes-alone" in found.elsewhere(last)
    text = last.told(found.elsewhere(last))
    assert "result-always is violated" in text
    assert "writes-alone is violated" not in text
    assert "Violated too, and shown by another run: writes-alone, reads-bounded" in text
    assert last.text.count("writes-alone is violated") == 1


def test_each_kind_of_violation_is_told_once() -> None:
    """Whatever was found is told in full by one of the texts, and by no two."""
    found = explored()
    with pytest.raises(InvariantViolation) as caught:
        found.expect_holds()
    text = str(caught.value)
    for failure in found.failures:
        words = f"\n{failure.invariant} is violated"
        kinds = [one for one in found.failures if one.invariant == failure.invariant]
        assert 1 <= f"\n{text}".count(words) <= len(kinds)
    assert text.count("writes-alone is violated") == 1


def test_what_is_not_told_by_a_text_is_not_left_to_it() -> None:
    """Of the failures of a report alone one may be told elsewhere."""
    found = explored()
    last = found.distinct_failures[-1]
    assert found.elsewhere(last, [last]) == ()


def test_the_repeated_runs_of_a_test_tell_each_bug_once() -> None:
    """The findings of the plugin know what another one tells."""
    made = run(BOTH, hasty)
    plan = Plan(MENU, deviations=1)
    repeats = Repeats()
    repeats.make([Recorded(BOTH, hasty, made)], plan)
    first, *_, last = repeats.findings
    assert first.elsewhere == ()
    assert "writes-alone" in last.elsewhere


def test_a_section_of_a_report_leaves_out_the_middle_of_a_long_timeline() -> None:
    """Where a model asks for ever, head and tail are shown, and what they leave out."""
    endless = Scenario(
        "Look.",
        [call("check_disk"), say("Done.")],
        world=[Disk()],
        faults=["same_call_forever@1"],
    )
    rows = timeline_section(run(endless, hasty)).splitlines()
    assert len(rows) == 81
    assert "lines are left out here; --agentsim-traces=FOLDER" in rows[40]
    assert "life 1 begins" in rows[0]
    assert "livelock" in rows[-1]
