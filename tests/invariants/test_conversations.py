"""Several conversations in one life: each has a history of its own, and is judged by it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentsim.core import (
    CancelRequested,
    History,
    Limits,
    LoopRules,
    Message,
    Outcome,
    RequestFailed,
    RequestSent,
    ResponseReceived,
    ToolCall,
    ToolDef,
    Usage,
    assistant,
    system,
    tool_result,
    user,
)
from agentsim.invariants import Facts, judge
from agentsim.trace import Trace
from tests.invariants.support import PROMPT, Run, call, read, verdict, write

LOOK = read("look")
ASK = read("ask")


class Helper:
    """A conversation beside that of a run."""

    tools: tuple[ToolDef, ...] = (LOOK.definition,)

    def __init__(self, run: Run, *start: Message) -> None:
        self.run = run
        self.messages = [*start] if start else [system("You help."), user("How is it?")]
        self.model = "m"

    def sends(self) -> int:
        """A request goes out."""
        number = self.run.requests(History(self.messages).view(), tools=self.tools)
        sent = self.run.events[-1]
        assert isinstance(sent, RequestSent)
        sent.model = self.model
        return number

    def gets(self, message: Message, number: int | None = None) -> None:
        """It is answered, and the answer is kept."""
        number = self.sends() if number is None else number
        reason = "tool_use" if message.tool_calls else "end_turn"
        self.run.adds(ResponseReceived(number, message, reason, Usage(10, 5)))
        self.messages.append(message)

    def looks(self, call_id: str = "h1") -> None:
        """It asks for a look, and gets one."""
        self.gets(assistant("", ToolCall(call_id, "look", "{}")))
        self.run.runs("look", "97 percent")
        self.messages.append(tool_result(call_id, "97 percent"))


def told(
    change: Callable[[Helper], None] = lambda _helper: None, **more: object
) -> Trace:
    """A run that asks a helper, who changes its history before it is asked once more."""
    run = Run([ASK, LOOK], **more)  # type: ignore[arg-type]
    run.asks(call("ask"))
    helper = Helper(run)
    helper.looks()
    change(helper)
    helper.gets(assistant("Full."))
    run.answers("Full.")
    run.looks()
    helper.messages.append(user("And now?"))
    helper.gets(assistant("Still full."))
    run.says("It is full.")
    return run.ends(output="It is full.")


def violated(trace: Trace) -> list[str]:
    """The invariants that a trace violates."""
    return [entry.id for entry in judge(trace) if entry.status == "violated"]


LOST = ["every-call-answered", "response-kept-whole", "no-invented-messages"]
"""What a dropped response, and more of the user in its place, come to."""


def test_a_helper_has_a_conversation_of_its_own() -> None:
    """Its prompt, tools, history and questions are no breach of those of the run."""
    trace = told()
    assert violated(trace) == []
    [life] = Facts(trace).lives
    assert [len(talk.requests) for talk in life.conversations] == [3, 3]
    assert life.main is life.conversations[0]


def drops(helper: Helper) -> None:
    """It looks once more, and loses the first response with its result."""
    helper.looks("h2")
    del helper.messages[2:4]


def changes(helper: Helper) -> None:
    """It changes the response."""
    helper.messages[2] = assistant("", ToolCall("h1", "look", '{"at": 1}'))


def reorders(helper: Helper) -> None:
    """It puts the result before its call."""
    helper.messages[2:4] = reversed(helper.messages[2:4])


def leaves_open(helper: Helper) -> None:
    """It drops the result."""
    del helper.messages[3]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (drops, "history-append-only"),
        (changes, "response-kept-whole"),
        (reorders, "every-call-answered"),
        (leaves_open, "every-call-answered"),
    ],
)
def test_a_helper_that_spoils_its_history_is_caught(
    change: Callable[[Helper], None], expected: str
) -> None:
    """What is no new conversation is judged as the one that it goes on with."""
    assert expected in violated(told(change))


def test_the_main_conversation_may_not_begin_anew() -> None:
    """A run that loses its history beside a helper is caught."""
    run = Run([ASK, LOOK])
    start = [*run.history.view()]
    run.asks(call("ask"))
    Helper(run).gets(assistant("Full."))
    run.history = History(start)
    run.says("It is full.")
    found = violated(run.ends(output="It is full."))
    assert found == ["every-call-answered", "response-kept-whole"]


def test_a_text_in_place_of_the_history_is_caught() -> None:
    """A compaction that nobody announced is no other conversation of the run."""
    run = Run([LOOK])
    run.looks()
    Helper(run, user("Summarize: look, ok")).gets(assistant("It looked."))
    compact = Helper(run, system(PROMPT), user("So far: it looked."))
    compact.gets(assistant("Done."))
    trace = run.ends(output="Done.", history=compact.messages)
    assert "history-append-only" in violated(trace)


SPOILED = ([user("go")], [system(PROMPT), user("Of another user.")], [user("look: ok")])


@pytest.mark.parametrize("start", SPOILED)
def test_a_request_without_the_history_that_its_answer_enters_is_caught(
    start: list[Message],
) -> None:
    """Whose response the run goes on from is no helper, whatever it was told."""
    run = Run([LOOK])
    run.looks()
    once = Helper(run, *start)
    said = assistant("", ToolCall("lost", "look", "{}"))
    once.gets(said)
    run.runs("look", "97 percent")
    run.history.append(said)
    run.history.append(tool_result("lost", "97 percent"))
    run.says("done")
    assert "every-call-answered" in violated(run.ends())


def test_who_asks_beside_the_main_conversation_does_not_replace_it() -> None:
    """A guard reads the task meanwhile, and the run breaks off behind the answer."""
    run = Run([LOOK], prompt=None)
    number = run.requests()
    guard = Helper(run, system("You guard."), user("go"))
    guard.tools = ()
    guard.gets(assistant("fine"))
    asked = assistant("", ToolCall("c1", "look", "{}"))
    run.adds(ResponseReceived(number, asked, "tool_use", Usage(10, 5)))
    run.runs("look")
    run.events.append(Outcome("returned", None, "it broke off"))
    assert violated(run.trace()) == []


@pytest.mark.parametrize("last", [True, False])
def test_another_prompt_is_no_repetition_of_a_request_that_failed(
    last: bool,
) -> None:
    """A guard that failed reads the same task as the agent, and as its expert."""
    run = Run([ASK, LOOK])
    guard = Helper(run, system("You guard."), user("go"))
    guard.tools = ()
    number = guard.sends()
    run.adds(RequestFailed(number, 500, "server_error", "it failed"))
    run.asks(call("ask"))
    expert = Helper(run, system("You help."), user("go"), user("How is it?"))
    expert.looks()
    expert.gets(assistant("It is full."))
    run.answers("It is full.")
    run.says("It is full, I say.")
    if last:
        guard.gets(assistant("fine"))
    assert violated(run.ends(output="It is full, I say.")) == []


@pytest.mark.parametrize("cut", ["crashed", "cancelled", "failed"])
@pytest.mark.parametrize("idle", [True, False])
def test_a_restart_in_other_words_is_caught_in_a_life_that_was_cut_off(
    idle: bool,
    cut: str,
) -> None:
    """Who could have gone on, and did not while one like it was answered, was replaced."""
    run = Run([LOOK])
    run.asks(call("look"))
    run.starts("look")
    if idle:
        run.stops("look")
    again = Helper(run, system(PROMPT), user("Try again: go"))
    again.looks("again")
    if cut == "crashed":
        run.crashes()
        run.says()
        trace = run.ends()
    else:
        run.adds(CancelRequested(who="engine"))
        run.events.append(Outcome("returned", cut, None, "it was cut off"))
        trace = run.trace()
    assert ("history-append-only" in violated(trace)) is idle


def test_a_writer_may_add_the_answer_to_the_history() -> None:
    """A text under another prompt is of somebody else, also as the agent's last word."""
    run = Run([LOOK])
    run.looks()
    writer = Helper(run, system("You write."), user("Write it up: ok"))
    writer.tools = ()
    writer.gets(assistant("It looked."))
    run.history.append(assistant("It looked."))
    run.says("done")
    found = violated(run.ends())
    assert "history-append-only" not in found


def test_a_router_reads_the_same_task_first() -> None:
    """Under another prompt, without what was said before, the task begins anew."""
    run = Run([LOOK])
    router = Helper(run, system("Choose."), user("go"))
    router.tools = ()
    router.gets(assistant("operator"))
    run.looks()
    run.says("done")
    assert violated(run.ends()) == []


def test_the_same_question_at_once_is_two_conversations() -> None:
    """Nobody goes on from a request that is still unanswered."""
    run = Run([ASK, LOOK])
    run.asks(call("ask"), call("ask", '{"again": 1}'))
    one, two = Helper(run), Helper(run)
    first, second = one.sends(), two.sends()
    two.gets(assistant("Full."), second)
    one.gets(assistant("", ToolCall("h1", "look", "{}")), first)
    run.runs("look", "97 percent")
    one.messages.append(tool_result("h1", "97 percent"))
    one.gets(assistant("Full!"))
    run.answers("Full!", "Full.")
    run.says("It is full.")
    assert violated(run.ends()) == []


def test_limits_and_loops_are_those_of_the_main_conversation() -> None:
    """What a helper asks for counts neither as an iteration nor as a repetition."""
    run = Run([ASK, LOOK], limits=Limits(max_iterations=2), loop=LoopRules())
    run.asks(call("ask"))
    helper = Helper(run)
    for number in range(4):
        helper.looks(f"h{number}")
    helper.gets(assistant("Full."))
    run.answers("Full.")
    run.says("done")
    assert violated(run.ends()) == []


@pytest.mark.parametrize("declared", [Limits(max_iterations=1), None])
def test_a_limit_is_no_prompt_to_the_model(declared: Limits | None) -> None:
    """To have the output told in a fresh conversation is to go on behind the limit."""
    run = Run([LOOK], limits=declared)
    run.looks()
    fresh = Helper(run, user("Please summarise now: it looked."))
    fresh.gets(assistant("It looked."))
    trace = run.ends("max_iterations", output="It looked.")
    assert "limit-terminal" in violated(trace)


def test_a_run_that_a_limit_ended_is_not_tried_again() -> None:
    """Nor in other words, with the old history as the result (R6.1)."""
    run = Run([LOOK])
    run.looks()
    again = Helper(run, system(PROMPT), user("Try again: go"))
    again.gets(assistant("It looked."))
    assert violated(run.ends("max_iterations", output=None)) == ["limit-terminal"]


def test_a_helper_may_answer_the_last_call_before_a_limit() -> None:
    """Nobody knows whether a call that no tool ran for waits for a conversation."""
    run = Run([ASK, LOOK], limits=Limits(max_iterations=1))
    run.asks(call("ask"))
    Helper(run).gets(assistant("Full."))
    run.answers("Full.")
    assert violated(run.ends("max_iterations", output="Full.")) == []


@pytest.mark.parametrize("first", ["Plan: look, and say 'done'", "done"])
def test_who_names_the_answer_beforehand_is_not_the_main_conversation(
    first: str,
) -> None:
    """Where the outcome has no history, who offers tools and says just that is it."""
    run = Run([LOOK])
    planner = Helper(run, system("Plan."), user("What to do?"))
    planner.tools = ()
    planner.gets(assistant(first))
    run.looks()
    run.says("done")
    run.events.append(Outcome("returned", None, "done"))
    assert violated(run.trace()) == []


def test_the_only_request_of_a_run_that_was_cut_off_is_judged_by_its_history() -> None:
    """It is of the conversation that the run left, with its prompt."""
    run = Run([LOOK])
    run.history = History([user("go")])
    run.requests()
    assert violated(run.ends("deadline")) == ["prefix-stable"]


@pytest.mark.parametrize("ran", [True, False])
def test_a_run_is_one_of_the_call_whose_result_is_shown(*, ran: bool) -> None:
    """A request to summarize may be answered by the same call, which nobody runs."""
    run = Run([write("note")])
    run.asks(call("note"))
    run.runs("note", "one")
    run.answers("one")
    Helper(run, system("You help."), user("Sum up.")).gets(
        assistant("", ToolCall("h1", "note", "{}"))
    )
    run.asks(call("note"))
    if ran:
        run.runs("note", "two")
    run.answers("two")
    run.says("Noted.")
    judged = verdict(run.ends(output="Noted."), "results-as-returned")
    assert judged.status == ("holds" if ran else "violated")


@pytest.mark.parametrize(("tool", "expected"), [("form", []), ("ask", LOST)])
def test_a_tool_that_the_world_has_not_is_a_form_to_fill_in(
    tool: str, expected: list[str]
) -> None:
    """Asked again, with more to read, whoever filled it in has lost no response."""
    run = Run([ASK, LOOK], prompt=None)
    run.wire = "openai-chat"
    for said in ([], [user("It is full.")]):
        chooser = Helper(run, system("Choose."), user("go"), *said)
        chooser.tools = (ToolDef(tool),)
        chooser.gets(assistant("", ToolCall(f"f{len(said)}", tool, "{}")))
        helper = Helper(run, system(f"You help {len(said)}."), user("go"), *said)
        helper.gets(assistant("It is full, and stays so."))
    run.events.append(Outcome("returned", None, "it broke off"))
    assert violated(run.trace()) == expected


@pytest.mark.parametrize("others", [True, False])
def test_an_answer_without_tools_may_be_asked_for_again_with_more_to_read(
    others: bool,
) -> None:
    """Where nobody else said anything meanwhile, it is a response that is lost."""
    run = Run([], prompt=None)
    chooser = Helper(run, user("go"))
    chooser.tools = ()
    chooser.gets(assistant("operator"))
    if others:
        Helper(run).gets(assistant("It is full."))
    again = Helper(run, user("go"), user("It is full."))
    again.tools = ()
    again.gets(assistant("done"))
    run.events.append(Outcome("returned", None, "done"))
    assert ("response-kept-whole" in violated(run.trace())) is not others


def test_each_conversation_keeps_its_model_and_prefix() -> None:
    """A helper may have another model and tools, but not change them on the way."""

    def model(helper: Helper) -> None:
        helper.model = "small"

    def tools(helper: Helper) -> None:
        helper.tools = (ToolDef("peek"),)

    assert violated(told(model)) == ["one-model"]
    assert violated(told(tools)) == ["prefix-stable"]
