"""A run notes what its script calls by wrong names, and only that."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from agentsim.core import Env, Message, ToolFailed, tool_result
from agentsim.providers import Reply, call, forever, say, together
from agentsim.runtime import reference
from agentsim.simulation import Run, explore, load_scenario, run
from agentsim.world import Files, tool
from tests.simulation.fakes import ask, writing

RIGHT = call("write_file", path="note", content="it")


def lookup(name: str, **more: str) -> str:
    """Look something up, by whatever there is."""
    return f"{name} {more}"


def noted(*replies: Reply, agent: Callable[..., Any] = reference, **fields: Any) -> Run:
    """A run of a script that holds."""
    story = writing(script=[*replies, say("Noted.")], **fields)
    return run(story, agent).expect_holds()


SLIPS = {
    "unknown": call("write_file", path="note", contents="it"),
    "unknown and nothing near": call("write_file", path="note", content="it", x=1),
    "missing": call("write_file", path="note"),
    "nothing at all": call("write_file"),
    "beside a right one": together(
        call("read_file", path="note"), call("read_file", pth="note")
    ),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_of_the_script_is_noted(name: str, snapshot: SnapshotAssertion) -> None:
    """It says where it is, what was meant, and how to say that it was meant so."""
    assert noted(SLIPS[name]).notes == snapshot


async def unchecked(env: Env) -> str:
    """Pass each call on, and go on whatever its tool says."""
    tools = {tool.name: tool for tool in env.tools}
    messages: list[Message] = []
    while True:
        message = (await ask(env, *messages)).message
        messages.append(message)
        if not message.tool_calls:
            return message.content
        for asked in message.tool_calls:
            try:
                output = str(await tools[asked.name].run(json.loads(asked.arguments)))
                messages.append(tool_result(asked.id, output))
            except ToolFailed as error:
                messages.append(tool_result(asked.id, str(error), is_error=True))


def test_a_tool_that_refuses_the_call_is_as_good_as_a_runtime() -> None:
    """A loop that checks nothing passes the call on, and its tool does not take it."""
    refused = noted(SLIPS["unknown"], agent=unchecked)
    assert refused.notes == noted(SLIPS["unknown"]).notes != ()


def test_what_an_agent_does_not_answer_is_not_noted() -> None:
    """Nobody knows what it would have made of the call."""
    made = run(writing(script=[SLIPS["unknown"]]), stops)
    assert made.notes == ()


async def stops(env: Env) -> str:
    """Ask once, and look no further."""
    return (await ask(env)).message.content


RIGHTS: dict[str, Reply] = {
    "right": RIGHT,
    "in another order": call("write_file", content="it", path="note"),
    "with who approves": call(
        "write_file", path="note", content="it", confirmed_by="x"
    ),
    "a text": call("write_file").but(arguments='{"path": "note", "contents": "it"}'),
    "no JSON": call("write_file").but(arguments="{"),
    "wrong values": call("write_file", path=3, content="it"),
    "a tool that takes any": call("lookup", name="x", colour="red"),
}


@pytest.mark.parametrize("name", RIGHTS)
def test_what_fits_or_is_meant_so_is_not_noted(name: str) -> None:
    """Arguments that are a text may be wrong; values are judged by nobody."""
    given = tool(lookup, schema={"type": "object", "properties": {"name": {}}})
    assert noted(RIGHTS[name], world=[Files(), given]).notes == ()


def test_a_slip_is_noted_once_however_many_runs_show_it() -> None:
    """It is no finding: an exploration holds, and its first run tells."""
    found = explore(writing(script=[SLIPS["missing"], say("Noted.")]), runs=3)
    assert found.expect_holds().runs == 3
    (note,) = found.notes
    assert note.startswith(
        "writing: script[0]: write_file needs the argument 'content'."
    )


def test_arguments_that_a_fault_spoils_are_no_slip() -> None:
    """The script says them as they should be."""
    story = writing(script=[RIGHT, say("Noted.")])
    found = explore(story, deviations=1, faults=["arguments_extra_key"])
    assert found.expect_holds().notes == ()


def test_a_reply_that_is_cut_is_not_looked_at() -> None:
    """Nobody may carry out its calls, whatever they are."""
    cut = SLIPS["unknown"].but(stop_reason="max_tokens")
    assert not writing(script=[cut, say("Cut.")]).slips


def test_replies_for_ever_and_of_a_file_count_too(tmp_path: Path) -> None:
    """All that is written by hand; in a file a text says that it is meant so."""
    endless = writing(script=[forever(SLIPS["unknown"], SLIPS["missing"])])
    assert len(endless.slips) == 2
    lines = ["{path: note, contents: it}", '"{\\"path\\": \\"note\\"}"']
    text = "".join(f"- {{call: write_file, with: {line}}}\n" for line in lines)
    file = tmp_path / "note.yaml"
    head = "task: Note it down.\nworld: {files: null}\nscript:\n"
    file.write_text(f"{head}{text}- {{say: Noted.}}\n", "utf-8")
    (slip,) = load_scenario(file).slips
    assert slip.words.startswith("note: script[0]: write_file takes no argument")


def test_a_call_is_the_same_however_its_arguments_were_given() -> None:
    """Neither digest nor trace tells a name from a text."""
    by_name, by_text = RIGHT, call("write_file").but(arguments=RIGHT.calls[0].arguments)
    assert (by_name, repr(by_name)) == (by_text, repr(by_text))
    stories = [writing(script=[one, say("Noted.")]) for one in (by_name, by_text)]
    assert stories[0].digest == stories[1].digest
    assert run(stories[0]).trace.digest() == run(stories[1]).trace.digest()
