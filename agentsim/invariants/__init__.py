"""Judges a trace by small, named invariants; reads nothing but the trace."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.invariants.facts import Facts as Facts
    from agentsim.invariants.judging import INVARIANTS as INVARIANTS
    from agentsim.invariants.judging import judge as judge
    from agentsim.invariants.judging import overall as overall
    from agentsim.invariants.reference import NUMBERED_RULES as NUMBERED_RULES
    from agentsim.invariants.reference import RuleGroup as RuleGroup
    from agentsim.invariants.reference import reference_page as reference_page
    from agentsim.invariants.reference import rules_page as rules_page
    from agentsim.invariants.registry import Invariant as Invariant
    from agentsim.invariants.registry import Judgement as Judgement
    from agentsim.invariants.registry import Ruling as Ruling
    from agentsim.invariants.registry import VerdictStatus as VerdictStatus
    from agentsim.invariants.registry import Violation as Violation
    from agentsim.invariants.registry import invariant as invariant
    from agentsim.invariants.registry import not_applicable as not_applicable
    from agentsim.invariants.registry import rule as rule
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Facts": "facts",
            "INVARIANTS": "judging",
            "Invariant": "registry",
            "Judgement": "registry",
            "NUMBERED_RULES": "reference",
            "RuleGroup": "reference",
            "Ruling": "registry",
            "VerdictStatus": "registry",
            "Violation": "registry",
            "invariant": "registry",
            "judge": "judging",
            "not_applicable": "registry",
            "overall": "judging",
            "reference_page": "reference",
            "rule": "registry",
            "rules_page": "reference",
        },
    )
