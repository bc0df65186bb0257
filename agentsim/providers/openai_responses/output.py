"""Output items of the model's answers, with the ids that the service gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentsim.core import Message, Response, ToolCall
from agentsim.providers.openai.custom import custom_names
from agentsim.providers.openai.ids import item_id
from agentsim.providers.openai_responses.carried import ENDED
from agentsim.providers.openai_responses.items import REASONING
from agentsim.providers.openai_responses.messages import own_items, write_items
from agentsim.providers.wires.dialect import Answered

__all__ = ["output_items", "status_of"]

REFUSAL = "refusal"


def output_items(answered: Answered) -> list[Any]:
    """The items of an answer: reasoning, then the text, then the calls.

    An answer that was read from this wire has its own items.
    """
    response = answered.response
    message = response.message
    if own_items(message) is not None:
        return write_items(message)
    custom = custom_names(answered.request.tools)
    made = [
        {"id": "rs", **block}
        for block in message.blocks
        if block.get("type") == REASONING
    ]
    if message.content or not (made or message.tool_calls):
        made.append(_message(response))
    made += [_call(call, custom) for call in message.tool_calls]
    for index, item in enumerate(made):
        item["id"] = item_id(item["id"], answered.number, index)
    if made and status_of(response) == "incomplete" and "status" in made[-1]:
        made[-1]["status"] = "incomplete"
    return made


def status_of(response: Response) -> str:
    """What became of a response; one that tells no reason has not come to its end."""
    return "completed" if response.stop_reason in ENDED else "incomplete"


def _message(response: Response) -> dict[str, Any]:
    message: Message = response.message
    if response.refusal is not None or response.stop_reason == "refusal":
        refusal = message.content or response.refusal or ""
        part: dict[str, Any] = {"type": REFUSAL, REFUSAL: refusal}
    else:
        part = {
            "type": "output_text",
            "annotations": [],
            "logprobs": [],
            "text": message.content,
        }
    return {
        "id": "msg",
        "type": "message",
        "status": "completed",
        "content": [part],
        "role": "assistant",
    }


def _call(call: ToolCall, custom: Sequence[str]) -> dict[str, Any]:
    if call.name in custom:
        return {
            "id": "ctc",
            "type": "custom_tool_call",
            "status": "completed",
            "call_id": call.id,
            "input": call.arguments,
            "name": call.name,
        }
    return {
        "id": "fc",
        "type": "function_call",
        "status": "completed",
        "arguments": call.arguments,
        "call_id": call.id,
        "name": call.name,
    }
