"""The simulated world of one run, and the ledger of what was done to it (spec T4).

The ledger is the ground truth of effects, whatever the agent was told. Nothing here
waits, and nothing is drawn but from the seed: when a tool takes effect is the engine's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from inspect import isawaitable
from typing import Any

from agentsim.core import (
    ToolFailed,
    UsageError,
    check_names,
    copied_arguments,
    did_you_mean,
)
from agentsim.world.subsystem import Part, Subsystem, Unchanged, is_spec
from agentsim.world.tools import WorldTool

__all__ = ["Effect", "World"]


@dataclass(frozen=True, slots=True)
class Effect:
    """An entry of the ledger: one write that took effect.

    Attributes:
        order: Its place in the ledger, 1-based.
        operation: Number of the operation at the boundary that caused it.
        arguments: As executed, without `confirmed_by`.
        confirmed_by: The person who approved, where one did.
    """

    order: int
    operation: int
    name: str
    arguments: Mapping[str, Any]
    confirmed_by: str | None = None


class World:
    """Subsystems that share time, hosts and a seed.

    Each subsystem is an attribute by its kind: `world.disk.used_percent`.

    Args:
        specs: Its parts as they begin, and tools; one of each kind at most.
        seed: What the world draws its numbers from, such as process ids.

    Raises:
        UsageError: when two parts are of one kind, or one lacks a part that it needs.
    """

    def __init__(self, specs: Iterable[Any] = (), *, seed: int = 0) -> None:
        self.seed = seed
        self.now_ns = 0
        self._began_ns = 0
        self._ledger: list[Effect] = []
        self._draws: dict[str, int] = {}
        self._parts: dict[str, Subsystem] = {}
        for position, spec in enumerate(specs):
            if not is_spec(spec) or isinstance(spec, type):
                raise UsageError(_no_spec(position, spec))
            if spec.kind in self._parts:
                raise UsageError(f"a world can have one {spec.kind!r} only, got two")
            self._parts[spec.kind] = spec.build(self)
        owned = [(part, tool) for part in self._parts.values() for tool in part.tools()]
        self._tools = {tool.name: (part, tool) for part, tool in owned}
        if len(self._tools) < len(owned):
            check_names(tool.name for _, tool in owned)
        for part in self._parts.values():
            part.connect()

    def __repr__(self) -> str:
        return f"<World: {_listed(self._parts)}>"

    @property
    def tools(self) -> tuple[WorldTool, ...]:
        """Every tool of the world, in the order of its parts."""
        return tuple(tool for _, tool in self._tools.values())

    @property
    def ledger(self) -> tuple[Effect, ...]:
        """Every write that took effect, in order."""
        return tuple(self._ledger)

    def apply(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        operation: int = 0,
        at_ns: int | None = None,
    ) -> str:
        """Run a tool over the state of the world.

        A writing tool that returns leaves an entry in the ledger, unless it returns
        `Unchanged`; one that fails changes nothing. That a person approved is recorded,
        and not demanded: whether the agent asked is for the invariants to judge.

        Args:
            name: The tool's name.
            arguments: Parsed arguments; those of a confirming tool may carry
                `confirmed_by`.
            operation: Number of the operation at the boundary.
            at_ns: Virtual nanoseconds since the run began (`begin_run`); None: no time
                has passed.

        Raises:
            ToolFailed: with words for the model, also for arguments that do not fit.
            UsageError: for a tool that the world does not have.
        """
        tool, given, approver, output = self._run(name, arguments, at_ns)
        if not isinstance(output, str) and isawaitable(output):
            getattr(output, "close", lambda: None)()
            raise UsageError(
                f"{name} is async: write await world.perform({name!r}, ...)"
            )
        return self._settled(tool, output, given, approver, operation)

    async def perform(
        self,
        name: str,
        arguments: Mapping[str, Any],
        *,
        operation: int = 0,
        at_ns: int | None = None,
    ) -> str:
        """Run a tool as `apply` does, and wait for it where it is async."""
        tool, given, approver, output = self._run(name, arguments, at_ns)
        if not isinstance(output, str) and isawaitable(output):  # slow to ask
            output = await output
        return self._settled(tool, output, given, approver, operation)

    def _run(
        self, name: str, arguments: Mapping[str, Any], at_ns: int | None
    ) -> tuple[WorldTool, dict[str, Any], str | None, Any]:
        """Check a call, let the time come that it is made at, and run its tool.

        Returns:
            The tool, the arguments as executed, who approved, and the output: a text,
            or what gives one when it is awaited.
        """
        if name not in self._tools:
            raise UsageError(
                f"the world has no tool {name!r}{did_you_mean(name, self._tools)}"
            )
        part, tool = self._tools[name]
        if at_ns is not None:
            self.pass_time(at_ns)
        given = copied_arguments(arguments)
        approver = given.pop("confirmed_by", None) if tool.confirms else None
        fault = tool.parameters.fault(given)
        if fault is not None:
            raise ToolFailed(f"{name}: {fault}")
        # The function may change what it is given, and the ledger tells what it was.
        entered = copied_arguments(given) if tool.writes else given
        if tool.sees_approver:
            output = tool.method(part, **given, confirmed_by=approver)
        else:
            output = tool.method(part, **given)
        return tool, entered, approver, output

    def _settled(
        self,
        tool: WorldTool,
        output: str,
        given: dict[str, Any],
        approver: str | None,
        operation: int,
    ) -> str:
        """The output of a tool that returned; a write that took effect is entered."""
        if tool.writes and not isinstance(output, Unchanged):
            order = len(self._ledger) + 1
            self._ledger.append(Effect(order, operation, tool.name, given, approver))
        return output

    def begin_run(self) -> None:
        """Let another run begin in this world: its time counts on from now."""
        self._began_ns = self.now_ns

    def pass_time(self, at_ns: int) -> None:
        """Let time pass, up to virtual nanoseconds since the run began."""
        now_ns = self._began_ns + at_ns
        self.now_ns = max(self.now_ns, now_ns)

    def snapshot(self) -> dict[str, Any]:
        """Copy everything that may change, as JSON data."""
        return {
            "seed": self.seed,
            "now_ns": self.now_ns,
            "began_ns": self._began_ns,
            "draws": dict(self._draws),
            "ledger": [asdict(effect) for effect in self._ledger],
            "parts": {kind: part.snapshot() for kind, part in self._parts.items()},
        }

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Go back to what a snapshot holds.

        Raises:
            UsageError: when it is no snapshot, or that of a world with other parts.
        """
        self._check_fits(snapshot)
        self.seed = snapshot["seed"]
        self.now_ns = snapshot["now_ns"]
        self._began_ns = snapshot["began_ns"]
        self._draws = dict(snapshot["draws"])
        entries = snapshot["ledger"]
        self._ledger = [
            Effect(**{**e, "arguments": dict(e["arguments"])}) for e in entries
        ]
        for kind, part in self._parts.items():
            part.restore(snapshot["parts"][kind])

    def _check_fits(self, snapshot: Mapping[str, Any]) -> None:
        given: object = snapshot
        if not isinstance(given, Mapping) or given.keys() != self.snapshot().keys():
            raise UsageError(
                "expected a snapshot, as World.snapshot() gives it, got "
                + (
                    f"a mapping of {_listed(given)}"
                    if isinstance(given, Mapping)
                    else type(given).__name__
                )
            )
        parts = snapshot["parts"]
        if parts.keys() != self._parts.keys():
            raise UsageError(
                f"the snapshot is of another world: it holds {_listed(parts)}, "
                f"this one has {_listed(self._parts)}"
            )
        for kind, part in self._parts.items():
            own = part.snapshot()
            if parts[kind].keys() != own.keys():
                raise UsageError(
                    f"the snapshot is of another world: its {kind} holds "
                    f"{_listed(parts[kind])}, here it has {_listed(own)}"
                )

    def find(self, part: type[Part]) -> Part | None:
        """The subsystem of that class, or None."""
        for own in self._parts.values():
            if isinstance(own, part):
                return own
        return None

    def hosts(self) -> dict[str, bool]:
        """Every host that a subsystem knows, and whether it answers."""
        answers: dict[str, bool] = {}
        for part in self._parts.values():
            for host, up in part.hosts().items():
                answers[host] = up and answers.get(host, True)
        return answers

    def draw(self, purpose: str, count: int) -> int:
        """A number below `count`: a function of seed, purpose and earlier draws."""
        drawn = self._draws.get(purpose, 0)
        self._draws[purpose] = drawn + 1
        digest = blake2b(
            f"{self.seed}/{purpose}/{drawn}".encode(), digest_size=8
        ).digest()
        return int.from_bytes(digest, "big") % count

    def service_restarted(self, host: str, service: str) -> None:
        """Tell all subsystems that a service was restarted."""
        for part in self._parts.values():
            part.service_restarted(host, service)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - parts are open-ended
        # Only called for what is not found otherwise. Names with an underscore are
        # asked for by copy and pickle before there is any state.
        if not name.startswith("_") and name in self._parts:
            return self._parts[name].itself
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(
            f"this world has no {name!r}: it has {_listed(self._parts)}"
            f"{did_you_mean(name, self._parts)}"
        )


def _no_spec(position: int, given: object) -> str:
    name = getattr(given, "__name__", type(given).__name__)
    place = f"world[{position}]: expected a part or a tool, got "
    if isinstance(given, type):
        return f"{place}the class {name}: write {name}()"
    if callable(given):
        return f"{place}the function {name}: write tool({name}), with its rights"
    return f"{place}a {name}"


def _listed(names: Iterable[object]) -> str:
    return ", ".join(map(str, names)) or "no parts"
