"""What the reviewers share, whatever wire they speak: how one call is answered.

Each wire's module has the loop, as somebody writes it who uses that SDK alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from agentsim.core import Env, Finished
from tests.agents.sdk import (
    BadCall,
    End,
    approving,
    approving_sync,
    as_text,
    keep_steps,
    read_arguments,
    told,
)

STEPS = 20
"""How often the model is asked where nobody says otherwise."""


class Result(NamedTuple):
    """What the model is told of one call."""

    text: str
    is_error: bool


class Reviewer(ABC):
    """A reviewer for one run; given to agentsim as a class."""

    tools: Mapping[str, Callable[..., Awaitable[object]]]

    async def __call__(self, env: Env) -> Finished:
        """Bind the loop to an environment."""
        keep_steps(env)
        self.connect(env)
        self.model = env.model
        self.steps = env.limits.max_iterations or STEPS
        self.tools = env.functions
        self.approve = approving(env)
        return told(await self.review(env.task))

    @abstractmethod
    def connect(self, env: Env) -> None:
        """Make the client of the SDK."""

    @abstractmethod
    async def review(self, task: str) -> End:
        """Ask the model until it calls no more tools; the answer, or why there is none."""

    async def use(self, call_id: str, name: str, arguments: object) -> Result:
        """The result of one call, whatever becomes of it.

        Args:
            arguments: As the wire has them: a text of JSON, or an object.
        """
        if name not in self.tools:
            return Result(f"Error: there is no tool {name}", is_error=True)
        try:
            given = read_arguments(arguments)
            declined = await self.approve(call_id, name, given)
            if declined is not None:
                return Result(f"Error: declined: {declined}", is_error=True)
            output = await self.tools[name](**given)
            return Result(as_text(output), is_error=False)
        except BadCall as error:
            return Result(f"Error: {error}", is_error=True)
        except Exception as error:  # noqa: BLE001 - the model is told
            return Result(f"Error: {name} failed: {error}", is_error=True)


class BlockingReviewer(ABC):
    """The same for the blocking SDKs."""

    tools: Mapping[str, Callable[..., object]]

    def __call__(self, env: Env) -> Finished:
        """Bind the loop to an environment."""
        keep_steps(env)
        self.connect(env)
        self.model = env.model
        self.steps = env.limits.max_iterations or STEPS
        self.tools = env.sync.functions
        self.approve = approving_sync(env)
        return told(self.review(env.task))

    @abstractmethod
    def connect(self, env: Env) -> None:
        """Make the client of the SDK."""

    @abstractmethod
    def review(self, task: str) -> End:
        """Ask the model until it calls no more tools; the answer, or why there is none."""

    def use(self, call_id: str, name: str, arguments: object) -> Result:
        """The result of one call, whatever becomes of it."""
        if name not in self.tools:
            return Result(f"Error: there is no tool {name}", is_error=True)
        try:
            given = read_arguments(arguments)
            declined = self.approve(call_id, name, given)
            if declined is not None:
                return Result(f"Error: declined: {declined}", is_error=True)
            return Result(as_text(self.tools[name](**given)), is_error=False)
        except BadCall as error:
            return Result(f"Error: {error}", is_error=True)
        except Exception as error:  # noqa: BLE001 - the model is told
            return Result(f"Error: {name} failed: {error}", is_error=True)


def failed(error: Exception) -> End:
    """The end of a review whose service fails, after the SDK's own retries."""
    return End("failed", f"{type(error).__name__}: {error}")
