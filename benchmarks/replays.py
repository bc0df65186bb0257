"""Sessions of five turns out of a cassette by the neutral client, and one request of many.

The cassette holds the same session many times, as each exchange of it answers once; so
one client is used for all runs, as by those on canned answers that it is compared to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentsim.cassettes import (
    CassetteWriter,
    RecordedAnswer,
    RecordedExchange,
    RecordedRequest,
)
from agentsim.cassettes.tape import Tape, TapedClient
from agentsim.core import RunResult
from agentsim.simulation import Scenario
from benchmarks.stock import StockRun

URL = "https://api.openai.com/v1/chat/completions"

WIRE = "openai-chat"

__all__ = ["ASKED", "NeutralReplay", "matches"]


class NeutralReplay:
    """The reference runtime over a recorded session.

    Args:
        runs: How often it can be called.

    Attributes:
        stock: The same runtime on canned replies.
    """

    def __init__(self, scenario: Scenario, folder: Path, runs: int) -> None:
        self._path = folder / "neutral.yaml"
        self.stock = StockRun(scenario)
        with Tape(folder / "one.yaml", "record") as tape:
            self.stock.run(TapedClient(tape, self.stock.canned()))
        with Tape(self._path, "record") as tape:
            for _ in range(runs):
                self.stock.run(TapedClient(tape, self.stock.canned()))
        self._tape = Tape(self._path)

    def __call__(self) -> RunResult:
        """Replay it once more."""
        return self.stock.run(TapedClient(self._tape))

    def opened(self) -> RunResult:
        """Open a cassette of one session, and replay it."""
        with Tape(self._path.with_name("one.yaml")) as tape:
            return self.stock.run(TapedClient(tape))

    def close(self) -> None:
        """Close tape and loop."""
        self._tape.close()
        self.stock.close()


CALLS = 20
"""Calls with results in the history of a request that is looked for."""

ASKED = 10
"""Requests that are looked for in each cassette."""


@contextmanager
def matches(exchanges: int, folder: Path) -> Iterator[Callable[[], object]]:
    """Looks for a request of many messages among so many exchanges, ten times at most.

    Each is new to the tape, as its calls have ids of their own.
    """
    path = folder / f"{exchanges}.yaml"
    steps = exchanges // ASKED * 2
    with CassetteWriter(path) as writer:
        for number in range(exchanges):
            request = RecordedRequest(url=URL, body=_body(number % steps, "recorded"))
            answer = RecordedAnswer(body="{}")
            writer.add(RecordedExchange(number + 1, request, answer, WIRE))
    names = [f"asked{exchanges}x{number}" for number in range(ASKED)]
    bodies = [_body(number % steps, name) for number, name in enumerate(names)]
    asked = iter([RecordedRequest(url=URL, body=body) for body in bodies])
    with Tape(path) as tape:
        yield lambda: tape.answer(next(asked), WIRE)


def _body(step: int, name: str) -> str:
    messages: list[dict[str, object]] = [{"role": "user", "content": "Go on."}]
    for number in range(CALLS):
        function = {"name": "look", "arguments": f'{{"at": {number}}}'}
        call = {"id": f"call_{name}{number:04}", "type": "function"}
        messages += [
            {"role": "assistant", "tool_calls": [{**call, "function": function}]},
            {"role": "tool", "tool_call_id": call["id"], "content": f"at {number}"},
        ]
    messages.append({"role": "user", "content": f"step {step}"})
    return json.dumps({"model": "gpt-5", "messages": messages})
