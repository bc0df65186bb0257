"""Sessions of SDKs through a deck, told as JSON: they run on any version of the SDKs.

`python -m` it, and each line that it reads is a list, as JSON: a mode, and what `told` takes
beside it for each session. It prints what each of them met, on a line.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from agentsim.cassettes.deck import Deck

__all__ = ["SESSIONS", "told"]

SAID = [{"role": "user", "content": "Go."}]

KNOWN = ("anthropic", "httpx", "httpx2", "openai")

Told = list[Any]


def _plain(one: Any) -> Any:  # noqa: ANN401 - of either SDK
    dumped = one.to_dict() if hasattr(one, "to_dict") else one.model_dump()
    return json.loads(json.dumps(dumped, default=str))


def _error(error: BaseException) -> str:
    """The errors of an SDK, and of the library below it; what is below that differs."""
    kinds = []
    cause: BaseException | None = error
    while cause is not None and type(cause).__module__.partition(".")[0] in KNOWN:
        kinds.append(type(cause).__name__)
        cause = cause.__cause__
    return " < ".join(kinds) or repr(error)


def _taking(begin: Callable[[], Iterator[Any]]) -> Told:
    """The events of a stream, and what ended it."""
    events: Told = []
    try:
        for event in begin():
            events.append(_plain(event))
    except Exception as error:  # noqa: BLE001 - told by its kind
        events.append(_error(error))
    return events


async def _ataking(begin: Callable[[], Awaitable[AsyncIterator[Any]]]) -> Told:
    events: Told = []
    try:
        async for event in await begin():
            events.append(_plain(event))
    except Exception as error:  # noqa: BLE001 - told by its kind
        events.append(_error(error))
    return events


def _trying(ask: Callable[..., Any], fields: dict[str, Any]) -> Any:  # noqa: ANN401
    """An answer, or the error that came instead."""
    try:
        return _plain(ask(**fields))
    except Exception as error:  # noqa: BLE001 - told by its kind
        return _error(error)


async def _atrying(ask: Callable[..., Any], fields: dict[str, Any]) -> Any:  # noqa: ANN401
    try:
        return _plain(await ask(**fields))
    except Exception as error:  # noqa: BLE001 - told by its kind
        return _error(error)


def _fields(wire: str) -> dict[str, Any]:
    if wire == "responses":
        return {"model": "m", "input": SAID}
    if wire == "messages":
        return {"model": "m", "max_tokens": 99, "messages": SAID}
    return {"model": "m", "messages": SAID}


def _asked(wire: str, client: Any) -> Callable[..., Any]:  # noqa: ANN401
    parts = {
        "chat": lambda: client.chat.completions.create,
        "responses": lambda: client.responses.create,
        "messages": lambda: client.messages.create,
    }
    made: Callable[..., Any] = parts[wire]()
    return made


def _options(kind: str, wire: str, url: str) -> dict[str, Any]:
    base = url if wire == "messages" else f"{url}/v1"
    return {
        "base_url": base,
        "api_key": "sk-of-nobody-1234567",
        "max_retries": 0,
        # A run of its own on the server, and so the story from its start.
        "default_headers": {"x-agentsim-run": f"{kind}-{wire}"},
    }


def blocking(wire: str, deck: Deck, url: str) -> Told:
    """An answer whole, one streamed, and the list of models."""
    options = _options("blocking", wire, url)
    anthropic = wire == "messages"
    client: Any = (
        deck.anthropic_sync(**options) if anthropic else deck.openai_sync(**options)
    )
    ask, fields = _asked(wire, client), _fields(wire)
    with client:
        return [
            _trying(ask, fields),
            _taking(partial(ask, **fields, stream=True)),
            [_plain(model) for model in client.models.list()],
        ]


def awaiting(wire: str, deck: Deck, url: str) -> Told:
    """The same with the client for async functions."""

    async def session() -> Told:
        options = _options("awaiting", wire, url)
        anthropic = wire == "messages"
        client: Any = deck.anthropic(**options) if anthropic else deck.openai(**options)
        ask, fields = _asked(wire, client), _fields(wire)
        async with client:
            return [
                await _atrying(ask, fields),
                await _ataking(partial(ask, **fields, stream=True)),
                [_plain(model) async for model in client.models.list()],
            ]

    return asyncio.run(session())


SESSIONS: dict[str, Callable[[Deck, str], Told]] = {
    f"{name}-{wire}": partial(session, wire)
    for name, session in (("blocking", blocking), ("awaiting", awaiting))
    for wire in ("chat", "responses", "messages")
}


def told(name: str, mode: Any, folder: Path, url: str) -> Told:  # noqa: ANN401 - a mode
    """What a session met; each has a cassette of its own."""
    with Deck(folder / f"{name}.yaml", mode, all_used=mode == "replay") as deck:
        return SESSIONS[name](deck, url)


if __name__ == "__main__":
    for line in sys.stdin:
        mode, *listed = json.loads(line)
        found = [told(name, mode, Path(folder), url) for name, folder, url in listed]
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()
