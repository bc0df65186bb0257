"""The invariant that one model does the whole run (spec R2, R7.3)."""

from __future__ import annotations

from collections.abc import Iterator

from agentsim.core import ProviderError, RequestSent
from agentsim.invariants.conversation.handing import hands_over
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import Ruling, Violation, invariant, rule
from agentsim.invariants.subjects import Conversation, Life

__all__ = ["one_model"]


@invariant(
    "one-model",
    "One model, asked with one temperature, does the whole run.",
    rationale="A run that changes its model on the way can't be compared, priced or "
    "repeated, and no cache survives it; one that ignores its configuration was never "
    "tested as it runs.",
    spec=("R2", "R7.3"),
    exemptions=(
        (
            "A fallback to a model that the run has not used before, directly after a "
            "transient failure or an empty response."
        ),
        "Another conversation than the main one has a model of its own.",
        "A part of the agent to which another one [handed over](#handoffs).",
        (
            "Name and temperature of an agent whose scenario configures none: only that "
            "they stay the same."
        ),
    ),
)
def one_model(facts: Facts) -> Ruling:
    """Compare each request with what is configured, and with the one before it."""
    header = facts.header
    configured = bool(header.model) or header.temperature is not None
    evidence = 0
    violations: list[Violation] = []
    for life in facts.lives:
        for talk in life.conversations:
            sent = talk.requests
            model, temperature = sent[0][1].model, sent[0][1].temperature
            if talk is life.main and life.main_known:
                model = header.model or model
                if header.temperature is not None:
                    temperature = header.temperature
                evidence += configured
            evidence += len(sent) - 1
            violations += _changes(facts, life, talk, model, temperature)
    return rule(evidence, violations, "no second request was sent")


def _changes(
    facts: Facts, life: Life, talk: Conversation, model: str, temperature: float
) -> Iterator[Violation]:
    used = [model]
    before: tuple[int, RequestSent] | None = None
    for at, request in talk.requests:
        last, before = before, (at, request)
        if request.model == model and request.temperature == temperature:
            continue
        if last is not None and hands_over(facts, life, talk, last[1], request):
            model, temperature = request.model, request.temperature
            used = [model]
        if request.model != model:
            since = -1 if last is None else last[0]
            if request.model in used or not _failed(facts, talk, since, at):
                yield _other(request, at, model)
            model = request.model
            used.append(model)
        if request.temperature != temperature:
            yield _warmer(request, at, temperature)
            temperature = request.temperature


def _failed(facts: Facts, talk: Conversation, before: int, at: int) -> bool:
    """Whether the request before failed in a way that may pass, or came to nothing."""
    for failed_at, failure in facts.failures:
        if before < failed_at < at and failure.rule is None:
            error = ProviderError("", status=failure.status, kind=failure.error)
            return error.transient
    return any(turn.request_at == before and not turn.consumed for turn in talk.turns)


def _other(request: RequestSent, at: int, model: str) -> Violation:
    return Violation(
        f"request {request.number} asks another model",
        ascii(model),
        ascii(request.model),
        (at,),
    )


def _warmer(request: RequestSent, at: int, temperature: float) -> Violation:
    return Violation(
        f"request {request.number} asks with another temperature",
        f"{temperature:g}",
        f"{request.temperature:g}",
        (at,),
    )
