"""Tools that users write: a function, canned answers, or a definition (spec T4)."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Generator
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from inspect import isawaitable
from types import MethodType
from typing import Any

from agentsim.core import Rights, ToolDef, UsageError, copied, number_fault
from agentsim.world.own.arguments import given_to
from agentsim.world.own.results import failure_of, text_of
from agentsim.world.subsystem import Subsystem, Surroundings
from agentsim.world.tools import Takes, WorldTool

__all__ = ["LATENCY_S", "OwnTool", "OwnToolSystem", "check_name", "plain_answer"]

LATENCY_S = 1.0
"""Virtual seconds that an own tool takes unless it says otherwise."""

APPROVER = "confirmed_by"

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}", re.ASCII)


def check_name(name: str) -> None:
    """Refuse what can't be the name of a tool.

    Raises:
        UsageError: for it.
    """
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"tool: {name!a} can't be the name of a tool (1 to 64 letters, digits, _ "
            "and -): give it one with name="
        )


@dataclass(frozen=True)
class OwnTool:
    """A tool of your own, which stands in the world of a scenario like a part of it.

    Attributes:
        definition: What the model is told.
        rights: What it may do.
        takes: Checks arguments, and makes the values of a call of them.
        latency_s: Virtual seconds that it takes before it acts.
        also: Further names of the same tool.
        function: Called with the arguments by name; None for canned answers.
        returns: The canned answers in their order.
        source: The function to call it by in a digest, where it is another.
    """

    definition: ToolDef
    rights: Rights
    takes: Takes = field(repr=False, compare=False)
    latency_s: float = LATENCY_S
    also: tuple[str, ...] = ()
    function: Callable[..., object] | None = None
    returns: tuple[object, ...] = ()
    source: Callable[..., object] | None = None

    def __post_init__(self) -> None:
        named = self.source or self.function
        if named is not None:
            # What is decorated is known by the function's name and place, as ever.
            for name in ("__module__", "__name__", "__qualname__", "__doc__"):
                if hasattr(named, name):
                    object.__setattr__(self, name, getattr(named, name))
        for name in (self.name, *self.also):
            check_name(name)
        if fault := number_fault(self.latency_s):
            raise UsageError(f"tool {self.name!r}: latency_s: {fault}")
        if self.rights.category == "destructive":
            raise UsageError(
                f"tool {self.name!r}: a destructive tool needs a dry run, which is not "
                "simulated yet: declare it mutating, so that a person approves it"
            )

    @property
    def name(self) -> str:
        """The name that the model calls it by."""
        return self.definition.name

    @property
    def kind(self) -> str:
        """Its name among the parts of a world."""
        return f"tool {self.name}"

    def build(self, world: Surroundings) -> OwnToolSystem:
        """Make the tool for one run."""
        return OwnToolSystem(self, world)

    def build_tools(self, *, bound: bool) -> tuple[WorldTool, ...]:
        """The tool under each of its names; bound, as a method of a part."""
        rights, function = self.rights, self.function
        approver, world = False, None
        if function is not None:
            approver, world = given_to(self.name, function)
        act = _Act(self, approver=approver, world=world, bound=bound)
        return tuple(
            WorldTool(
                ToolDef(name, self.definition.description, self.definition.parameters),
                rights,
                self.latency_s,
                confirms=rights.confirms,
                writes=not rights.read_only,
                sees_approver=approver,
                method=act,
                parameters=self.takes,
            )
            for name in (self.name, *self.also)
        )

    def plain(self) -> dict[str, Any]:
        """What the digest of a scenario counts: all that it says, functions by name."""
        rights = asdict(self.rights)
        rights["volatile"] = list(self.rights.volatile)
        of = self.source or self.function
        return {
            "is": "tool",
            "name": self.name,
            "also": list(self.also),
            "description": self.definition.description,
            "parameters": self.definition.parameters,
            "rights": rights,
            "latency_s": self.latency_s,
            "function": of and f"{of.__module__}:{_qualified(of)}",
            "returns": [plain_answer(self.name, answer) for answer in self.returns],
        }

    def __call__(self, *args: Any, **arguments: Any) -> Any:  # noqa: ANN401 - as it does
        """Call the function itself, as if it were no tool.

        Raises:
            UsageError: for canned answers, which only a simulation gives.
        """
        if self.function is None:
            raise UsageError(
                f"tool {self.name!r} has canned answers and no function to call"
            )
        return self.function(*args, **arguments)

    def __get__(
        self, instance: object, owner: type[object] | None = None
    ) -> OwnTool | MethodType:
        # In the body of a class it is a method, as the function would be.
        return self if instance is None else MethodType(self, instance)


class OwnToolSystem(Subsystem):
    """A tool of your own in one run.

    Attributes:
        given: How many canned answers were given.
    """

    STATE = ("given",)

    def __init__(self, spec: OwnTool, world: Surroundings) -> None:
        super().__init__(world)
        self._spec = spec
        self.given = 0

    def tools(self) -> tuple[WorldTool, ...]:
        """The tool under each of its names."""
        return self._spec.build_tools(bound=False)

    def answer(self) -> object:
        """The next canned answer; the last one stays.

        Raises:
            Exception: where the answer is one.
        """
        answers = self._spec.returns
        found = answers[min(self.given, len(answers) - 1)]
        self.given += 1
        if isinstance(found, BaseException):
            raise _copied(found)
        if isinstance(found, type) and issubclass(found, BaseException):
            raise found
        return found


class _Act:
    """Runs an own tool for a part of the world, with its results and errors in words."""

    __slots__ = ("_approver", "_bound", "_spec", "_world")

    def __init__(
        self, spec: OwnTool, *, approver: bool, world: str | None, bound: bool
    ) -> None:
        self._spec = spec
        self._approver = approver
        self._world = world
        self._bound = bound

    def __call__(self, part: Subsystem, **given: Any) -> str | Awaitable[str]:
        name = self._spec.name
        try:
            output = self._run(part, given)
        except Exception as error:
            raise failure_of(error) from error
        return _Later(name, output) if isawaitable(output) else text_of(name, output)

    def _run(self, part: Any, given: dict[str, Any]) -> object:  # noqa: ANN401
        spec = self._spec
        if spec.function is None:
            return part.answer()
        more = {APPROVER: given.pop(APPROVER)} if self._approver else {}
        if self._world is not None:
            more[self._world] = part.world
        values = {**spec.takes.read(given), **more}
        if self._bound:
            return spec.function(part.itself, **values)
        return spec.function(**values)


class _Later:
    """The result of an async tool, once it is awaited; or it is closed unawaited."""

    __slots__ = ("_name", "_output")

    def __init__(self, name: str, output: Awaitable[object]) -> None:
        self._name = name
        self._output = output

    def __await__(self) -> Generator[Any, None, str]:
        try:
            awaited = yield from self._output.__await__()
        except Exception as error:
            raise failure_of(error) from error
        return text_of(self._name, awaited)

    def close(self) -> None:
        """Let go of what will not be awaited."""
        close = getattr(self._output, "close", None)
        if close is not None:
            close()


def _copied(error: BaseException) -> BaseException:
    """An error like one of a scenario's, which an agent may change as it likes."""
    try:
        return deepcopy(error)
    except Exception:  # noqa: BLE001 - its class takes other arguments, or holds what can't
        kind = type(error)
        like = kind.__new__(kind, *error.args)
        like.args = error.args
        vars(like).update(copied(vars(error)))
        return like


def _qualified(function: Callable[..., object]) -> str:
    """The name of a function in its module; of an object that is called, its class's."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return name if isinstance(name, str) else ""


def plain_answer(name: str, answer: object) -> object:
    """A canned answer as data, for the digest of a scenario.

    Raises:
        UsageError: when JSON can't carry it.
    """
    if isinstance(answer, BaseException):
        return [type(answer).__name__, str(answer), getattr(answer, "definite", True)]
    if isinstance(answer, type) and issubclass(answer, BaseException):
        return [answer.__name__]
    return text_of(name, answer)
