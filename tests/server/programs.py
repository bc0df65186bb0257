"""Programs that hold a conversation over HTTP, as tests need them."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any

from agentsim.providers import call, say
from agentsim.simulation import Scenario
from agentsim.world import Disk

__all__ = ["DISK", "TOOLS", "asked", "chat", "conversation", "get", "loop", "post"]

DISK = Scenario(
    "Free some space.",
    [call("check_disk"), call("clean_logs"), say("Freed 20 GB.")],
    name="disk",
    world=[Disk()],
)
"""A scenario of three replies."""

TOOLS = [
    {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": {}}},
    }
    for name in ("check_disk", "clean_logs")
]

Answer = tuple[int, Any, Mapping[str, str]]
"""Status, body and headers of an answer."""


def post(
    url: str, body: object, headers: Mapping[str, str] | None = None, **more: Any
) -> Answer:
    """Post JSON, or bytes as they are."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    told = {"content-type": "application/json", **(headers or {})}
    return _ask(urllib.request.Request(url, raw, told, method="POST"), **more)


def get(url: str, headers: Mapping[str, str] | None = None) -> Answer:
    """Get something."""
    return _ask(urllib.request.Request(url, headers=dict(headers or {})))


def _ask(request: urllib.request.Request, timeout: float = 5) -> Answer:
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, _read(answer.read()), dict(answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, _read(error.read()), dict(error.headers)


def _read(raw: bytes) -> Any:  # noqa: ANN401
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode()


def asked(*messages: dict[str, Any]) -> dict[str, Any]:
    """The body of a request of Chat Completions."""
    first = {"role": "user", "content": "Free some space."}
    return {"model": "m", "messages": [first, *messages], "tools": TOOLS}


def chat(url: str, body: object, **headers: str) -> Answer:
    """Ask for a completion; headers with underscores for hyphens."""
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return post(f"{url}/v1/chat/completions", body, told)


def loop(url: str, key: str = "agentsim", result: str = "fine") -> list[str]:
    """A whole conversation by Chat Completions: what was called, and said at last."""
    return list(conversation(url, key, result))


def conversation(
    url: str, key: str = "agentsim", result: str = "fine"
) -> Iterator[str]:
    """The same, response by response."""
    messages: list[dict[str, Any]] = []
    while True:
        status, body, _headers = chat(
            url, asked(*messages), authorization=f"Bearer {key}"
        )
        assert status == 200, body
        message = body["choices"][0]["message"]
        messages.append({k: v for k, v in message.items() if v is not None})
        calls = message.get("tool_calls") or []
        yield (
            ", ".join(entry["function"]["name"] for entry in calls)
            or message["content"]
        )
        if not calls:
            return
        messages += [
            {"role": "tool", "tool_call_id": entry["id"], "content": result}
            for entry in calls
        ]
