import asyncio
from collections.abc import AsyncIterator

import pytest

from agentsim.core import (
    Boundary,
    Client,
    Delta,
    Env,
    Request,
    Response,
    assistant,
    user,
)


def members(port: type) -> list[str]:
    """What a port asks of who stands behind it, in the order of its definition."""
    return [name for name in vars(port) if not name.startswith("_")]


class Echo:
    """The least that is a client: it says what it was told."""

    async def complete(self, request: Request) -> Response:
        return Response(assistant(request.messages[-1].content))

    async def stream(self, request: Request) -> AsyncIterator[Delta]:
        response = await self.complete(request)
        for letter in response.message.content:
            yield Delta(letter)
        yield Delta(response=response)


def test_client_is_two_operations_with_one_answer() -> None:
    """A client completes and streams, and nothing else (R1.7)."""
    client: Client = Echo()
    request = Request("model", [user("hi")])

    async def both() -> tuple[Response, list[Delta]]:
        deltas = [delta async for delta in client.stream(request)]
        return await client.complete(request), deltas

    whole, deltas = asyncio.run(both())
    assert members(Client) == ["complete", "stream"]
    assert "".join(delta.text for delta in deltas) == whole.message.content == "hi"
    assert deltas[-1].response == whole


@pytest.mark.parametrize("port", [Env, Client])
@pytest.mark.parametrize("telltale", ["gate", "choose", "seed", "fault", "engine"])
def test_agent_can_not_tell_simulation_from_life(port: type, telltale: str) -> None:
    """Nothing that an agent is given has a name of the machinery around it."""
    assert not [name for name in members(port) if telltale in name]


def test_boundary_is_time_record_gate_and_choice() -> None:
    """The outside asks four things of the engine (design 2.2)."""
    assert members(Boundary) == ["now_ns", "record", "gate", "choose"]
