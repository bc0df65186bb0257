"""The invariant that a result tells what happened (spec R1.9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentsim.core import FINAL_REASONS, Outcome, Usage
from agentsim.invariants.facts import Facts
from agentsim.invariants.matching import call_key_of
from agentsim.invariants.registry import (
    Ruling,
    Violation,
    invariant,
    not_applicable,
    quoted,
    quoted_apart,
    rule,
)
from agentsim.invariants.subjects import Asked, Life, Turn
from agentsim.invariants.wording import is_form_of

__all__ = ["due_status", "result_true"]

GOING_ON = ("tool_use", "pause_turn")
"""Reasons with which a run goes on."""

OVERRIDING = ("token_budget", "deadline", "cancelled")
"""Statuses that may stand in place of the one that a response asks for."""

CUT = {"truncated": "max_tokens", "refused": "refusal"}
"""Statuses of runs that a cut response ended, and its reason."""

UNANSWERED = ("max_iterations", "truncated", "refused", "waiting_human")
"""Statuses that a run whose last response is a final answer can't have."""


@invariant(
    "result-true",
    "Status, output, iterations, usage and tools of the result are those of the run, "
    "and its history ends with the final answer.",
    rationale="The caller bills, retries and reports by the result; one that tells of "
    "another run than the one that took place is worse than none.",
    spec=("R1.5", "R1.9", "R3.1", "R3.12"),
    exemptions=(
        "Agents that return neither a RunResult nor a Finished, and what that leaves out.",
        (
            "A text in which a runtime announces that it found a call is no final answer, "
            "and the tools of such a run are not compared (R8.5)."
        ),
        (
            "A response that arrived and was not taken in, at the deadline or as an empty "
            "one: whether it counts as an iteration, and its tokens where it is the last."
        ),
        (
            "Tokens that can't be seen: those of failed requests, and responses without "
            "usage, whose estimate may be the agent's own if it is above zero and marked."
        ),
        "Calls that had their turn and ran no tool may stand among the tools or not.",
        (
            "A piece of the final answer as output, and the answer in another form, or with "
            "words around it: the words of the one must be in the other, in their order."
        ),
        "What a program read before its first request may stand first among the tools.",
        "What a writer made of the final answer, in a conversation behind it.",
        "Of several conversations, numbers of the main one or of all.",
        "After a crash, numbers of the last life or of all.",
    ),
)
def result_true(facts: Facts) -> Ruling:
    """Compare the result of the last life with what the trace shows."""
    life = facts.lives[-1] if facts.lives else None
    if life is None or life.outcome is None or life.outcome_at is None:
        return rule(0, [], "the run left no outcome")
    if life.outcome.status is None:
        return not_applicable("the agent did not tell how it ended")
    outcome, at = life.outcome, life.outcome_at
    if _is_all_true(life, outcome):
        return rule(1, [], "")
    untrue = [
        *_status(facts, life, outcome, at),
        *_iterations(facts, life, outcome, at),
    ]
    untrue += [*_usage(facts, life, outcome, at), *_tools(facts, life, outcome, at)]
    found = [
        Violation(f"the result is untrue: {words}", expected, told, places)
        for words, expected, told, places in untrue
    ]
    return rule(1, found, "")


def _is_all_true(life: Life, outcome: Outcome) -> bool:
    """Whether a run is done with its last answer, and told of in full: the usual case."""
    turns, used = life.main.turns, outcome.usage
    if not turns or outcome.status != "done" or outcome.iterations != len(turns):
        return False
    prompt = completion = cached = 0
    names: list[str] = []
    for turn in turns:
        usage = turn.response.usage
        if usage is None:
            return False
        prompt += usage.prompt
        completion += usage.completion
        cached += usage.cache_read
        names += [asked.call.name for asked in turn.asked]
    spent = (prompt, completion, cached)
    if used is None or spent != (used.prompt, used.completion, used.cache_read):
        return False
    last = turns[-1]
    said = last.response
    ends = (
        said.stop_reason in FINAL_REASONS and not last.asked and last.echo is not None
    )
    return (
        ends
        and outcome.output == said.message.content
        and outcome.tools == tuple(names)
    )


def due_status(reason: str) -> str | None:
    """The status of a run that a response ends as it stands, or None (R3.8, R3.12)."""
    if reason in FINAL_REASONS or reason in GOING_ON:
        return None
    return {"max_tokens": "truncated", "refusal": "refused"}.get(reason, "failed")


Untrue = tuple[str, str, str, tuple[int, ...]]
"""What is untrue, what was expected, what was found, and where it shows."""


def _status(facts: Facts, life: Life, outcome: Outcome, at: int) -> Iterator[Untrue]:
    status = outcome.status
    if not life.main.turns:
        if status == "done":
            yield (
                "it is done, and the model never answered",
                "a response",
                "none",
                (at,),
            )
        return
    last = life.main.turns[-1]
    places, reason = (last.response_at, at), last.response.stop_reason
    due = due_status(reason)
    if due is not None and not _may_stand(facts, last, str(status), due):
        words = (
            f"was ended by {ascii(reason)[1:-1]}"
            if reason
            else "does not say why it ended"
        )
        words = f"the last response {words}"
        yield words, f"status {due}", f"status {status}", places
        return
    if status == "done" and (nothing := _no_answer(last)):
        yield nothing, "status failed", "status done", places
        return
    found = any(at > last.response_at for at, _event in facts.recovered)
    final = reason in FINAL_REASONS and not last.asked and last.consumed and not found
    if (status == "done" and not last.asked) or (status == "token_budget" and final):
        yield from _answer(life, last, outcome, places)
    cut = CUT.get(status or "", reason)
    if reason != cut:
        words = f"it is {status}, and the last response was not ended by {cut}"
        yield words, f"another status than {status}", f"reason {reason}", places
    if final and last.response.message.content and status in UNANSWERED:
        words = "the last response is a final answer"
        yield words, "status done", f"status {status}", places


def _no_answer(last: Turn) -> str | None:
    """Why a response without calls is none that a run is done with (R3.12), or None."""
    if last.asked:
        return None
    if not last.response.message.content.strip():
        return "the last response is empty"
    if last.response.stop_reason == "tool_use":
        return "the last response says tool_use and has no calls"
    return None


def _may_stand(facts: Facts, last: Turn, status: str, due: str) -> bool:
    """Whether a status fits a last response that asks for one of its own."""
    if status in (due, *OVERRIDING) or (not last.consumed and status != "done"):
        return True
    failed_again = any(at > last.response_at for at, _event in facts.failures)
    return status == "failed" and failed_again


def _answer(
    life: Life, last: Turn, outcome: Outcome, places: tuple[int, ...]
) -> Iterator[Untrue]:
    """The final answer: is it the output, and does it stand in the history left?"""
    answer, output = last.response.message.content.strip(), outcome.output
    if answer and (output is None or not output.strip()):
        yield "the output is missing", quoted(answer), "none", places
    elif (
        answer
        and output is not None
        and not is_form_of(output.strip(), answer)
        and not _is_said_behind(life, last, output.strip())
    ):
        yield "the output is another", *quoted_apart(answer, output.strip()), places
    if answer and last.aligned and last.shown_at == places[1] and last.echo is None:
        words = "the final answer is not in the history left"
        yield words, quoted(answer), "a history without it", places


def _is_said_behind(life: Life, last: Turn, output: str) -> bool:
    """Whether another conversation behind the answer, of a writer, has put it so."""
    return any(
        turn.request_at > last.response_at
        and is_form_of(output, turn.response.message.content.strip())
        for talk in life.conversations
        if talk is not life.main
        for turn in talk.turns
    )


def _iterations(
    facts: Facts, life: Life, outcome: Outcome, at: int
) -> Iterator[Untrue]:
    told = outcome.iterations
    if told is None or told == len(life.main.turns):
        return
    ranges = [(len(life.consumed), len(life.main.turns))]
    if len(life.conversations) > 1:
        consumed = sum(turn.consumed for turn in life.turns)
        ranges.append((consumed, len(life.turns)))
    if ranges[0][0] <= told <= ranges[0][1]:
        return
    if len(facts.lives) > 1:
        before = facts.lives[:-1]
        ranges.append(
            (
                ranges[0][0] + sum(len(other.consumed) for other in before),
                ranges[0][1] + sum(len(other.turns) for other in before),
            )
        )
    if not any(least <= told <= most for least, most in ranges):
        words = "the number of iterations is another"
        yield words, f"{len(life.consumed)} responses", f"{told} iterations", (at,)


def _usage(facts: Facts, life: Life, outcome: Outcome, at: int) -> Iterator[Untrue]:
    told = outcome.usage
    if told is None:
        return
    turns = life.main.turns
    used = _sum(turns)
    may_be_more = bool(facts.failures)
    if _is_usage(told, used, more=may_be_more):
        return
    others = [turns[:-1]] if turns and not turns[-1].consumed else []
    if len(life.conversations) > 1:
        others.append(life.turns)
    if len(facts.lives) > 1:
        before = [turn for other in facts.lives[:-1] for turn in other.turns]
        others += [[*before, *some] for some in (turns, *others)]
    for some in others:
        if _is_usage(told, _sum(some), more=may_be_more):
            return
    prompt, completion, cached, missing = used
    rest = " and an estimate of the rest, marked so" if missing else ""
    was = f"{_tokens(Usage(prompt, completion, cached))}{rest}"
    yield "the usage is another", was, _tokens(told), (at,)


Total = tuple[int, int, int, bool]
"""Tokens of prompts, of completions and of the cache; whether a response told of none."""


def _sum(turns: Sequence[Turn]) -> Total:
    """The tokens that responses told of, and whether any did not."""
    prompt = completion = cached = 0
    missing = False
    for turn in turns:
        usage = turn.response.usage
        if usage is None:
            missing = True
        else:
            prompt += usage.prompt
            completion += usage.completion
            cached += usage.cache_read
    return prompt, completion, cached, missing


def _is_usage(told: Usage, total: Total, *, more: bool) -> bool:
    """Whether tokens are a total, or with reason more than that."""
    prompt = told.prompt - total[0]
    completion = told.completion - total[1]
    cached = told.cache_read - total[2]
    missing = total[3]
    if not missing and not more:
        return prompt == completion == cached == 0
    if missing and not (told.estimated and prompt + completion > 0):
        return False
    return min(prompt, completion, cached) >= 0


def _tokens(usage: Usage) -> str:
    cached = f", {usage.cache_read} cached" if usage.cache_read else ""
    marked = ", estimated" if usage.estimated else ""
    return f"{usage.prompt} + {usage.completion} tokens{cached}{marked}"


def _tools(facts: Facts, life: Life, outcome: Outcome, at: int) -> Iterator[Untrue]:
    told = outcome.tools
    if told is None or facts.recovered or _are_tools_of(life.main.turns, told):
        return
    first = life.requests[0][0] if life.requests else at
    own = [run.start.name for run in life.operations if run.start_at < first]
    ahead = bool(own) and [*told[: len(own)]] == own  # read before it asked the model
    if ahead and _are_tools_of(life.main.turns, told[len(own) :]):
        return
    if len(life.conversations) > 1 and _are_tools_of(life.turns, told):
        return
    if len(facts.lives) > 1 and _are_tools_of(
        [turn for other in facts.lives for turn in other.turns], told
    ):
        return
    ran = [operation.start.name for operation in life.operations]
    expected = ", ".join(ran) or "none that ran"
    yield "the tools are others", expected, ", ".join(told) or "none", (at,)


def _are_tools_of(turns: Sequence[Turn], told: Sequence[str]) -> bool:
    """Whether names are those of all calls in order; what ran nothing may be left out."""
    names = [asked.call.name for turn in turns for asked in turn.asked]
    if len(names) == len(told):
        return names == list(told)
    calls = [(turn, asked) for turn in turns for asked in turn.asked]
    places = {0: None}  # how many names the calls so far may explain
    for turn, asked in calls:
        name = asked.call.name
        after = {at + 1: None for at in places if at < len(told) and told[at] == name}
        ran = bool(asked.operations) and not _may_be_of_another(asked, turn)
        places = after if ran else {**places, **after}
    return len(told) in places


def _may_be_of_another(asked: Asked, turn: Turn) -> bool:
    """Whether the runs of a call may be repeated ones of a call like it that failed."""
    key = call_key_of(asked.call)
    return any(
        other is not asked
        and call_key_of(other.call) == key
        and any(run.end is None or run.end.ending != "ok" for run in other.operations)
        for other in turn.asked
    )
