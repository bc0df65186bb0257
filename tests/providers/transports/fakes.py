"""A service that writes down what it is asked, and answers as it is told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from agentsim.providers.transports import HttpRequest, NoAnswer
from agentsim.providers.wires import HttpAnswer

T = TypeVar("T")


class FakeService:
    """Answers each request with the next of its answers; raises those that are errors."""

    def __init__(self, *answers: HttpAnswer | NoAnswer) -> None:
        self.asked: list[HttpRequest] = []
        self._answers = list(answers)

    async def answer(self, request: HttpRequest) -> HttpAnswer:
        self.asked.append(request)
        await asyncio.sleep(0)
        answer = self._answers.pop(0)
        if isinstance(answer, NoAnswer):
            raise answer
        return answer


def block(ask: Callable[[], Awaitable[T]], /) -> T:
    """Block as a thread does that has a loop to itself."""

    async def wait() -> T:
        return await ask()

    return asyncio.run(wait())


def answered(status: int = 200, body: bytes = b"{}", **headers: str) -> HttpAnswer:
    """An answer; underscores in the names of headers stand for dashes."""
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpAnswer(status, {"content-type": "application/json", **told}, body)
