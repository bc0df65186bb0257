"""The endpoints of Responses beside the one that answers.

`POST /input_tokens` judges and counts an input, without an answer. `GET` and `DELETE` of
`/{id}`, and `GET` of `/{id}/input_items`, are about responses that are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentsim.core import ProviderError
from agentsim.providers.openai.bodies import read_body
from agentsim.providers.openai.errors import error_answer
from agentsim.providers.openai.ids import request_id
from agentsim.providers.openai_responses.stored import Kept
from agentsim.providers.openai_responses.wire import ResponsesReader
from agentsim.providers.wires.answers import HttpAnswer
from agentsim.providers.wires.bodies import json_bytes
from agentsim.providers.wires.rules import INVALID, WireRefusal

__all__ = ["more"]


def more(
    reader: ResponsesReader, method: str, path: str, body: bytes
) -> HttpAnswer | None:
    """Answer a request to such an endpoint; None where there is none."""
    response_id, _, rest = path.removeprefix("/").partition("/")
    if (method, path) == ("POST", "/input_tokens"):
        return _count(reader, read_body(body))
    if method == "DELETE" and not rest:
        return _delete(reader, response_id)
    if method != "GET" or rest not in ("", "input_items"):
        return None
    kept = reader.stored.response(response_id)
    if kept is None:
        return _not_found(response_id)
    return _json(_items(kept, response_id) if rest else kept.body)


def _count(reader: ResponsesReader, body: dict[str, Any] | WireRefusal) -> HttpAnswer:
    found = body if isinstance(body, WireRefusal) else reader.count(body)
    if isinstance(found, WireRefusal):
        return error_answer(found.error(), number=0)
    return _json({"object": "response.input_tokens", "input_tokens": found})


def _delete(reader: ResponsesReader, response_id: str) -> HttpAnswer:
    if not reader.stored.forget(response_id):
        return _not_found(response_id)
    return _json({"id": response_id, "object": "response", "deleted": True})


def _items(kept: Kept, response_id: str) -> dict[str, Any]:
    """The input of a response on one page, the newest item first, each with an id."""
    tail = response_id.removeprefix("resp_")
    page = [
        {"type": "message", "id": f"msg_{tail}_{number}"}
        | {key: value for key, value in item.items() if value is not None}
        for number, item in enumerate(kept.items)
    ][::-1]
    return {
        "object": "list",
        "data": page,
        "first_id": page[0]["id"] if page else None,
        "last_id": page[-1]["id"] if page else None,
        "has_more": False,
    }


def _not_found(response_id: str) -> HttpAnswer:
    words = f"Response with id '{response_id}' not found."
    error = ProviderError(words, status=404, kind=INVALID)
    return error_answer(error, number=0)


def _json(data: Mapping[str, Any]) -> HttpAnswer:
    headers = {"content-type": "application/json", "x-request-id": request_id(0)}
    return HttpAnswer(200, headers, json_bytes(data))
