"""The scripted model as one incarnation reaches it: faults wrap its answers."""

from __future__ import annotations

import math
from dataclasses import replace

from agentsim.core import (
    Client,
    ProviderError,
    Request,
    Response,
    StreamFault,
    UnscriptedRequest,
    Usage,
    UsageError,
    assistant,
)
from agentsim.faults import PLACES, Fault
from agentsim.providers import Answer, ScriptedClient
from agentsim.simulation.outside.copies import own_message
from agentsim.simulation.outside.incarnation import Incarnation
from agentsim.simulation.outside.requests import CheckedClient
from agentsim.simulation.outside.scene import Scene

__all__ = ["CLOSING_TEXT", "scripted_client", "simulated_client"]

CLOSING_TEXT = "The script of this simulation has ended."
"""What the model says when a script runs out that need not be told exactly."""


def simulated_client(scene: Scene, life: Incarnation) -> Client:
    """The neutral client of one incarnation."""
    return CheckedClient(scripted_client(scene, life), life)


def scripted_client(scene: Scene, life: Incarnation) -> ScriptedClient:
    """The client of one incarnation for requests that come by a wire."""
    answers = _Answers(scene, life)
    scene.client = ScriptedClient(
        life,
        scene.model,
        tamper=answers.tamper,
        out_of_script=answers.out_of_script,
        numbers=scene.request_numbers,
        warn=scene.warn,
    )
    return scene.client


class _Answers:
    """Lets faults strike the model's answers, and closes a script that ran out."""

    def __init__(self, scene: Scene, life: Incarnation) -> None:
        self._scene = scene
        self._life = life

    def tamper(self, request: Request, answer: Answer) -> Answer:
        message = answer.response.message
        if message.blocks:  # those of the script, which other runs get as well
            own = replace(answer.response, message=own_message(message))
            answer = replace(answer, response=own)
        struck = self._scene.striker.strike(
            self._life,
            "model",
            "model",
            response=answer.response,
            carried=answer.carried,
            offered=[tool.name for tool in request.tools],
        )
        if struck is None:
            return answer
        fault, response = struck.fault, struck.response
        if fault.stream is not None:
            return self._spoilt(answer, fault, fault.stream)
        if fault.delay_s:
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

    def _spoilt(self, answer: Answer, fault: Fault, stream: StreamFault) -> Answer:
        """The answer whose stream goes wrong, where the rule says or a choice does."""
        places = PLACES.get(stream.kind, ())
        if stream.at is None and places:
            options = [
                f"{fault.name} strikes the stream {words}" for _at, words in places
            ]
            drawn = self._life.choose(f"place of {fault.name}", options)
            stream = replace(stream, at=places[drawn][0])
        error = _error(fault) if fault.answer == "error" else None
        return replace(answer, fault=stream, error=error)

    def out_of_script(self, error: UsageError) -> Answer:
        """Close softly where the script is no story to be told exactly; else end the run.

        It is the person who wrote the script that the error is for, not the agent: the
        agent is parked for good, since one that catches it might ask again for ever.
        """
        closing = Response(assistant(CLOSING_TEXT), "end_turn", Usage())
        scene = self._scene
        over = not scene.scenario.exact or scene.deviated or scene.striker.without_end
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
