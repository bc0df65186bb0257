"""The reference pages of the invariants and of the rules that they stand for."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from agentsim.invariants.judging import INVARIANTS
from agentsim.invariants.registry import Invariant

__all__ = ["NUMBERED_RULES", "RuleGroup", "reference_page", "rules_page"]


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """Rules on one subject.

    Attributes:
        title: The subject, as a heading says it.
        rules: Number -> the rule, in a sentence or two.
    """

    title: str
    rules: Mapping[str, str]


NUMBERED_RULES = (
    RuleGroup(
        "R1. What is passed around",
        {
            "R1.1": "A message keeps all that the service sent, blocks of kinds that "
            "nobody knows included.",
            "R1.2": "A call's arguments are the JSON text that the model wrote. What "
            "is invalid is told, and never repaired in silence.",
            "R1.3": "A tool declares its rights: whether it reads, writes or destroys, "
            "whether calls of it may overlap, whether a person must approve. The agent "
            "neither guesses them nor takes them from the model.",
            "R1.5": "What counts are the tokens of prompt and completion, those read "
            "from a cache by a weight. A response without usage is estimated, "
            "marked so, and never counted as zero.",
            "R1.7": "A response comes whole, or in pieces with an end that says that it "
            "is whole. Without that end it is none.",
            "R1.8": "The limits are iterations, a deadline and a token budget, which "
            "end the run, and a number K of tools in flight, which does not. "
            "None is no limit.",
            "R1.9": "Every run returns a result, with a status of its own for each "
            "way to end.",
            "R1.10": "A decision says whether the call is approved, and the id of the "
            "person who decided.",
            "R1.11": "JSON is compared by its values: whatever the order of keys, and "
            "integers to the last digit.",
        },
    ),
    RuleGroup(
        "R2. Configuration",
        {
            "R2": "The tools given are the allowlist, and the prompt given is sent. "
            "Neither changes while the run lasts.",
        },
    ),
    RuleGroup(
        "R3. One iteration",
        {
            "R3.1": "A response without calls is final where its reason says so, whatever "
            "its text says, and it is appended too.",
            "R3.2": "The response is appended first; directly after it comes exactly "
            "one result for each call, in the order of the calls.",
            "R3.4": "A tool's error is a result that the model gets. It is neither "
            "swallowed nor the end of the loop.",
            "R3.5": "So are a tool that does not exist and arguments that don't fit.",
            "R3.6": "System prompt and tools are the same in every request, and the "
            "history grows at its end only.",
            "R3.7": "The iteration limit is final: no request follows, not even one "
            "for a summary.",
            "R3.8": "A paused response is appended, and the model is asked again with "
            "nothing behind it. One that was cut at max_tokens ends the run, and none of "
            "its calls runs; so does a refusal, which is not asked for again.",
            "R3.9": "When a run ends with calls open, each still gets a result that "
            "says it was not run, or that its outcome is unknown. Only a run that "
            "waits for a person may leave calls open.",
            "R3.10": "An answer beside calls is not final, and its text is kept.",
            "R3.11": "No tool is needed to say that the task is complete.",
            "R3.12": "Structure goes before the reason: calls with the reason stop are "
            "run; tool_use without calls is an empty response. A reason that nobody "
            "knows ends the run as failed.",
            "R3.13": "Ids of calls that are missing, empty or repeated are replaced "
            "by fresh ones, in call and result alike.",
        },
    ),
    RuleGroup(
        "R4. The tools of one response",
        {
            "R4.1": "Only tools that read and are declared parallel overlap, at most "
            "K of them.",
            "R4.2": "A tool that writes or needs approval runs alone: after all "
            "before it has ended, and before anything after it starts.",
            "R4.3": "Results keep the order of the calls, whichever tool ends first.",
            "R4.4": "A call that needs approval runs after a person with an id "
            "approved it. A refusal, or nobody to ask, is an error result.",
            "R4.5": "A destructive tool is run dry first; its question shows what "
            "would happen.",
        },
    ),
    RuleGroup(
        "R5. Loop detection",
        {
            "R5.1": "The signature of an answered call is its tool, its arguments and "
            "its output, without the parts that the tool declares volatile. Calls "
            "that were refused or failed count too.",
            "R5.2": "Signatures are counted in a window. At the third equal one the "
            "result is replaced by a block; the sixth ends the run. A write that "
            "succeeds with a new signature is progress, and starts the count anew.",
            "R5.3": "Another output is no loop: asking until something is ready is "
            "allowed.",
            "R5.4": "Calls in turn count as well: A, B, A, B is a loop of two.",
            "R5.5": "A write that is blocked is refused before anybody is asked to "
            "approve it.",
            "R5.6": "The same text answer again and again ends the run, without a "
            "block before.",
        },
    ),
    RuleGroup(
        "R6. Limits",
        {
            "R6.1": "Each limit ends the run with a status of its own. Nothing is "
            "asked and nothing starts after it.",
            "R6.2": "The run ends after a response that takes it above the budget, "
            "before its tools run; and before a request when nothing is left.",
            "R6.3": "The deadline covers everything, waiting for a person too. What is "
            "in flight is cancelled, and a write cut off by it is told as unknown.",
            "R6.4": "The result says which boundary struck and how far the run came.",
        },
    ),
    RuleGroup(
        "R7 to R9. Errors, recovery, messages in between",
        {
            "R7.1": "A request that failed for a while, and a response that is empty "
            "or degenerate, is asked for again, and the history shows nothing of it.",
            "R7.3": "One model does the whole run. Another takes its place only after "
            "failures that may pass, and once for each.",
            "R8.3": "A history may be condensed where it grew too long, if that is "
            "announced and calls keep their results.",
            "R8.5": "A call that the model wrote as text may be taken for one, if "
            "that is announced.",
            "R9": "A user's message may enter a running turn, after complete results "
            "and before the next request.",
        },
    ),
    RuleGroup(
        "R10. What survives",
        {
            "R10.4": "A write has one key, stable over retries: the same key twice is "
            "one effect. Two calls of the model are two writes.",
            "R10.5": "A write of which nobody knows whether it happened is told as "
            "unknown, and not run again in silence.",
        },
    ),
    RuleGroup(
        "T. The simulation",
        {
            "T2.1": "Time is virtual, and a run that waits for what never comes is "
            "found out.",
            "T3.2": "The fake model refuses the histories that real services refuse.",
        },
    ),
)
"""Those that an invariant, an exemption or the description of an event cites.

Their numbers are those of the project's specification, which has more.
"""

_HEAD = """# Invariants

<!-- Made from the registry by `make docs`; a test compares the two. -->

An invariant is a rule that a run keeps. Each is judged from the outside, by what stands
at the boundary of the agent: requests, responses, starts and ends of tools, answers of
persons, effects, and the outcome. What a runtime says of itself is not needed.

A judgement is one of four. **holds**: the run put the rule to the test and kept it.
**violated**: it did not, and the events that show it are named. **unknown**: nothing in
the run put it to the test. **not applicable**: its subject does not exist in the run, or
the agent made no such promise (limits and loop detection are judged only where the agent
declares them). A run is violated if any judgement is; it is unknown if an invariant that
you named is unknown; else it holds.

The [rules](rules.md) that each stands for are in the last column.
"""

_TAIL = """\
## Several conversations

An agent may hold several conversations in one life: a tool that is an agent of its own, a
router, a summarizer. Each is judged by its own history. They are told apart by their
requests, so: a request goes on with the conversation with which it has most in common,
from the first message behind the system prompt on. It begins another one if behind the
prompt it has nothing that the model said in this life (messages of the user, and examples
of what to answer), and

- no conversation began with its first message, or
- its prompt is another one, and it does not repeat a request that failed, or
- its first messages are not those with which the other one began, or
- it is the same as a request that is still unanswered, or
- it is how a conversation began that was answered since, and is not the main one.

So does a copy of what was said so far with a message of the user behind it, if it leaves
out the calls that are being answered, or has another prompt or other tools than the
original; and where no tools are offered, one with more to read in place of the answer, if
somebody else was asked meanwhile. A copy with the same prompt and tools and all that was
said is the conversation itself: whoever goes on without it later has changed the history.

The main one is that of which the outcome tells, by its history or its output. Where that
is the output of a writer without tools, which began when another conversation had ended,
that other one is the main one. The prompt and tools of the scenario, limits, loops and the
result are judged of the main one alone; tokens count in all. Where it goes on from the
response to the only request of another, that request was one of its own, sent without its
history.

In doubt a request goes on with what there is, and is judged as that. So a main conversation
that is left in the middle for another one, with the same prompt and tools or the same first
message, was replaced, and `history-append-only` reports it, unless a condensation was
announced. In a life that was cut off that is so only where nothing kept the main one from
going on while the other one, with its prompt and tools, was answered. It was not left in
the middle if its last calls are of tools that only it offers, and no tool ran for them (a
router answers so, and so hands over who passes no history on), or if it offers nothing but
one tool that the world does not have: that is a form to fill in.

## Handoffs

The parts of an agent may hand over to one another: the model calls a tool such as
`transfer_to_billing`, the agent answers that call, and the same history goes on under the
prompt, with the tools and the model of another part. It stays one conversation: its calls,
results, history, limits and loops are judged over all parts. Only `prefix-stable` and
`one-model` judge each part by itself. A part begins with a request directly behind a
response

- that calls a tool which the agent offered, where the history has a result that refuses
  nothing, and
- no tool of the world ran for that call, and no other conversation gave its result. A tool
  that does run hands over only if its name says so: `transfer`, `handoff`, `hand_over`,
  `delegate`, `escalate`, or `return_to`, `connect_to`, `switch_to` and the like. So it is
  for all tools where only the wire was seen; and
- the request has other tools, or its prompt differs in more than in numbers, dates and ids
  of which the call says nothing.

The first part has the prompt of the scenario. A part has the same prompt and the same tools
in the same order until it hands over, and when it comes back. It is known again by its
prompt, in which only numbers may differ, or by the same tools and the same call that led to
it before, where the name says whom it calls: `transfer_to_billing`, and not `escalate`. The
parts share the tools of the scenario: none of them misses one that the model calls, and what
one offers beside those is the agent's own, on an SDK. A prompt or tools that change anywhere
else are reported.

## Beside the invariants

Three more lines may stand among the judgements. They need more than a trace, so
`agentsim show` and `agentsim check` don't have them, and `--require` takes none of them.

- **`expected`**: the run is as `expect` in its scenario says. It is judged only in runs
  without deviations: the story says nothing of what happens when more goes wrong. In an
  exploration that is the first run.
- **`no-lost-errors`**: an exception in a task that nobody awaited. asyncio would only log
  it, and the run would look fine although a part of it had died. It is listed only where
  one was lost.
- **`runs-independent`**: the same choices gave another run. An exploration makes its first
  run twice, and each run that it reports once more, and compares their traces; it also
  notices when a later run does not meet the choices that led to it. It is listed only where
  they differ. Then something outlives a run (a counter, a cache, a default that grows, the
  conversation that an object keeps: give its class, or see [sessions of several
  turns](../how-to/test-in-ci.md#sessions-of-several-turns)), or the agent takes time, chance
  or an order from elsewhere. Mend this first: a token repeats nothing until then, and what
  else such an exploration says may be chance.
"""

_RULES_HEAD = """\
# The rules, by number

<!-- Made from the rules by `make docs`; a test compares the two. -->

What a correct agent loop does, as far as [invariants](invariants.md) judge it and
messages cite it. Numbers that are missing here are rules that nothing here cites.
"""


def reference_page() -> str:
    """The page, in Markdown."""
    return "\n".join(
        [_HEAD, *_table(), *(_section(e) for e in INVARIANTS.own.values()), _TAIL]
    )


def _table() -> Iterator[str]:
    yield "| id | sentence | rules |"
    yield "|---|---|---|"
    for entry in INVARIANTS.own.values():
        link = f"[`{entry.id}`](#{entry.id})"
        rules = ", ".join(map(_rule_link, entry.spec))
        yield f"| {link} | {entry.sentence} | {rules} |"
    yield ""


def _section(entry: Invariant) -> str:
    lines = [f"## {entry.id}", "", entry.sentence, "", f"*Why.* {entry.rationale}", ""]
    if entry.exemptions:
        lines += ["*Exemptions:*", "", *(f"- {text}" for text in entry.exemptions), ""]
    if entry.needs_inside:
        lines += ["*Over HTTP* (`agentsim serve`) it is not applicable.", ""]
    return "\n".join(lines)


def rules_page() -> str:
    """The text of `docs/reference/rules.md`."""
    return "\n".join([_RULES_HEAD, *map(_group, NUMBERED_RULES)])


def _rule_link(number: str) -> str:
    """The number of a rule, as a link to its place on the page."""
    # Not by next(): its StopIteration would silently end the list that links are for.
    [title] = [group.title for group in NUMBERED_RULES if number in group.rules]
    words = "".join(c for c in title.lower() if c.isalnum() or c in " -")
    return f"[{number}](rules.md#{words.replace(' ', '-')})"


def _group(group: RuleGroup) -> str:
    return f"## {group.title}\n\n{''.join(_rows(group.rules))}"


def _rows(rules: Mapping[str, str]) -> Iterator[str]:
    yield "| rule | |\n|---|---|\n"
    for number, words in rules.items():
        yield f"| {number} | {words} |\n"


if __name__ == "__main__":
    sys.stdout.write(reference_page())
