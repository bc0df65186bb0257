"""Helpers to run small agents under every choice sequence."""

from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any

from agentsim.core import Event
from agentsim.engine import Choices, Ending, Engine, Exhaustive, Life

Main = Callable[[Life], Coroutine[Any, Any, object]]


@dataclass(slots=True)
class Noted(Event):
    """An event of the tests' own."""

    kind = "noted"
    words: str


@dataclass
class Observed:
    """One run: its engine, its endings, and what was recorded."""

    choices: Choices
    engine: Engine
    events: list[Event]
    endings: list[Ending] = field(default_factory=list)

    @property
    def ending(self) -> Ending:
        """How the last life ended."""
        return self.endings[-1]

    @property
    def notes(self) -> list[tuple[int, int, str]]:
        """What was recorded: time, life, words."""
        return [
            (event.at_ns, event.life, getattr(event, "words", event.kind))
            for event in self.events
        ]


def run(main: Main, choices: Choices | None = None, **options: Any) -> Observed:
    """Run an agent, life after life, until it does not crash."""
    source = choices if choices is not None else Choices()
    events: list[Event] = []
    engine = Engine(source, record=events.append, **options)
    seen = Observed(source, engine, events)
    while not seen.endings or seen.ending.kind == "crashed":
        seen.endings.append(engine.live(main))
    recorded = list(seen.notes)
    engine.bury()
    assert seen.notes == recorded, "the dead were recorded"
    return seen


def every_run(
    main: Main, *, deviations: int = 99, **options: Any
) -> Iterator[Observed]:
    """Run an agent under every choice sequence within a bound."""
    search = Exhaustive(deviations)
    while (source := search.next()) is not None:
        yield run(main, source, **options)
        search.done(source)
