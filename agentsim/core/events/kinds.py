"""Every kind of event by its name: what a trace may hold."""

from __future__ import annotations

from agentsim.core.events.boundary import (
    CancelRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    Crashed,
    Declared,
    DeltaReceived,
    EffectApplied,
    FaultStruck,
    IncarnationStarted,
    MessageInjected,
    Outcome,
    RequestFailed,
    RequestSent,
    ResponseReceived,
    ResumeProbe,
    Returned,
    ToolEnded,
    ToolStarted,
)
from agentsim.core.events.event import Event
from agentsim.core.events.runtime import (
    Acknowledged,
    CallIdsReplaced,
    CallRecovered,
    CheckpointSaved,
    CondenseEnded,
    CondenseFailed,
    CondenseStarted,
    Escalated,
    FallbackUsed,
    FinalAnswer,
    LoopBlocked,
    Retried,
    RunEnded,
    RunStarted,
    Terminal,
    ToolProgress,
)

__all__ = ["EVENT_KINDS"]

EVENT_KINDS: dict[str, type[Event]] = {
    event.kind: event
    for event in (
        IncarnationStarted,
        Declared,
        RunStarted,
        RequestSent,
        DeltaReceived,
        ResponseReceived,
        RequestFailed,
        FinalAnswer,
        Retried,
        FallbackUsed,
        ToolStarted,
        ToolProgress,
        ToolEnded,
        CallIdsReplaced,
        LoopBlocked,
        Terminal,
        Escalated,
        CondenseStarted,
        CondenseEnded,
        CondenseFailed,
        CallRecovered,
        CheckpointSaved,
        MessageInjected,
        Acknowledged,
        ConfirmationAsked,
        ConfirmationAnswered,
        EffectApplied,
        FaultStruck,
        CancelRequested,
        Crashed,
        RunEnded,
        Returned,
        ResumeProbe,
        Outcome,
    )
}
"""Every kind by its name, in the order of the docs."""
