"""What can go wrong outside, as rules that answer an operation with a verdict."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.faults.catalogue import CATALOGUE as CATALOGUE
    from agentsim.faults.catalogue import SLOW_S as SLOW_S
    from agentsim.faults.kinds import Fault as Fault
    from agentsim.faults.kinds import Operation as Operation
    from agentsim.faults.kinds import Tamper as Tamper
    from agentsim.faults.kinds import Target as Target
    from agentsim.faults.parsing import parse_rule as parse_rule
    from agentsim.faults.parsing import parse_rules as parse_rules
    from agentsim.faults.plan import FaultPlan as FaultPlan
    from agentsim.faults.reference import faults_page as faults_page
    from agentsim.faults.rules import FaultRule as FaultRule
    from agentsim.faults.rules import check_rules as check_rules
    from agentsim.faults.rules import fault_named as fault_named
    from agentsim.faults.rules import rule_from_text as rule_from_text
    from agentsim.faults.shorthand import answer_lost as answer_lost
    from agentsim.faults.shorthand import duplicate_ids as duplicate_ids
    from agentsim.faults.shorthand import hangs as hangs
    from agentsim.faults.shorthand import malformed_arguments as malformed_arguments
    from agentsim.faults.shorthand import missing_ids as missing_ids
    from agentsim.faults.shorthand import raises as raises
    from agentsim.faults.shorthand import same_call_forever as same_call_forever
    from agentsim.faults.shorthand import slow as slow
    from agentsim.faults.shorthand import unknown_tool as unknown_tool
    from agentsim.faults.tampering import cut_arguments as cut_arguments
    from agentsim.faults.tampering import drop_ids as drop_ids
    from agentsim.faults.tampering import rename_tool as rename_tool
    from agentsim.faults.tampering import repeat_call as repeat_call
    from agentsim.faults.tampering import repeat_id as repeat_id
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "CATALOGUE": "catalogue",
            "Fault": "kinds",
            "FaultPlan": "plan",
            "FaultRule": "rules",
            "Operation": "kinds",
            "SLOW_S": "catalogue",
            "Tamper": "kinds",
            "Target": "kinds",
            "answer_lost": "shorthand",
            "check_rules": "rules",
            "cut_arguments": "tampering",
            "drop_ids": "tampering",
            "duplicate_ids": "shorthand",
            "fault_named": "rules",
            "faults_page": "reference",
            "hangs": "shorthand",
            "malformed_arguments": "shorthand",
            "missing_ids": "shorthand",
            "parse_rule": "parsing",
            "parse_rules": "parsing",
            "raises": "shorthand",
            "rename_tool": "tampering",
            "repeat_call": "tampering",
            "repeat_id": "tampering",
            "rule_from_text": "rules",
            "same_call_forever": "shorthand",
            "slow": "shorthand",
            "unknown_tool": "shorthand",
        },
    )
