"""Services on hosts: their status, their logs, and restarting them.

A service that starts gets ready after a number of status checks or of virtual seconds,
or never. Restarting one tells the rest of the world, which may be relieved by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, get_args

from agentsim.core import ToolFailed, UsageError, number_fault
from agentsim.world.parameters import AtLeast
from agentsim.world.subsystem import Subsystem, Surroundings, unknown
from agentsim.world.tools import world_tool

__all__ = ["Service", "ServiceState", "Services", "ServicesSystem"]

ServiceState = Literal["running", "starting", "stopped", "failed"]

NS_PER_S = 1_000_000_000
PID_FIRST = 1_000
PIDS = 31_000

ServiceName = Annotated[str, "Name of the service"]
AnyHost = Annotated[
    str | None, "Name of the host; may be left out where one host has the service"
]


@dataclass(frozen=True, slots=True)
class Service:
    """How a service begins.

    Attributes:
        state: `running`, `starting`, `stopped` or `failed`.
        ready_after_checks: A start takes so many status checks.
        ready_after_s: A start takes so many virtual seconds. With neither, a restarted
            service runs at once, and one that begins `starting` never gets ready.
        restart_error: Why a restart fails; empty: it works.
        logs: Its log, oldest line first.

    Raises:
        UsageError: for an unknown state, or two ways to get ready.
    """

    name: str
    host: str = "web-03"
    state: ServiceState = "running"
    ready_after_checks: int | None = None
    ready_after_s: float | None = None
    restart_error: str = ""
    logs: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.state not in get_args(ServiceState):
            states = ", ".join(get_args(ServiceState))
            raise UsageError(
                f"service {self.name!r}: state: expected one of {states}, "
                f"got {self.state!r}"
            )
        if self.ready_after_checks is not None and self.ready_after_s is not None:
            raise UsageError(
                f"service {self.name!r}: give ready_after_checks or ready_after_s, not both"
            )
        for field in ("ready_after_checks", "ready_after_s"):
            value, whole = getattr(self, field), field == "ready_after_checks"
            if value is not None and (fault := number_fault(value, whole=whole)):
                raise UsageError(f"service {self.name!r}: {field}: {fault}")

    @property
    def slow_to_start(self) -> bool:
        """Whether a start takes checks or seconds."""
        return self.ready_after_checks is not None or self.ready_after_s is not None


@dataclass(frozen=True, slots=True)
class Services:
    """How the services of some hosts begin.

    Attributes:
        units: The services; by default nginx and postgres run on one host.
        first_pid: Process id that the first restart gives; None: drawn from the
            world's seed, as all later ones are.

    Raises:
        UsageError: when a host has two services of one name.
    """

    kind: ClassVar[str] = "services"
    units: tuple[Service, ...] = (Service("nginx"), Service("postgres"))
    first_pid: int | None = None

    def __post_init__(self) -> None:
        if self.first_pid is not None and (
            fault := number_fault(self.first_pid, whole=True)
        ):
            raise UsageError(f"first_pid: {fault}")
        places = [(unit.host, unit.name) for unit in self.units]
        for host, name in places:
            if places.count((host, name)) > 1:
                raise UsageError(f"units: {host!r} has two services named {name!r}")

    def build(self, world: Surroundings) -> ServicesSystem:
        """Make the services for one run."""
        return ServicesSystem(self, world)


class ServicesSystem(Subsystem):
    """Services in one run."""

    STATE = ("next_pid", "units")

    def __init__(self, spec: Services, world: Surroundings) -> None:
        super().__init__(world)
        self._specs = {(unit.host, unit.name): unit for unit in spec.units}
        self.next_pid = spec.first_pid
        self.units: dict[str, dict[str, dict[str, Any]]] = {}
        for unit in spec.units:
            begins = {"state": unit.state, "checks": 0, "since_ns": 0}
            there = self.units.setdefault(unit.host, {})
            there[unit.name] = {**begins, "logs": list(unit.logs)}

    def hosts(self) -> Mapping[str, bool]:
        """Every host with a service."""
        return dict.fromkeys(self.units, True)

    @world_tool(latency_s=0.2)
    def check_status(self, service: ServiceName, host: AnyHost = None) -> str:
        """Show whether a service is running."""
        host = self._place(service, host)
        now = self.units[host][service]
        words = str(now["state"])
        if words == "starting":
            words = self._progress(self._specs[host, service], now)
        return f"{service}: {words}"

    @world_tool("mutating", latency_s=5.0, volatile=(r"PID: \d+",))
    def restart_service(
        self,
        host: Annotated[str, "Name of the host"],
        service: ServiceName,
        *,
        confirmed_by: str | None = None,
    ) -> str:
        """Restart a service on a host."""
        self._place(service, host)
        unit, now = self._specs[host, service], self.units[host][service]
        if unit.restart_error:
            raise ToolFailed(f"{service} was not restarted: {unit.restart_error}")
        pid = self._pid()
        now["state"] = "starting" if unit.slow_to_start else "running"
        now["checks"], now["since_ns"] = 0, self.world.now_ns
        now["logs"].append(
            f"restarted by {confirmed_by}" if confirmed_by else "restarted"
        )
        self.world.service_restarted(host, service)
        return f"{service} restarted, PID: {pid}"

    @world_tool(latency_s=0.3)
    def read_logs(
        self,
        service: ServiceName,
        lines: Annotated[int, "How many of the last lines to show", AtLeast(1)] = 10,
        host: AnyHost = None,
    ) -> str:
        """Show the last lines of a service's log."""
        logs = self.units[self._place(service, host)][service]["logs"]
        return "\n".join(logs[-lines:]) or "the log is empty"

    def _progress(self, unit: Service, now: dict[str, Any]) -> str:
        """Move a start on, and say how far it is."""
        if unit.ready_after_checks is not None:
            now["checks"] += 1
            words = f"starting (check {now['checks']} of {unit.ready_after_checks})"
            ready = now["checks"] > unit.ready_after_checks
        else:
            elapsed_ns = self.world.now_ns - now["since_ns"]
            words = f"starting ({elapsed_ns // NS_PER_S} s)"
            ready = (
                unit.ready_after_s is not None
                and elapsed_ns >= unit.ready_after_s * NS_PER_S
            )
        if ready:
            now["state"] = words = "running"
        return words

    def _pid(self) -> int:
        pid = self.next_pid
        if pid is None:
            pid = PID_FIRST + self.world.draw("pid", PIDS)
        self.next_pid = pid + 1 + self.world.draw("pid", 100)
        return pid

    def _place(self, service: str, host: str | None) -> str:
        """The host of a service, found by its name where none is given."""
        if host is None:
            hosts = [name for name, units in self.units.items() if service in units]
            if len(hosts) > 1:
                raise ToolFailed(f"{service} runs on {', '.join(hosts)}: name the host")
            if not hosts:
                names = dict.fromkeys(name for _, name in self._specs)
                raise unknown("service", service, names)
            return hosts[0]
        if host not in self.units:
            raise unknown("host", host, self.units)
        if service not in self.units[host]:
            raise unknown(f"service on {host}", service, self.units[host])
        return host
