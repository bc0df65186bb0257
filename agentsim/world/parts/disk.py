"""A disk that fills with logs.

Sizes are whole megabytes, 1 GB = 1,000 MB. Percentages and gigabytes are shown rounded
half up, to a whole per cent and to a tenth of a gigabyte. Files take no space: they only
can't be written while the disk is full.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Annotated, ClassVar

from agentsim.core import COUNT_MAX, UsageError, number_fault
from agentsim.world.subsystem import Subsystem, Surroundings, unknown
from agentsim.world.tools import world_tool

__all__ = ["Disk", "DiskSystem"]

_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(%|MB|GB|TB)")
_MEGABYTES = {"MB": 1, "GB": 1_000, "TB": 1_000_000}

Host = Annotated[str | None, "Name of the host; may be left out"]


@dataclass(frozen=True, slots=True)
class Disk:
    """How a disk begins.

    A size is a number of megabytes, or text: `95%` of the capacity, `20 GB`. With the
    default capacity, a disk at 40 % that fills up to 95 % has 20 GB of logs.

    Attributes:
        capacity_mb: Its capacity in megabytes.
        used: How much of it is used, logs included.
        logs: How much of that are logs, which `clean_logs` frees.

    Raises:
        UsageError: for sizes that can't be read, or do not fit into one another.
    """

    kind: ClassVar[str] = "disk"
    host: str = "web-03"
    capacity_mb: int = 36_400
    used: int | str = "40%"
    logs: int | str = 0

    def __post_init__(self) -> None:
        if fault := number_fault(self.capacity_mb, 1, whole=True):
            raise UsageError(f"capacity_mb: {fault}")
        used_mb = _megabytes(self.used, self.capacity_mb, "used")
        if _megabytes(self.logs, self.capacity_mb, "logs") > used_mb:
            raise UsageError("logs: there can't be more logs than is used")

    def build(self, world: Surroundings) -> DiskSystem:
        """Make the disk for one run."""
        return DiskSystem(self, world)


class DiskSystem(Subsystem):
    """A disk in one run."""

    STATE = ("used_mb", "logs_mb")

    def __init__(self, spec: Disk, world: Surroundings) -> None:
        super().__init__(world)
        self.host = spec.host
        self.capacity_mb = spec.capacity_mb
        self.used_mb = _megabytes(spec.used, spec.capacity_mb, "used")
        self.logs_mb = _megabytes(spec.logs, spec.capacity_mb, "logs")

    @property
    def used_percent(self) -> int:
        """How much is used, in whole per cent."""
        return (200 * self.used_mb + self.capacity_mb) // (2 * self.capacity_mb)

    @property
    def full(self) -> bool:
        """Whether nothing is free."""
        return self.used_mb == self.capacity_mb

    def fill(self, size: int | str) -> None:
        """Let logs grow until so much is used.

        Raises:
            UsageError: for a size that can't be read, or below what is used already.
        """
        target_mb = _megabytes(size, self.capacity_mb, "fill")
        if target_mb < self.used_mb:
            raise UsageError(
                f"fill: {self.used_percent}% are used already, got {size!r}"
            )
        self.logs_mb += target_mb - self.used_mb
        self.used_mb = target_mb

    def hosts(self) -> Mapping[str, bool]:
        """The disk's host."""
        return {self.host: True}

    @world_tool(latency_s=0.2, also=("check_disk_usage",))
    def check_disk(self, host: Host = None) -> str:
        """Show how full the disk of a host is."""
        self._check(host)
        used, capacity = _size(self.used_mb), _size(self.capacity_mb)
        return f"Disk: {self.used_percent}% used ({used} of {capacity})"

    @world_tool("mutating", latency_s=4.0)
    def clean_logs(self, host: Host = None) -> str:
        """Delete the logs on the disk of a host to free space."""
        self._check(host)
        freed_mb, self.logs_mb = self.logs_mb, 0
        self.used_mb -= freed_mb
        return f"Freed {_size(freed_mb)}; disk: {self.used_percent}% used"

    def _check(self, host: str | None) -> None:
        if host is not None and host != self.host:
            raise unknown("host", host, (self.host,))


def _megabytes(size: int | str, capacity_mb: int, where: str) -> int:
    if isinstance(size, str):
        megabytes = _read(size, capacity_mb, where)
    elif fault := number_fault(size, -COUNT_MAX, whole=True):
        raise UsageError(f"{where}: {fault}: give megabytes, or a size such as '95%'")
    else:
        megabytes = size
    if not 0 <= megabytes <= capacity_mb:
        raise UsageError(f"{where}: expected 0 to {capacity_mb} MB, got {size!r}")
    return megabytes


@lru_cache(maxsize=64)
def _read(size: str, capacity_mb: int, where: str) -> int:
    match = _SIZE.fullmatch(size)
    if match is None:
        raise UsageError(
            f"{where}: expected a size such as '95%' or '20 GB', got {size!r}"
        )
    unit = match[2]
    scale = Decimal(capacity_mb) / 100 if unit == "%" else Decimal(_MEGABYTES[unit])
    return int((Decimal(match[1]) * scale).to_integral_value(ROUND_HALF_UP))


def _size(megabytes: int) -> str:
    if megabytes < 1_000:
        return f"{megabytes} MB"
    whole, tenth = divmod((megabytes + 50) // 100, 10)
    return f"{whole}.{tenth} GB" if tenth else f"{whole} GB"
