"""Each wrong loop with the scenario that shows it, and what is found there.

A loop that the service refuses is told so by its real error, `openai.BadRequestError`,
whose key phrase stands in the finding too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.agents.openai_chat import wrong_ends, wrong_history, wrong_tools


@dataclass(frozen=True)
class Wrong:
    """A wrong loop and how it is found.

    Attributes:
        faults: What may strike; none where the plain run shows it.
        always: What strikes each time, since the SDK would ask again.
        said: The key phrase of the service's refusal, where it refuses.
        runs: Within how many runs of up to one deviation it is found.
    """

    agent: Callable[..., object]
    scenario: str
    invariant: str
    faults: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    said: str = ""
    runs: int = 12


UNANSWERED = "did not have response messages"

UNASKED = "must be a response to a preceeding message with 'tool_calls'"

WRONG: dict[str, Wrong] = {
    wrong.agent.__name__: wrong
    for wrong in (
        Wrong(wrong_history.TextOnly, "disk_full", "provider-accepts", said=UNASKED),
        Wrong(
            wrong_history.NoCallId,
            "disk_full",
            "provider-accepts",
            said="must have a 'tool_call_id'",
        ),
        Wrong(wrong_history.OwnCallId, "disk_full", "provider-accepts", said=UNASKED),
        Wrong(wrong_history.ResultFirst, "disk_full", "provider-accepts", said=UNASKED),
        Wrong(
            wrong_history.FirstCallOnly,
            "parallel_reads",
            "provider-accepts",
            said=UNANSWERED,
        ),
        Wrong(
            wrong_history.NoResultForErrors,
            "disk_full",
            "provider-accepts",
            ("raises",),
            said=UNANSWERED,
        ),
        Wrong(wrong_history.CutHistory, "disk_full", "provider-accepts", said=UNASKED),
        Wrong(wrong_tools.AllAtOnce, "parallel_reads", "writes-alone"),
        Wrong(wrong_tools.AsTheyCome, "parallel_reads", "results-in-order"),
        Wrong(
            wrong_tools.UnguardedJson, "disk_full", "result-always", ("arguments_cut",)
        ),
        Wrong(
            wrong_tools.BadJsonIsEmpty,
            "pay_invoice",
            "arguments-as-asked",
            ("arguments_cut",),
        ),
        Wrong(
            wrong_tools.UnknownToolRaises,
            "disk_full",
            "result-always",
            ("unknown_tool",),
        ),
        Wrong(wrong_tools.ErrorEndsRun, "disk_full", "result-always", ("raises",)),
        Wrong(wrong_tools.ErrorSwallowed, "disk_full", "errors-visible", ("raises",)),
        Wrong(
            wrong_tools.RetriesWrites,
            "disk_full",
            "effect-once",
            ("answer_never_comes",),
        ),
        Wrong(wrong_tools.NobodyAsked, "disk_full", "confirmed-before-effect"),
        Wrong(wrong_ends.NoStepLimit, "iteration_limit", "limit-exact", runs=1),
        Wrong(wrong_ends.OneStepMore, "iteration_limit", "limit-exact", runs=1),
        Wrong(
            wrong_ends.ReasonIgnored,
            "disk_full",
            "stops-by-structure",
            ("max_tokens_with_calls",),
        ),
        Wrong(
            wrong_ends.ReasonAlone,
            "disk_full",
            "stops-by-structure",
            ("stop_with_calls",),
        ),
        Wrong(
            wrong_ends.DoneByWord,
            "disk_full",
            "stops-by-structure",
            ("done_beside_calls",),
        ),
        Wrong(
            wrong_ends.NoneIsAnswer, "disk_full", "result-true", ("content_filtered",)
        ),
        Wrong(
            wrong_ends.SaysDone, "disk_full", "result-true", always=("server_error",)
        ),
        Wrong(wrong_ends.NoRetries, "disk_full", "result-always", ("rate_limited",)),
    )
}
