"""The seams: what a runtime needs of the outside, and what the outside needs to act.

A runtime sees a `Client`; it can't tell a simulated one from a real one. The simulated
outside sees a `Boundary`, behind which the engine decides what happens next.
"""

from __future__ import annotations

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from agentsim.core.events.event import Event
from agentsim.core.limits import Limits, LoopRules
from agentsim.core.messages import Delta, Message, Request, Response
from agentsim.core.results import Decision, Injected, Question
from agentsim.core.tools import SyncTool, Tool

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from openai import AsyncOpenAI, OpenAI

__all__ = [
    "Boundary",
    "Client",
    "Confirm",
    "Env",
    "Inject",
    "Observe",
    "Stop",
    "SyncClient",
    "SyncConfirm",
    "SyncEnv",
]

T = TypeVar("T")

Confirm = Callable[[Question], Awaitable[Decision]]
"""Asks a person to approve one call."""

SyncConfirm = Callable[[Question], Decision]
"""The same for a synchronous agent: it blocks until the person has answered."""

Inject = Callable[[], Sequence[Injected]]
"""Takes the messages that a user sent into the running turn since the last call."""

Observe = Callable[[Event], None]
"""Is told every event of a run (R11); what it raises is never the run's trouble."""

Stop = Callable[[Sequence[Message]], bool]
"""Looks at the history after each iteration: True ends the run as `stopped`."""


class Client(Protocol):
    """A model (R1.7). A `ProviderError` is its only error."""

    async def complete(self, request: Request) -> Response:
        """Answer a request whole."""

    def stream(self, request: Request) -> AsyncIterator[Delta]:
        """Answer in pieces; the last one carries what `complete` would have given."""


class SyncClient(Protocol):
    """A model for a synchronous agent (R1.7); it blocks until the answer is there."""

    def complete(self, request: Request) -> Response:
        """Answer a request whole."""

    def stream(self, request: Request) -> Iterator[Delta]:
        """Answer in pieces; the last one carries what `complete` would have given."""


class SyncEnv(Protocol):
    """What waits of an `Env`, for a synchronous agent: `env.sync`.

    On any other thread than such an agent's own it is a `UsageError`.
    """

    @property
    def client(self) -> SyncClient:
        """The model."""

    @property
    def tools(self) -> tuple[SyncTool, ...]:
        """The tools of this run, with their rights."""

    @property
    def functions(self) -> Mapping[str, Callable[..., object]]:
        """The tools once more, as blocking functions by name; see `Env.functions`."""

    @property
    def confirm(self) -> SyncConfirm | None:
        """The person who approves, or None when nobody is there."""

    def run(self, awaitable: Awaitable[T], *, timeout_s: float | None = None) -> T:
        """Block until anything else of the async side is done.

        Args:
            timeout_s: Virtual seconds after which it is cancelled; None for no limit.

        Raises:
            TimeoutError: when it took longer.
        """


class Boundary(Protocol):
    """What the simulated outside of one incarnation may ask of the engine."""

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the run began."""

    def record(self, event: Event) -> None:
        """Put an event into the trace, stamped with time and incarnation."""

    async def gate(self, label: str, *, latency_s: float = 0.0) -> None:
        """Park until the engine lets this operation go on.

        Args:
            latency_s: Virtual seconds until it is due, under the policy `timed`.
        """

    def choose(self, label: str, options: Sequence[str]) -> int:
        """Draw one choice: an index into `options`, where 0 is the dull one."""


class Env(Protocol):
    """All that an agent under test is given; nothing in it tells simulation from life.

    An agent is `async def agent(env)`, `def agent(env)`, or a factory of one.
    """

    @property
    def task(self) -> str:
        """What the user asks for."""

    @property
    def prompt(self) -> str | None:
        """The system prompt to send, or None for the agent's own."""

    @property
    def history(self) -> Sequence[Message]:
        """Messages of earlier turns, which stand between prompt and task."""

    @property
    def model(self) -> str:
        """The name of the model to ask."""

    @property
    def temperature(self) -> float:
        """The temperature to ask with."""

    @property
    def client(self) -> Client:
        """The model."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of this run, with their rights."""

    @property
    def functions(self) -> Mapping[str, Callable[..., Awaitable[object]]]:
        """The tools once more, as async functions that frameworks make tools of, by name.

        Each has the name, docstring and signature of its tool, returns the output and
        raises what the tool raises. It does not ask a person: an agent whose tools need
        approval asks `confirm` before it calls (`rights.confirms` of the tool tells).
        """

    @property
    def confirm(self) -> Confirm | None:
        """The person who approves, or None when nobody is there."""

    @property
    def sync(self) -> SyncEnv:
        """Client, tools and person for an agent that is no coroutine."""

    def openai(self, **options: Any) -> AsyncOpenAI:
        """A new client of the OpenAI SDK that reaches the model of this run.

        Args:
            **options: Those of `openai.AsyncOpenAI`, such as `max_retries`; by default
                it has a key, and the base URL of OpenAI.

        Raises:
            UsageError: when the SDK is not installed, or an option leads elsewhere.
        """

    def openai_sync(self, **options: Any) -> OpenAI:
        """The same for a synchronous agent: an `openai.OpenAI`, which blocks."""

    def anthropic(self, **options: Any) -> AsyncAnthropic:
        """A new client of the Anthropic SDK that reaches the model of this run.

        Args:
            **options: Those of `anthropic.AsyncAnthropic`, such as `max_retries`; by
                default it has a key, and the base URL of Anthropic.

        Raises:
            UsageError: when the SDK is not installed, or an option leads elsewhere.
        """

    def anthropic_sync(self, **options: Any) -> Anthropic:
        """The same for a synchronous agent: an `anthropic.Anthropic`, which blocks."""

    def http_client(self, library: str | None = None) -> Any:  # noqa: ANN401
        """A new async HTTP client that reaches the model of this run, for an SDK.

        Args:
            library: `httpx2` or `httpx`; by default that of the installed OpenAI SDK.

        Returns:
            The `AsyncClient` of that library.

        Raises:
            UsageError: when the library is not installed.
        """

    def http_client_sync(self, library: str | None = None) -> Any:  # noqa: ANN401
        """The same for a synchronous agent: the `Client` of that library."""

    @property
    def limits(self) -> Limits:
        """The limits to keep."""

    @property
    def loop(self) -> LoopRules:
        """The parameters of loop detection."""

    @property
    def inject(self) -> Inject:
        """Messages that enter the running turn."""

    @property
    def stop(self) -> Stop | None:
        """A predicate that ends the run, or None."""

    def on(self, event: Event) -> None:
        """Take an event that the agent's runtime reports of itself (R11)."""

    def declare(
        self, *, limits: Limits | None = None, loop: LoopRules | None = None
    ) -> None:
        """Promise to keep boundaries: only then are they judged (design 2.7)."""
