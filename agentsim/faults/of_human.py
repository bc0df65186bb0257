"""Faults of the person who is asked."""

from __future__ import annotations

from agentsim.core import Decision
from agentsim.faults.kinds import Fault

__all__ = ["HUMAN_FAULTS", "LATE_S"]

LATE_S = 1800.0
"""How many virtual seconds longer a person takes who is late."""

declines = Fault(
    "declines",
    "human",
    "the person declines, with a reason",
    decision=Decision(approved=False, reason="not without a ticket"),
)
declines_without_reason = Fault(
    "declines_without_reason",
    "human",
    "the person declines and gives no reason",
    decision=Decision(approved=False),
)
approves_without_id = Fault(
    "approves_without_id",
    "human",
    "the person approves, and nobody knows who it was",
    decision=Decision(approved=True),
)
answers_late = Fault(
    "answers_late",
    "human",
    f"the person takes {LATE_S / 60:g} minutes longer",
    delay_s=LATE_S,
)
never_answers = Fault(
    "never_answers",
    "human",
    "the person never answers",
    answer="never",
    rare=True,
)

HUMAN_FAULTS = (
    declines,
    declines_without_reason,
    approves_without_id,
    answers_late,
    never_answers,
)
