"""Answers requests as the real model services would: scripts, rules, dialects."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.attempts import Attempt as Attempt
    from agentsim.providers.attempts import Receipt as Receipt
    from agentsim.providers.client import AlterAnswer as AlterAnswer
    from agentsim.providers.client import OutOfScript as OutOfScript
    from agentsim.providers.client import ScriptedClient as ScriptedClient
    from agentsim.providers.deltas import DeltaStream as DeltaStream
    from agentsim.providers.dialects import DIALECTS as DIALECTS
    from agentsim.providers.dialects import dialect_named as dialect_named
    from agentsim.providers.entries import By as By
    from agentsim.providers.entries import Entry as Entry
    from agentsim.providers.entries import Forever as Forever
    from agentsim.providers.entries import Numbered as Numbered
    from agentsim.providers.entries import Pick as Pick
    from agentsim.providers.entries import by as by
    from agentsim.providers.entries import forever as forever
    from agentsim.providers.entries import pick as pick
    from agentsim.providers.model import Answer as Answer
    from agentsim.providers.model import Choose as Choose
    from agentsim.providers.model import Model as Model
    from agentsim.providers.model import ScriptedModel as ScriptedModel
    from agentsim.providers.recognise import ReplyFinder as ReplyFinder
    from agentsim.providers.recognise import same_call as same_call
    from agentsim.providers.reply import Call as Call
    from agentsim.providers.reply import Changes as Changes
    from agentsim.providers.reply import Counted as Counted
    from agentsim.providers.reply import Reply as Reply
    from agentsim.providers.reply import call as call
    from agentsim.providers.reply import call_id as call_id
    from agentsim.providers.reply import say as say
    from agentsim.providers.reply import together as together
    from agentsim.providers.script import Script as Script
    from agentsim.providers.strict import STRICT_RULES as STRICT_RULES
    from agentsim.providers.strict import Refusal as Refusal
    from agentsim.providers.strict import RequestRule as RequestRule
    from agentsim.providers.strict import StrictRules as StrictRules
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "AlterAnswer": "client",
            "Answer": "model",
            "Attempt": "attempts",
            "By": "entries",
            "Call": "reply",
            "Changes": "reply",
            "Choose": "model",
            "Counted": "reply",
            "DIALECTS": "dialects",
            "DeltaStream": "deltas",
            "Entry": "entries",
            "Forever": "entries",
            "Model": "model",
            "Numbered": "entries",
            "OutOfScript": "client",
            "Pick": "entries",
            "Receipt": "attempts",
            "Refusal": "strict",
            "Reply": "reply",
            "ReplyFinder": "recognise",
            "RequestRule": "strict",
            "STRICT_RULES": "strict",
            "Script": "script",
            "ScriptedClient": "client",
            "ScriptedModel": "model",
            "StrictRules": "strict",
            "by": "entries",
            "call": "reply",
            "call_id": "reply",
            "dialect_named": "dialects",
            "forever": "entries",
            "pick": "entries",
            "same_call": "recognise",
            "say": "reply",
            "together": "reply",
        },
    )
