"""The invariant that one model does the whole run (spec R2, R7.3)."""

from __future__ import annotations

from agentsim.core import ProviderError, RequestSent
from agentsim.invariants.facts import Facts
from agentsim.invariants.registry import Ruling, Violation, invariant, rule
from agentsim.invariants.subjects import Life

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
        sent = life.requests
        if not sent:
            continue
        evidence += len(sent) if configured else len(sent) - 1
        _at, first = sent[0]
        model = header.model or first.model
        temperature = first.temperature
        if header.temperature is not None:
            temperature = header.temperature
        used = [model]
        before = -1
        for at, request in sent:
            if request.model != model:
                fallback = request.model not in used and _failed(
                    facts, life, before, at
                )
                if not fallback:
                    violations.append(_other(request, at, model))
                model = request.model
                used.append(model)
            if request.temperature != temperature:
                violations.append(_warmer(request, at, temperature))
                temperature = request.temperature
            before = at
    return rule(evidence, violations, "no second request was sent")


def _failed(facts: Facts, life: Life, before: int, at: int) -> bool:
    """Whether the request before failed in a way that may pass, or came to nothing."""
    for failed_at, failure in facts.failures:
        if before < failed_at < at and failure.rule is None:
            error = ProviderError("", status=failure.status, kind=failure.error)
            return error.transient
    return any(turn.request_at == before and not turn.consumed for turn in life.turns)


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
