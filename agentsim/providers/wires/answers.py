"""An answer in the form of HTTP, whichever library or server carries it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass

__all__ = ["HttpAnswer", "Pieces", "gateway_page"]

Wait = Callable[[], Awaitable[None]]


class Pieces(AsyncIterator[bytes]):
    """The bytes of a stream, as they come; whoever carries them may wait or block.

    Args:
        steps: Pieces, and between them what is to be awaited before the next one.
    """

    __slots__ = ("_steps",)

    def __init__(self, steps: Iterator[bytes | Wait]) -> None:
        self._steps = steps

    async def __anext__(self) -> bytes:
        for step in self._steps:
            if isinstance(step, bytes):
                return step
            await step()
        raise StopAsyncIteration

    def take(self, block: Callable[[Wait], None]) -> bytes | None:
        """The next piece, or None behind the last one.

        Args:
            block: Blocks until what is to be awaited is done; called only when
                there is something.
        """
        for step in self._steps:
            if isinstance(step, bytes):
                return step
            block(step)
        return None

    def close(self) -> None:
        """Leave the rest: it was never taken."""
        self._steps = iter(())


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer of a service.

    Attributes:
        headers: Names in lower case.
        body: The bytes of the body; empty for a stream.
        pieces: The bytes of a stream, as they come. What breaks it off is raised between
            two of them, as `NoAnswer`.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    pieces: Pieces | None = None


def gateway_page(status: int, reason: str) -> HttpAnswer:
    """An answer from before the service: a page for people, and no JSON.

    Args:
        reason: The words of the status, such as `Bad Gateway`.
    """
    title = f"{status} {reason}"
    page = f"<html><head><title>{title}</title></head><body>{title}</body></html>"
    return HttpAnswer(status, {"content-type": "text/html"}, page.encode())
