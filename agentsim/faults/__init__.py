"""What can go wrong outside, as rules that answer an operation with a verdict.

Each fault of the catalogue stands here by its name, and called it gives a rule:
`answer_lost("create_payment", attempt=1)`.
"""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.faults.catalogue import CATALOGUE as CATALOGUE
    from agentsim.faults.groups import GROUPS as GROUPS
    from agentsim.faults.groups import family_of as family_of
    from agentsim.faults.groups import folded as folded
    from agentsim.faults.groups import groups_of as groups_of
    from agentsim.faults.kinds import Fault as Fault
    from agentsim.faults.kinds import Garble as Garble
    from agentsim.faults.kinds import Operation as Operation
    from agentsim.faults.kinds import Tamper as Tamper
    from agentsim.faults.kinds import Target as Target
    from agentsim.faults.of_human import LATE_S as LATE_S
    from agentsim.faults.of_human import answers_late as answers_late
    from agentsim.faults.of_human import approves_without_id as approves_without_id
    from agentsim.faults.of_human import declines as declines
    from agentsim.faults.of_human import (
        declines_without_reason as declines_without_reason,
    )
    from agentsim.faults.of_human import never_answers as never_answers
    from agentsim.faults.of_model import RETRY_AFTER_S as RETRY_AFTER_S
    from agentsim.faults.of_model import TIMEOUT_S as TIMEOUT_S
    from agentsim.faults.of_model import arguments_big_integer as arguments_big_integer
    from agentsim.faults.of_model import arguments_cut as arguments_cut
    from agentsim.faults.of_model import (
        arguments_double_encoded as arguments_double_encoded,
    )
    from agentsim.faults.of_model import (
        arguments_duplicate_key as arguments_duplicate_key,
    )
    from agentsim.faults.of_model import arguments_empty as arguments_empty
    from agentsim.faults.of_model import arguments_extra_key as arguments_extra_key
    from agentsim.faults.of_model import arguments_list as arguments_list
    from agentsim.faults.of_model import arguments_nan as arguments_nan
    from agentsim.faults.of_model import arguments_null as arguments_null
    from agentsim.faults.of_model import arguments_number as arguments_number
    from agentsim.faults.of_model import (
        arguments_single_quoted as arguments_single_quoted,
    )
    from agentsim.faults.of_model import blank_answer as blank_answer
    from agentsim.faults.of_model import connection_lost as connection_lost
    from agentsim.faults.of_model import content_filtered as content_filtered
    from agentsim.faults.of_model import cycle_of_2 as cycle_of_2
    from agentsim.faults.of_model import cycle_of_3 as cycle_of_3
    from agentsim.faults.of_model import cycle_of_4 as cycle_of_4
    from agentsim.faults.of_model import cycle_of_5 as cycle_of_5
    from agentsim.faults.of_model import done_beside_calls as done_beside_calls
    from agentsim.faults.of_model import duplicate_ids as duplicate_ids
    from agentsim.faults.of_model import empty_answer as empty_answer
    from agentsim.faults.of_model import empty_tool_use as empty_tool_use
    from agentsim.faults.of_model import max_tokens_cut as max_tokens_cut
    from agentsim.faults.of_model import max_tokens_with_calls as max_tokens_with_calls
    from agentsim.faults.of_model import missing_ids as missing_ids
    from agentsim.faults.of_model import missing_usage as missing_usage
    from agentsim.faults.of_model import model_hangs as model_hangs
    from agentsim.faults.of_model import model_timeout as model_timeout
    from agentsim.faults.of_model import overloaded as overloaded
    from agentsim.faults.of_model import paused as paused
    from agentsim.faults.of_model import rate_limited as rate_limited
    from agentsim.faults.of_model import refused as refused
    from agentsim.faults.of_model import same_call_forever as same_call_forever
    from agentsim.faults.of_model import server_error as server_error
    from agentsim.faults.of_model import stop_with_calls as stop_with_calls
    from agentsim.faults.of_model import (
        tool_use_without_calls as tool_use_without_calls,
    )
    from agentsim.faults.of_model import unknown_reason as unknown_reason
    from agentsim.faults.of_model import unknown_tool as unknown_tool
    from agentsim.faults.of_streams import PLACES as PLACES
    from agentsim.faults.of_streams import stream_cut as stream_cut
    from agentsim.faults.of_streams import stream_cut_in_bytes as stream_cut_in_bytes
    from agentsim.faults.of_streams import stream_doubled as stream_doubled
    from agentsim.faults.of_streams import stream_ends_early as stream_ends_early
    from agentsim.faults.of_streams import stream_error as stream_error
    from agentsim.faults.of_streams import stream_in_portions as stream_in_portions
    from agentsim.faults.of_streams import stream_interleaved as stream_interleaved
    from agentsim.faults.of_streams import stream_noise as stream_noise
    from agentsim.faults.of_streams import stream_stalls as stream_stalls
    from agentsim.faults.of_streams import (
        stream_without_reason as stream_without_reason,
    )
    from agentsim.faults.of_tools import HUGE_CHARACTERS as HUGE_CHARACTERS
    from agentsim.faults.of_tools import SLOW_S as SLOW_S
    from agentsim.faults.of_tools import answer_lost as answer_lost
    from agentsim.faults.of_tools import answer_never_comes as answer_never_comes
    from agentsim.faults.of_tools import applied_twice as applied_twice
    from agentsim.faults.of_tools import binary_output as binary_output
    from agentsim.faults.of_tools import bytes_output as bytes_output
    from agentsim.faults.of_tools import empty_output as empty_output
    from agentsim.faults.of_tools import flaky as flaky
    from agentsim.faults.of_tools import hangs as hangs
    from agentsim.faults.of_tools import huge_output as huge_output
    from agentsim.faults.of_tools import list_output as list_output
    from agentsim.faults.of_tools import null_output as null_output
    from agentsim.faults.of_tools import number_output as number_output
    from agentsim.faults.of_tools import object_output as object_output
    from agentsim.faults.of_tools import raises as raises
    from agentsim.faults.of_tools import slow as slow
    from agentsim.faults.of_tools import stale as stale
    from agentsim.faults.of_tools import surrogate_output as surrogate_output
    from agentsim.faults.own import model_fault as model_fault
    from agentsim.faults.own import tool_fault as tool_fault
    from agentsim.faults.parsing import parse_offered as parse_offered
    from agentsim.faults.parsing import parse_option as parse_option
    from agentsim.faults.parsing import parse_rule as parse_rule
    from agentsim.faults.parsing import parse_rules as parse_rules
    from agentsim.faults.plan import FaultPlan as FaultPlan
    from agentsim.faults.plan import Offer as Offer
    from agentsim.faults.reference import faults_page as faults_page
    from agentsim.faults.rules import FaultRule as FaultRule
    from agentsim.faults.rules import check_rules as check_rules
    from agentsim.faults.rules import fault_named as fault_named
    from agentsim.faults.rules import rule_from_text as rule_from_text
    from agentsim.faults.rules import rules_from_text as rules_from_text
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "CATALOGUE": "catalogue",
            "Fault": "kinds",
            "FaultPlan": "plan",
            "FaultRule": "rules",
            "GROUPS": "groups",
            "Garble": "kinds",
            "HUGE_CHARACTERS": "of_tools",
            "LATE_S": "of_human",
            "Offer": "plan",
            "Operation": "kinds",
            "PLACES": "of_streams",
            "RETRY_AFTER_S": "of_model",
            "SLOW_S": "of_tools",
            "TIMEOUT_S": "of_model",
            "Tamper": "kinds",
            "Target": "kinds",
            "answer_lost": "of_tools",
            "answer_never_comes": "of_tools",
            "answers_late": "of_human",
            "applied_twice": "of_tools",
            "approves_without_id": "of_human",
            "arguments_big_integer": "of_model",
            "arguments_cut": "of_model",
            "arguments_double_encoded": "of_model",
            "arguments_duplicate_key": "of_model",
            "arguments_empty": "of_model",
            "arguments_extra_key": "of_model",
            "arguments_list": "of_model",
            "arguments_nan": "of_model",
            "arguments_null": "of_model",
            "arguments_number": "of_model",
            "arguments_single_quoted": "of_model",
            "binary_output": "of_tools",
            "blank_answer": "of_model",
            "bytes_output": "of_tools",
            "check_rules": "rules",
            "connection_lost": "of_model",
            "content_filtered": "of_model",
            "cycle_of_2": "of_model",
            "cycle_of_3": "of_model",
            "cycle_of_4": "of_model",
            "cycle_of_5": "of_model",
            "declines": "of_human",
            "declines_without_reason": "of_human",
            "done_beside_calls": "of_model",
            "duplicate_ids": "of_model",
            "empty_answer": "of_model",
            "empty_output": "of_tools",
            "empty_tool_use": "of_model",
            "family_of": "groups",
            "fault_named": "rules",
            "faults_page": "reference",
            "flaky": "of_tools",
            "folded": "groups",
            "groups_of": "groups",
            "hangs": "of_tools",
            "huge_output": "of_tools",
            "list_output": "of_tools",
            "max_tokens_cut": "of_model",
            "max_tokens_with_calls": "of_model",
            "missing_ids": "of_model",
            "missing_usage": "of_model",
            "model_fault": "own",
            "model_hangs": "of_model",
            "model_timeout": "of_model",
            "never_answers": "of_human",
            "null_output": "of_tools",
            "number_output": "of_tools",
            "object_output": "of_tools",
            "overloaded": "of_model",
            "parse_offered": "parsing",
            "parse_option": "parsing",
            "parse_rule": "parsing",
            "parse_rules": "parsing",
            "paused": "of_model",
            "raises": "of_tools",
            "rate_limited": "of_model",
            "refused": "of_model",
            "rule_from_text": "rules",
            "rules_from_text": "rules",
            "same_call_forever": "of_model",
            "server_error": "of_model",
            "slow": "of_tools",
            "stale": "of_tools",
            "stop_with_calls": "of_model",
            "stream_cut": "of_streams",
            "stream_cut_in_bytes": "of_streams",
            "stream_doubled": "of_streams",
            "stream_ends_early": "of_streams",
            "stream_error": "of_streams",
            "stream_in_portions": "of_streams",
            "stream_interleaved": "of_streams",
            "stream_noise": "of_streams",
            "stream_stalls": "of_streams",
            "stream_without_reason": "of_streams",
            "surrogate_output": "of_tools",
            "tool_fault": "own",
            "tool_use_without_calls": "of_model",
            "unknown_reason": "of_model",
            "unknown_tool": "of_model",
        },
    )
