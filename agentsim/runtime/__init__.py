"""The reference agent loop: it can't tell simulation from life."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.runtime.accounting import Meter as Meter
    from agentsim.runtime.agent import reference as reference
    from agentsim.runtime.arguments import APPROVER as APPROVER
    from agentsim.runtime.arguments import Schema as Schema
    from agentsim.runtime.arguments import check_arguments as check_arguments
    from agentsim.runtime.arguments import compile_schema as compile_schema
    from agentsim.runtime.arguments import read_arguments as read_arguments
    from agentsim.runtime.batch import answer_batch as answer_batch
    from agentsim.runtime.batch import stretches as stretches
    from agentsim.runtime.callbacks import await_callback as await_callback
    from agentsim.runtime.callbacks import call_back as call_back
    from agentsim.runtime.calls import answer_call as answer_call
    from agentsim.runtime.calls import result_text as result_text
    from agentsim.runtime.config import DEFAULT_PROMPT as DEFAULT_PROMPT
    from agentsim.runtime.config import AgentConfig as AgentConfig
    from agentsim.runtime.config import Resolve as Resolve
    from agentsim.runtime.detector import Detector as Detector
    from agentsim.runtime.detector import detect_stuck as detect_stuck
    from agentsim.runtime.endings import finish as finish
    from agentsim.runtime.events import Emitter as Emitter
    from agentsim.runtime.events import LogEvents as LogEvents
    from agentsim.runtime.ids import CallIds as CallIds
    from agentsim.runtime.memory import Conversation as Conversation
    from agentsim.runtime.memory import Memory as Memory
    from agentsim.runtime.memory import keeper as keeper
    from agentsim.runtime.memory import open_calls as open_calls
    from agentsim.runtime.memory import recall as recall
    from agentsim.runtime.requests import ask as ask
    from agentsim.runtime.requests import read_ending as read_ending
    from agentsim.runtime.requests import resolve_client as resolve_client
    from agentsim.runtime.requests import stops as stops
    from agentsim.runtime.requests import take_injected as take_injected
    from agentsim.runtime.requests import take_response as take_response
    from agentsim.runtime.run import GRACE_S as GRACE_S
    from agentsim.runtime.run import run as run
    from agentsim.runtime.session import Cause as Cause
    from agentsim.runtime.session import RunOver as RunOver
    from agentsim.runtime.session import Session as Session
    from agentsim.runtime.session import Slot as Slot
    from agentsim.runtime.texts import NO_CONFIRM as NO_CONFIRM
    from agentsim.runtime.texts import SUPERSEDED as SUPERSEDED
    from agentsim.runtime.texts import clip as clip
    from agentsim.runtime.texts import describe as describe
    from agentsim.runtime.texts import iteration_limit as iteration_limit
    from agentsim.runtime.texts import loop_block as loop_block
    from agentsim.runtime.texts import not_executed as not_executed
    from agentsim.runtime.texts import not_finished as not_finished
    from agentsim.runtime.texts import outcome_unknown as outcome_unknown
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "APPROVER": "arguments",
            "AgentConfig": "config",
            "CallIds": "ids",
            "Cause": "session",
            "Conversation": "memory",
            "DEFAULT_PROMPT": "config",
            "Detector": "detector",
            "Emitter": "events",
            "GRACE_S": "run",
            "LogEvents": "events",
            "Memory": "memory",
            "Meter": "accounting",
            "NO_CONFIRM": "texts",
            "Resolve": "config",
            "RunOver": "session",
            "SUPERSEDED": "texts",
            "Schema": "arguments",
            "Session": "session",
            "Slot": "session",
            "answer_batch": "batch",
            "answer_call": "calls",
            "ask": "requests",
            "await_callback": "callbacks",
            "call_back": "callbacks",
            "check_arguments": "arguments",
            "clip": "texts",
            "compile_schema": "arguments",
            "describe": "texts",
            "detect_stuck": "detector",
            "finish": "endings",
            "iteration_limit": "texts",
            "keeper": "memory",
            "loop_block": "texts",
            "not_executed": "texts",
            "not_finished": "texts",
            "open_calls": "memory",
            "outcome_unknown": "texts",
            "read_arguments": "arguments",
            "read_ending": "requests",
            "recall": "memory",
            "reference": "agent",
            "resolve_client": "requests",
            "result_text": "calls",
            "run": "run",
            "stops": "requests",
            "stretches": "batch",
            "take_injected": "requests",
            "take_response": "requests",
        },
    )
