"""Handoffs: which change of prompt and tools makes another part of an agent, and which none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from agentsim.core import (
    History,
    RequestSent,
    ResponseReceived,
    ToolCall,
    ToolDef,
    assistant,
    system,
    tool_result,
    user,
)
from agentsim.invariants import judge
from agentsim.invariants.conversation.handing import says_so
from agentsim.trace import ToolFacts, Trace
from tests.invariants.support import PROMPT, Run, call, read

LOOK = read("look")
NEXT = read("next_desk")
TRANSFER = read("transfer_to_billing")


class Team(Run):
    """A run whose requests have the prompt and the tools of the part that is there.

    Attributes:
        prompt: That of the part.
        offered: Its tools, or None for all that are configured.
        model: Its model.
    """

    prompt = PROMPT
    offered: Sequence[str] | None = None
    model = "m"

    def requests(self, *_args: object, **_more: object) -> int:
        """A request of the part that is there goes out."""
        body = [message for message in self.history.view() if message.role != "system"]
        view = History([system(self.prompt), *body]).view()
        names = [entry.name for entry in self.header.tools]
        offered = names if self.offered is None else self.offered
        tools = tuple(map(ToolDef, offered))
        number = super().requests(view, tools=tools)
        sent = self.events[-1]
        assert isinstance(sent, RequestSent)
        sent.model = self.model
        return number

    def hands_over(self, name: str = "next_desk", prompt: str = "You bill.") -> None:
        """The model calls, the agent answers, and another part is there."""
        self.asks(call(name))
        self.answers("It has it now. Do not greet again.")
        self.prompt = prompt


def violated(trace: Trace) -> list[str]:
    """The invariants that a trace violates."""
    return [entry.id for entry in judge(trace) if entry.status == "violated"]


def team(wire: str = "", tools: Sequence[ToolFacts] = (LOOK, NEXT)) -> Team:
    """A run of several parts that has looked once."""
    run = Team(tools)
    run.wire = wire
    run.looks()
    return run


WIRES = ("", "openai-chat", "anthropic")


@pytest.mark.parametrize("wire", WIRES)
def test_another_part_may_go_on_with_the_history(wire: str) -> None:
    """It keeps its own prompt and model, and hands back to one that has its old ones."""
    run = team(wire)
    run.hands_over()
    run.model = "small"
    run.looks()
    run.hands_over(prompt=PROMPT)
    run.model = "m"
    run.looks()
    run.says()
    assert violated(run.ends()) == []


@pytest.mark.parametrize("wire", WIRES)
def test_each_part_offers_tools_of_its_own(wire: str) -> None:
    """None of them has to offer what only others are called for."""
    run = team(wire)
    run.hands_over()
    run.offered = ["look"]
    run.looks()
    run.says()
    assert violated(run.ends()) == []


@pytest.mark.parametrize("name", ["next_desk", "transfer_to_billing"])
def test_a_tool_that_runs_hands_over_if_its_name_says_so(name: str) -> None:
    """Any other one has run, and the prompt is another one all the same."""
    run = team(tools=(LOOK, NEXT, TRANSFER))
    run.asks(call(name))
    run.runs(name, "It has it now.")
    run.answers("It has it now.")
    run.prompt = "You bill."
    run.says()
    expected = [] if name == "transfer_to_billing" else ["prefix-stable"]
    assert violated(run.ends()) == expected


def test_a_part_offers_what_the_model_asks_it_for() -> None:
    """What it leaves out was never asked of it."""
    run = team("openai-chat")
    run.hands_over()
    run.offered = ["next_desk"]
    run.looks()
    run.says()
    assert "prefix-stable" in violated(run.ends())


def test_a_part_adds_no_tools_that_nobody_knows() -> None:
    """Without an SDK between, tools are those of the scenario, as it words them."""
    run = team()
    run.hands_over()
    run.offered = ["look", "peek"]
    run.says()
    assert violated(run.ends()) == ["prefix-stable"]


def changes_again(run: Team) -> None:
    """The prompt changes behind a tool that ran."""
    run.looks()
    run.prompt = "You bill!"


def changes_late(run: Team) -> None:
    """It takes over one request after the handoff."""
    late, run.prompt = run.prompt, PROMPT
    run.looks()
    run.prompt = late


def changes_tools(run: Team) -> None:
    """A tool gets lost on the way."""
    run.looks()
    run.offered = ["look"]


def turns_tools(run: Team) -> None:
    """The tools come in another order."""
    run.looks()
    run.offered = ["next_desk", "look"]


def comes_back_otherwise(run: Team) -> None:
    """The first part comes back with another number in its prompt."""
    run.looks()
    run.hands_over(prompt=f"{PROMPT} Round 2.")
    run.looks()
    run.hands_over(prompt=f"{PROMPT} Round 3.")


def comes_back_in_disorder(run: Team) -> None:
    """The first part comes back with its tools in another order."""
    run.looks()
    run.hands_over(prompt=PROMPT)
    run.offered = ["next_desk", "look"]


SPOILED = (
    changes_again,
    changes_late,
    changes_tools,
    turns_tools,
    comes_back_otherwise,
    comes_back_in_disorder,
)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("spoil", SPOILED)
def test_a_handoff_excuses_no_other_change(
    spoil: Callable[[Team], None], wire: str
) -> None:
    """Prompt and tools stay from one handoff to the next, and with their part."""
    run = team(wire)
    run.hands_over()
    spoil(run)
    run.looks()
    run.says()
    assert violated(run.ends()) == ["prefix-stable"]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("name", "first", "again", "expected"),
    [
        ("transfer_to_billing", "You bill.", "You bill again.", ["prefix-stable"]),
        ("transferToBilling", "You bill.", "You bill again.", ["prefix-stable"]),
        ("transfer_to_billing", "You bill.", "You bill.", []),
        ("escalate", "You bill.", "You lead those who bill.", []),
    ],
)
def test_a_part_that_is_called_again_by_its_name_is_the_same_one(
    name: str, first: str, again: str, expected: list[str], wire: str
) -> None:
    """It has its old prompt; a name that does not say whom may call another part."""
    run = team(wire, (LOOK, read(name), read("transfer_to_triage")))
    run.hands_over(name, first)
    run.looks()
    run.hands_over("transfer_to_triage", PROMPT)
    run.looks()
    run.hands_over(name, again)
    run.says()
    assert violated(run.ends()) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("It is 10:00:03.", "It is 10:00:04.", ["prefix-stable"]),
        ("Call a7f2.", "Call 3c19.", ["prefix-stable"]),
        ("You are desk 1.", "You are desk 2.", []),
        ("You greet.", "You bill.", []),
    ],
)
def test_a_prompt_with_other_numbers_is_of_the_same_part(
    before: str, after: str, expected: list[str]
) -> None:
    """Unless the call tells of them."""
    run = Team([NEXT], prompt=None)
    run.prompt = before
    run.asks(call("next_desk", '{"to": "desk 2"}'))
    run.answers("It has it now.")
    run.prompt = after
    run.says()
    assert violated(run.ends()) == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [({}, []), ({"properties": {"to": {"type": "string"}}}, ["errors-visible"])],
)
def test_a_handoff_that_takes_no_arguments_needs_no_valid_ones(
    parameters: dict[str, object], expected: list[str]
) -> None:
    """It is the agent's own, on an SDK, and the world need not have it."""
    run = Run([LOOK], prompt=None)
    run.wire = "openai-chat"
    offered = (LOOK.definition, ToolDef("transfer_to_billing", "", parameters))
    number = run.requests(tools=offered)
    message = assistant("", ToolCall("c1", "transfer_to_billing", "null"))
    run.adds(ResponseReceived(number, message, "tool_use", None))
    run.history.append(message)
    run.history.append(tool_result("c1", "billing"))
    run.says()
    assert violated(run.ends()) == expected


HELP = "Nobody knows about the order."
HELPED = History([system("You help."), user("What of it?")]).view()


@pytest.mark.parametrize("wire", WIRES)
def test_a_call_that_is_refused_hands_nothing_over(wire: str) -> None:
    """A prompt that tells of the last error is one that changes."""
    run = team(wire)
    run.asks(call("next_desk"))
    run.answers("Error: nobody is there", error=wire != "openai-chat")
    run.prompt = "You are an agent, and made an error."
    run.says()
    assert violated(run.ends()) == ["prefix-stable"]


def test_the_answer_of_a_helper_is_no_handoff() -> None:
    """A prompt that changes whenever a helper was asked is one that changes."""
    found = []
    for answer in ("It has it now.", HELP):
        run = Team([NEXT])
        run.asks(call("next_desk"))
        number = Run.requests(run, HELPED)
        run.adds(ResponseReceived(number, assistant(HELP), "end_turn", None))
        run.answers(answer)
        run.prompt = "You bill."
        run.says()
        found.append(violated(run.ends()))
    assert found == [[], ["prefix-stable"]]


def test_where_only_the_wire_was_seen_the_name_tells() -> None:
    """Nobody knows then whether a tool ran."""
    found = []
    for name in ("transfer_to_billing", "next_desk"):
        run = Team([], prompt=None)
        run.header = replace(run.header, wire_only=True)
        run.wire, run.offered = "openai-chat", ["look", name]
        run.hands_over(name)
        run.says()
        found.append(violated(run.ends()))
    assert found == [[], ["prefix-stable"]]


def test_names_of_tools_that_hand_over() -> None:
    """They are those that frameworks and people give; what only sounds alike is none."""
    yes = (
        "transfer transfer_to_billing transfer_back_to_supervisor handoff hand_off_to_x"
    )
    yes += " handover escalate_to_human delegate return_to_triage switch-to go_to_x"
    no = "look_up transferred handle_request hand_offer return_toast switch_tools"
    assert [name for name in yes.split() if not says_so(name)] == []
    assert [name for name in no.split() if says_so(name)] == []
