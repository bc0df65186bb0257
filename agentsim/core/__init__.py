"""The vocabulary that every layer shares: no input or output, no clock, no chance."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.core.errors import AgentsimError as AgentsimError
    from agentsim.core.errors import CassetteBypassed as CassetteBypassed
    from agentsim.core.errors import CassetteError as CassetteError
    from agentsim.core.errors import CassetteInUse as CassetteInUse
    from agentsim.core.errors import CassetteMiss as CassetteMiss
    from agentsim.core.errors import Change as Change
    from agentsim.core.errors import ChangeKind as ChangeKind
    from agentsim.core.errors import Deadlock as Deadlock
    from agentsim.core.errors import Finding as Finding
    from agentsim.core.errors import HeldForEver as HeldForEver
    from agentsim.core.errors import ImproperRequest as ImproperRequest
    from agentsim.core.errors import InternalError as InternalError
    from agentsim.core.errors import InvariantViolation as InvariantViolation
    from agentsim.core.errors import NondeterminismError as NondeterminismError
    from agentsim.core.errors import ProviderError as ProviderError
    from agentsim.core.errors import ScenarioError as ScenarioError
    from agentsim.core.errors import TaskLeak as TaskLeak
    from agentsim.core.errors import TokenError as TokenError
    from agentsim.core.errors import ToolFailed as ToolFailed
    from agentsim.core.errors import UnscriptedRequest as UnscriptedRequest
    from agentsim.core.errors import UsageError as UsageError
    from agentsim.core.errors import WorldError as WorldError
    from agentsim.core.errors import linked_errors as linked_errors
    from agentsim.core.estimate import estimate_usage as estimate_usage
    from agentsim.core.estimate import tokens_of as tokens_of
    from agentsim.core.events.boundary import CancelRequested as CancelRequested
    from agentsim.core.events.boundary import (
        ConfirmationAnswered as ConfirmationAnswered,
    )
    from agentsim.core.events.boundary import ConfirmationAsked as ConfirmationAsked
    from agentsim.core.events.boundary import Crashed as Crashed
    from agentsim.core.events.boundary import Declared as Declared
    from agentsim.core.events.boundary import DeltaReceived as DeltaReceived
    from agentsim.core.events.boundary import EffectApplied as EffectApplied
    from agentsim.core.events.boundary import EndingKind as EndingKind
    from agentsim.core.events.boundary import FaultStruck as FaultStruck
    from agentsim.core.events.boundary import IncarnationStarted as IncarnationStarted
    from agentsim.core.events.boundary import MessageInjected as MessageInjected
    from agentsim.core.events.boundary import Outcome as Outcome
    from agentsim.core.events.boundary import RequestFailed as RequestFailed
    from agentsim.core.events.boundary import RequestSent as RequestSent
    from agentsim.core.events.boundary import ResponseReceived as ResponseReceived
    from agentsim.core.events.boundary import ResumeProbe as ResumeProbe
    from agentsim.core.events.boundary import Returned as Returned
    from agentsim.core.events.boundary import ToolEnded as ToolEnded
    from agentsim.core.events.boundary import ToolEnding as ToolEnding
    from agentsim.core.events.boundary import ToolStarted as ToolStarted
    from agentsim.core.events.event import Event as Event
    from agentsim.core.events.event import Who as Who
    from agentsim.core.events.kinds import EVENT_KINDS as EVENT_KINDS
    from agentsim.core.events.runtime import Acknowledged as Acknowledged
    from agentsim.core.events.runtime import CallIdsReplaced as CallIdsReplaced
    from agentsim.core.events.runtime import CallRecovered as CallRecovered
    from agentsim.core.events.runtime import CheckpointSaved as CheckpointSaved
    from agentsim.core.events.runtime import CondenseEnded as CondenseEnded
    from agentsim.core.events.runtime import CondenseFailed as CondenseFailed
    from agentsim.core.events.runtime import CondenseStarted as CondenseStarted
    from agentsim.core.events.runtime import Escalated as Escalated
    from agentsim.core.events.runtime import FallbackUsed as FallbackUsed
    from agentsim.core.events.runtime import FinalAnswer as FinalAnswer
    from agentsim.core.events.runtime import LoopBlocked as LoopBlocked
    from agentsim.core.events.runtime import Retried as Retried
    from agentsim.core.events.runtime import RunEnded as RunEnded
    from agentsim.core.events.runtime import RunStarted as RunStarted
    from agentsim.core.events.runtime import Terminal as Terminal
    from agentsim.core.events.runtime import ToolProgress as ToolProgress
    from agentsim.core.history import History as History
    from agentsim.core.history import MessageView as MessageView
    from agentsim.core.json_fault import DEPTH_MAX as DEPTH_MAX
    from agentsim.core.json_fault import DIGITS_MAX as DIGITS_MAX
    from agentsim.core.json_fault import find_fault as find_fault
    from agentsim.core.json_text import InvalidArguments as InvalidArguments
    from agentsim.core.json_text import canonical_arguments as canonical_arguments
    from agentsim.core.json_text import canonical_json as canonical_json
    from agentsim.core.json_text import parse_arguments as parse_arguments
    from agentsim.core.json_text import parse_json as parse_json
    from agentsim.core.limits import Limits as Limits
    from agentsim.core.limits import LoopRules as LoopRules
    from agentsim.core.loops import CallKey as CallKey
    from agentsim.core.loops import LoopWindow as LoopWindow
    from agentsim.core.loops import call_key as call_key
    from agentsim.core.loops import key_signature as key_signature
    from agentsim.core.loops import signature as signature
    from agentsim.core.messages import FINAL_REASONS as FINAL_REASONS
    from agentsim.core.messages import WIRE_BLOCK as WIRE_BLOCK
    from agentsim.core.messages import Carried as Carried
    from agentsim.core.messages import Delta as Delta
    from agentsim.core.messages import Message as Message
    from agentsim.core.messages import Request as Request
    from agentsim.core.messages import Response as Response
    from agentsim.core.messages import Role as Role
    from agentsim.core.messages import StreamFault as StreamFault
    from agentsim.core.messages import StreamKind as StreamKind
    from agentsim.core.messages import StreamPlace as StreamPlace
    from agentsim.core.messages import ToolCall as ToolCall
    from agentsim.core.messages import Usage as Usage
    from agentsim.core.messages import assistant as assistant
    from agentsim.core.messages import system as system
    from agentsim.core.messages import tool_result as tool_result
    from agentsim.core.messages import user as user
    from agentsim.core.ports import Boundary as Boundary
    from agentsim.core.ports import Client as Client
    from agentsim.core.ports import Confirm as Confirm
    from agentsim.core.ports import Env as Env
    from agentsim.core.ports import Inject as Inject
    from agentsim.core.ports import Observe as Observe
    from agentsim.core.ports import Stop as Stop
    from agentsim.core.ports import SyncClient as SyncClient
    from agentsim.core.ports import SyncConfirm as SyncConfirm
    from agentsim.core.ports import SyncEnv as SyncEnv
    from agentsim.core.registry import Registry as Registry
    from agentsim.core.results import STATUSES as STATUSES
    from agentsim.core.results import Decision as Decision
    from agentsim.core.results import Finished as Finished
    from agentsim.core.results import Injected as Injected
    from agentsim.core.results import Question as Question
    from agentsim.core.results import RunResult as RunResult
    from agentsim.core.results import Status as Status
    from agentsim.core.rules import RULES as RULES
    from agentsim.core.rules import Breach as Breach
    from agentsim.core.rules import HistoryRules as HistoryRules
    from agentsim.core.rules import Rule as Rule
    from agentsim.core.rules import breaches as breaches
    from agentsim.core.tools import Category as Category
    from agentsim.core.tools import Rights as Rights
    from agentsim.core.tools import SyncTool as SyncTool
    from agentsim.core.tools import Tool as Tool
    from agentsim.core.tools import ToolDef as ToolDef
    from agentsim.core.tools import ToolFunction as ToolFunction
    from agentsim.core.tools import check_names as check_names
    from agentsim.core.tools import copied as copied
    from agentsim.core.tools import copied_arguments as copied_arguments
    from agentsim.core.words import COUNT_MAX as COUNT_MAX
    from agentsim.core.words import NUMBER_MAX as NUMBER_MAX
    from agentsim.core.words import count_words as count_words
    from agentsim.core.words import did_you_mean as did_you_mean
    from agentsim.core.words import named_error as named_error
    from agentsim.core.words import number_fault as number_fault
    from agentsim.core.words import place_of as place_of
    from agentsim.core.words import raised_words as raised_words
    from agentsim.core.words import shown_path as shown_path
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Acknowledged": "events.runtime",
            "AgentsimError": "errors",
            "Boundary": "ports",
            "Breach": "rules",
            "COUNT_MAX": "words",
            "CallIdsReplaced": "events.runtime",
            "CallKey": "loops",
            "CallRecovered": "events.runtime",
            "CancelRequested": "events.boundary",
            "Carried": "messages",
            "CassetteBypassed": "errors",
            "CassetteError": "errors",
            "CassetteInUse": "errors",
            "CassetteMiss": "errors",
            "Category": "tools",
            "Change": "errors",
            "ChangeKind": "errors",
            "CheckpointSaved": "events.runtime",
            "Client": "ports",
            "CondenseEnded": "events.runtime",
            "CondenseFailed": "events.runtime",
            "CondenseStarted": "events.runtime",
            "Confirm": "ports",
            "ConfirmationAnswered": "events.boundary",
            "ConfirmationAsked": "events.boundary",
            "Crashed": "events.boundary",
            "DEPTH_MAX": "json_fault",
            "DIGITS_MAX": "json_fault",
            "Deadlock": "errors",
            "Decision": "results",
            "Declared": "events.boundary",
            "Delta": "messages",
            "DeltaReceived": "events.boundary",
            "EVENT_KINDS": "events.kinds",
            "EffectApplied": "events.boundary",
            "EndingKind": "events.boundary",
            "Env": "ports",
            "Escalated": "events.runtime",
            "Event": "events.event",
            "FINAL_REASONS": "messages",
            "FallbackUsed": "events.runtime",
            "FaultStruck": "events.boundary",
            "FinalAnswer": "events.runtime",
            "Finding": "errors",
            "Finished": "results",
            "HeldForEver": "errors",
            "History": "history",
            "HistoryRules": "rules",
            "ImproperRequest": "errors",
            "IncarnationStarted": "events.boundary",
            "Inject": "ports",
            "Injected": "results",
            "InternalError": "errors",
            "InvalidArguments": "json_text",
            "InvariantViolation": "errors",
            "Limits": "limits",
            "LoopBlocked": "events.runtime",
            "LoopRules": "limits",
            "LoopWindow": "loops",
            "Message": "messages",
            "MessageInjected": "events.boundary",
            "MessageView": "history",
            "NUMBER_MAX": "words",
            "NondeterminismError": "errors",
            "Observe": "ports",
            "Outcome": "events.boundary",
            "ProviderError": "errors",
            "Question": "results",
            "RULES": "rules",
            "Registry": "registry",
            "Request": "messages",
            "RequestFailed": "events.boundary",
            "RequestSent": "events.boundary",
            "Response": "messages",
            "ResponseReceived": "events.boundary",
            "ResumeProbe": "events.boundary",
            "Retried": "events.runtime",
            "Returned": "events.boundary",
            "Rights": "tools",
            "Role": "messages",
            "Rule": "rules",
            "RunEnded": "events.runtime",
            "RunResult": "results",
            "RunStarted": "events.runtime",
            "STATUSES": "results",
            "ScenarioError": "errors",
            "Status": "results",
            "Stop": "ports",
            "StreamFault": "messages",
            "StreamKind": "messages",
            "StreamPlace": "messages",
            "SyncClient": "ports",
            "SyncConfirm": "ports",
            "SyncEnv": "ports",
            "SyncTool": "tools",
            "TaskLeak": "errors",
            "Terminal": "events.runtime",
            "TokenError": "errors",
            "Tool": "tools",
            "ToolCall": "messages",
            "ToolDef": "tools",
            "ToolEnded": "events.boundary",
            "ToolEnding": "events.boundary",
            "ToolFailed": "errors",
            "ToolFunction": "tools",
            "ToolProgress": "events.runtime",
            "ToolStarted": "events.boundary",
            "UnscriptedRequest": "errors",
            "Usage": "messages",
            "UsageError": "errors",
            "WIRE_BLOCK": "messages",
            "Who": "events.event",
            "WorldError": "errors",
            "assistant": "messages",
            "breaches": "rules",
            "call_key": "loops",
            "canonical_arguments": "json_text",
            "canonical_json": "json_text",
            "check_names": "tools",
            "copied": "tools",
            "copied_arguments": "tools",
            "count_words": "words",
            "did_you_mean": "words",
            "estimate_usage": "estimate",
            "find_fault": "json_fault",
            "key_signature": "loops",
            "linked_errors": "errors",
            "named_error": "words",
            "number_fault": "words",
            "parse_arguments": "json_text",
            "parse_json": "json_text",
            "place_of": "words",
            "raised_words": "words",
            "shown_path": "words",
            "signature": "loops",
            "system": "messages",
            "tokens_of": "estimate",
            "tool_result": "messages",
            "user": "messages",
        },
    )
