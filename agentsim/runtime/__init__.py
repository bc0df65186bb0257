"""The reference agent loop: it can't tell simulation from life."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.runtime.accounting import Meter as Meter
    from agentsim.runtime.agent import reference as reference
    from agentsim.runtime.arguments import APPROVER as APPROVER
    from agentsim.runtime.arguments import check_arguments as check_arguments
    from agentsim.runtime.arguments import compile_schema as compile_schema
    from agentsim.runtime.arguments import read_arguments as read_arguments
    from agentsim.runtime.calls import result_text as result_text
    from agentsim.runtime.config import DEFAULT_PROMPT as DEFAULT_PROMPT
    from agentsim.runtime.config import AgentConfig as AgentConfig
    from agentsim.runtime.config import Conversation as Conversation
    from agentsim.runtime.config import Memory as Memory
    from agentsim.runtime.config import Resolve as Resolve
    from agentsim.runtime.detector import Detector as Detector
    from agentsim.runtime.detector import detect_stuck as detect_stuck
    from agentsim.runtime.events import LogEvents as LogEvents
    from agentsim.runtime.ids import CallIds as CallIds
    from agentsim.runtime.run import run_agent as run_agent
    from agentsim.runtime.texts import NO_CONFIRM as NO_CONFIRM
    from agentsim.runtime.texts import describe as describe
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "APPROVER": "arguments",
            "AgentConfig": "config",
            "CallIds": "ids",
            "Conversation": "config",
            "DEFAULT_PROMPT": "config",
            "Detector": "detector",
            "LogEvents": "events",
            "Memory": "config",
            "Meter": "accounting",
            "NO_CONFIRM": "texts",
            "Resolve": "config",
            "check_arguments": "arguments",
            "compile_schema": "arguments",
            "describe": "texts",
            "detect_stuck": "detector",
            "read_arguments": "arguments",
            "reference": "agent",
            "result_text": "calls",
            "run_agent": "run",
        },
    )
