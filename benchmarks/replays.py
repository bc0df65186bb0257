"""Five turns out of a cassette, by the neutral client and by the SDK of OpenAI.

The same agents on the same loop are measured on canned answers, so that what a replay
costs can be told as a multiple. A run opens its cassette anew: each exchange of it
answers once.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from agentsim.cassettes import (
    CassetteWriter,
    RecordedAnswer,
    RecordedExchange,
    RecordedRequest,
)
from agentsim.cassettes.deck import Deck
from agentsim.cassettes.matching import Matcher
from agentsim.cassettes.tape import Tape, TapedClient
from agentsim.core import Client
from agentsim.simulation import Scenario
from agentsim.world import World
from benchmarks.openai_loop import CannedOpenAI, body_of, definitions_of, run_agent
from benchmarks.stock import Canned, StockRun

__all__ = ["NeutralReplay", "OpenAIReplay", "matches"]


class NeutralReplay:
    """The reference runtime over a recorded session of the neutral client."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self._path = folder / "neutral.yaml"
        self._run = StockRun(scenario)
        with Tape(self._path, "record") as tape:
            self._run(TapedClient(tape, self._run.canned()))
        self.tape = self._open()

    def _open(self) -> Tape:
        return Tape(self._path)
