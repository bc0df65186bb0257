"""The scripted model as one incarnation reaches it: faults wrap its answers."""

from __future__ import annotations

import math
from dataclasses import replace

from agentsim.core import (
    Client,
    ProviderError,
    Request,
    Response,
    UnscriptedRequest,
    Usage,
    UsageError,
    assistant,
)
from agentsim.engine import Life
from agentsim.faults import Fault
from agentsim.providers import Answer, ScriptedClient
from agentsim.simulation.outside.requests import CheckedClient
from agentsim.simulation.outside.stage import Stage

__all__ = ["CLOSING_TEXT", "simulated_client"]

CLOSING_TEXT = "The script of this simulation has ended."
"""What the model says when a script runs out that need not be told exactly."""


def simulated_client(stage: Stage, life: Life) -> Client:
    """The neutral client of one incarnation."""
    answers = _Answers(stage, life)
    client = ScriptedClient(
        life,
        stage.model,
        tamper=answers.tamper,
        out_of_script=answers.out_of_script,
        numbers=stage.request_numbers,
    )
    stage.client = client
    return CheckedClient(client, life)


class _Answers:
    """Lets faults strike the model's answers, and closes a script that ran out."""

    def __init__(self, stage: Stage, life: Life) -> None:
        self._stage = stage
        self._life = life

    def tamper(self, _request: Request, answer: Answer) -> Answer:
        struck = self._stage.striker.strike(
            self._life, "model", "model", response=answer.response
        )
        if struck is None:
            return answer
        fault, response = struck.fault, struck.response
        answer = replace(answer, latency_s=answer.latency_s + fault.delay_s)
        if fault.answer == "never":
            return replace(answer, latency_s=math.inf)
        if fault.answer == "error":
            return replace(answer, error=_error(fault))
        if fault.tamper is None:
            return answer
        assert response is not None
        try:
            faulty = struck.spoil(fault.tamper, response)
        except UsageError as error:
            self._life.halt(error)
            return replace(answer, latency_s=math.inf)
        return replace(answer, response=faulty, index=None)

    def out_of_script(self, error: UsageError) -> Answer:
        """Close softly where the script is no story to be told exactly; else end the run.

        It is the person who wrote the script that the error is for, not the agent: the
        agent is parked for good, since one that catches it might ask again for ever.
        """
        closing = Response(assistant(CLOSING_TEXT), "end_turn", Usage())
        stage = self._stage
        over = not stage.scenario.exact or stage.deviated or stage.striker.without_end
        if over and isinstance(error, UnscriptedRequest):
            return Answer(closing)
        self._life.halt(error)
        return Answer(closing, latency_s=math.inf)


def _error(fault: Fault) -> ProviderError:
    return ProviderError(
        fault.error_words,
        status=fault.error_status,
        kind=fault.error_kind,
        retry_after_s=fault.retry_after_s,
        definite=fault.definite,
    )
