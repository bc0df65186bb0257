"""Chance that an agent draws itself: fixed streams, the same in all runs.

They are no choice points: an id or a jitter is no behaviour of the outside, and what
differs between runs is what was chosen alone. Each life of a run has streams of its own,
so that a restarted agent draws other ids than before its death, as in life.
"""

from __future__ import annotations

import os
import random
import sys
import uuid
from collections.abc import Callable
from functools import cache, partial
from random import Random
from types import ModuleType
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary
from zlib import crc32

from agentsim.engine.seals.aliases import Home
from agentsim.engine.seals.inside import in_series, inside

if TYPE_CHECKING:
    from agentsim.engine.loop import SimLoop

__all__ = ["SOURCES", "Chance", "keep_generator"]

NODE = int.from_bytes(b"\x01agent")
"""What `uuid.getnode` gives: by its first byte the address of no machine."""

Seed = int | float | str | bytes | bytearray | None

_UUID_NAMES = vars(uuid)


class Chance:
    """While entered, the generators of the process are seeded for a life.

    Those of `random` and of numpy are seeded in place, since libraries hold their
    methods; every thread sees that. They are put back afterwards.
    """

    __slots__ = ("_before", "_life", "_numpy", "_seed", "_uuid")

    def __init__(self, loop: SimLoop) -> None:
        self._life = loop.life

    def __enter__(self) -> None:
        """Seed them, keeping what was there before, unless a series of runs does."""
        self._before = None if in_series() else random.getstate()
        random.setstate(_python_state(self._life))
        self._seed = Random.seed
        Random.seed = _seed  # type: ignore[method-assign]
        self._uuid = _UUID_NAMES["_node"], _UUID_NAMES["_last_timestamp"]
        _UUID_NAMES["_node"], _UUID_NAMES["_last_timestamp"] = NODE, None
        numpy = sys.modules.get("numpy.random")
        self._numpy = None if numpy is None else _seed_numpy(numpy, self._life)

    def __exit__(self, *_: object) -> None:
        """Put back what was there before."""
        if self._numpy is not None:
            self._numpy()
        _UUID_NAMES["_node"], _UUID_NAMES["_last_timestamp"] = self._uuid
        Random.seed = self._seed  # type: ignore[method-assign]
        if self._before is not None:
            random.setstate(self._before)


def keep_generator() -> Callable[[], None]:
    """Note the state of the global generator; the result puts it back."""
    return partial(random.setstate, random.getstate())


@cache
def _python_state(life: int) -> tuple[Any, ...]:
    return Random(f"agentsim: random, life {life}").getstate()


@cache
def _numpy_state(numpy: ModuleType, life: int) -> object:
    state: object = numpy.RandomState(
        crc32(b"agentsim: numpy, life %d" % life)
    ).get_state()
    return state


def _seed_numpy(numpy: ModuleType, life: int) -> Callable[[], None]:
    """Seed numpy's global generator; the result puts it back."""
    before = numpy.get_state()
    numpy.set_state(_numpy_state(numpy, life))

    def put_back() -> None:
        numpy.set_state(before)

    return put_back


# ------------------------------------------------------ what the operating system gives


_STREAMS: WeakKeyDictionary[SimLoop, Random] = WeakKeyDictionary()


def _system(loop: SimLoop) -> Random:
    """The stream of a life that stands for the operating system's."""
    stream = _STREAMS.get(loop)
    if stream is None:
        stream = _STREAMS[loop] = Random(f"agentsim: os.urandom, life {loop.life}")
    return stream


class _System:
    """The stand-ins, as bound methods."""

    def __reduce__(self) -> str:
        """Copy and pickle as the one that there is."""
        return "_SYSTEM"

    def urandom(self, size: int, /) -> bytes:
        """Bytes of the run's stream; uuid4, secrets and SystemRandom draw from here."""
        loop = inside()
        if loop is None:
            return _URANDOM.real()(size)  # type: ignore[no-any-return]
        if size < 0:
            raise ValueError("negative argument not allowed")
        return _system(loop).randbytes(size)

    def getrandom(self, size: int, flags: int = 0) -> bytes:
        """Bytes of the run's stream."""
        if inside() is None:
            return _GETRANDOM.real()(size, flags)  # type: ignore[no-any-return]
        return self.urandom(size)

    def seed(self, a: Seed = None, version: int = 2) -> None:
        """Seed the global generator; without a seed, from the run's stream."""
        loop = inside()
        if a is None and loop is not None:
            a = _system(loop).getrandbits(128)
        _SEED.real()(a, version)


_SYSTEM = _System()

_URANDOM = Home(os, "urandom", _SYSTEM.urandom)
_SEED = Home(random, "seed", _SYSTEM.seed)
SOURCES = [_URANDOM, _SEED]
"""All of them."""

if hasattr(os, "getrandom"):  # Linux only
    _GETRANDOM = Home(os, "getrandom", _SYSTEM.getrandom)
    SOURCES.append(_GETRANDOM)

_REAL_SEED = Random.seed


def _seed(self: Random, a: Seed = None, version: int = 2) -> None:
    """Seed a generator that is made without a seed from the run's stream."""
    if a is None and (loop := inside()) is not None:
        a = _system(loop).getrandbits(128)
    _REAL_SEED(self, a, version)
