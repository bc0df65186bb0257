"""The pieces of a neutral stream, and what goes wrong with them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

from agentsim.core import Delta, Response, StreamFault
from agentsim.providers.attempts import Receipt
from agentsim.providers.wires.pieces import cut_text

__all__ = ["DeltaStream", "Step", "deltas_of"]

Step = Delta | Callable[[], Awaitable[None]]
"""A piece, or what is to be awaited before the next one."""


class DeltaStream(AsyncIterator[Delta]):
    """The pieces of one answer.

    Not an async generator: one that is left half-read would be closed by the loop, at
    a time that hangs on the garbage collector.
    """

    __slots__ = ("_open", "_steps")

    def __init__(self, open_: Callable[[], Awaitable[Iterator[Step]]]) -> None:
        self._open: Callable[[], Awaitable[Iterator[Step]]] | None = open_
        self._steps: Iterator[Step] = iter(())

    async def __anext__(self) -> Delta:
        if self._open is not None:
            opening, self._open = self._open, None
            self._steps = await opening()
        for step in self._steps:
            if isinstance(step, Delta):
                return step
            await step()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Leave the rest; a stream that was not begun sends no request."""
        self._open = None
        self._steps = iter(())


def deltas_of(response: Response, receipt: Receipt) -> Iterator[Step]:
    """The pieces of an answer, recorded one by one as they are taken.

    Raises:
        ProviderError: where the stream breaks off.
    """
    fault = receipt.fault
    pieces = _pieces(response, fault)
    count = _count(pieces, fault)
    for delta in pieces[:count]:
        if delta.text:
            receipt.text(delta.text)
        yield delta
    kind = None if fault is None else fault.kind
    if kind == "stalls":
        yield receipt.stall
    elif kind in ("cut", "cut_bytes", "error"):
        raise receipt.failed()
    elif kind == "ends":
        receipt.failed()
    else:
        receipt.whole()
        yield Delta(response=response)


def _pieces(response: Response, fault: StreamFault | None) -> list[Delta]:
    """Text in pieces, then the calls."""
    said = response.message
    texts = cut_text(said.content)
    if fault is not None and fault.kind == "chunks":
        size = 1 if fault.at is None else fault.at or max(1, len(said.content))
        assert isinstance(size, int)
        starts = range(0, len(said.content), size)
        texts = [said.content[start : start + size] for start in starts]
    pieces = [Delta(text=text) for text in texts]
    pieces += [Delta(call=call) for call in said.tool_calls]
    if fault is not None and fault.kind == "doubled" and pieces:
        place = min(fault.place(len(pieces)), len(pieces) - 1)
        pieces.insert(place, pieces[place])
    return pieces


def _count(pieces: list[Delta], fault: StreamFault | None) -> int:
    """How many of the pieces come."""
    if fault is None or not fault.breaks:
        return len(pieces)
    if fault.kind != "cut_bytes" or not isinstance(fault.at, int):
        return fault.place(len(pieces))
    left = fault.at
    for count, delta in enumerate(pieces):
        left -= len(delta.text.encode("utf-8", "surrogatepass"))
        if left < 0:
            return count
    return len(pieces)
