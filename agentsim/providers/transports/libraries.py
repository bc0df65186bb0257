"""The HTTP libraries that SDKs speak through, httpx2 and httpx: the same, twice.

openai takes httpx2 from version 3 on, anthropic from 1 on, and httpx before. Neither is
imported before a client is asked for, and what is made of one is made once per process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from agentsim.core import UsageError
from agentsim.providers.transports.exchange import AnswerHttp, Block, Channel
from agentsim.providers.transports.in_process import (
    InProcess,
    async_replies,
    sync_replies,
)
from agentsim.providers.transports.tapped import async_tapped, sync_tapped

__all__ = [
    "HttpLibrary",
    "Tapped",
    "answered_in_process",
    "http_libraries",
    "http_library",
]

HTTP_LIBRARIES = ("httpx2", "httpx")
"""Newest first: the first that is installed is taken where nobody names one."""

INSTALL = "pip install 'pytest-agentsim[sdk]'"


class HttpLibrary:
    """Makes clients of one library, which a fake service answers or a channel taps.

    Attributes:
        name: Of the library.
        module: The library itself.
    """

    def __init__(self, module: Any) -> None:  # noqa: ANN401 - one of two modules
        self.name: str = module.__name__
        self.module = module

    def client(self, answer: AnswerHttp, **options: Any) -> Any:  # noqa: ANN401 - of either library
        """An `AsyncClient` that a service answers."""
        transport = self._async_replies(answer)
        # Without the environment no proxy is asked for, and no certificate is read.
        given = {"trust_env": False, **_inside(options), "transport": transport}
        return self.module.AsyncClient(**given)

    def sync_client(self, answer: AnswerHttp, block: Block, **options: Any) -> Any:  # noqa: ANN401
        """A `Client` that a service answers, and that blocks meanwhile."""
        transport = self._sync_replies(answer, block)
        given = {"trust_env": False, **_inside(options), "transport": transport}
        return self.module.Client(**given)

    def tapped(self, client: object, channel: Channel, block: Block) -> Tapped:
        """A client of the library, which asks a channel before anything goes out.

        Args:
            block: Blocks where the channel is to be awaited and the client is none of
                async functions.
        """
        if isinstance(client, self.module.AsyncClient):
            return Tapped(client, lambda real: self._async_tapped(real, channel))
        return Tapped(client, lambda real: self._sync_tapped(real, channel, block))

    def makes(self, client: object) -> bool:
        """Whether a client is one of this library."""
        return isinstance(client, (self.module.AsyncClient, self.module.Client))

    @cached_property
    def _async_replies(self) -> Any:  # noqa: ANN401
        return async_replies(self.module)

    @cached_property
    def _sync_replies(self) -> Any:  # noqa: ANN401
        return sync_replies(self.module)

    @cached_property
    def _async_tapped(self) -> Any:  # noqa: ANN401
        return async_tapped(self.module)

    @cached_property
    def _sync_tapped(self) -> Any:  # noqa: ANN401
        return sync_tapped(self.module)


class Tapped:
    """A client whose transports are tapped, until it is let go.

    Attributes:
        client: The client.
    """

    def __init__(self, client: Any, around: Callable[[Any], Any]) -> None:  # noqa: ANN401
        self.client = client
        self._before = client._transport, client._mounts  # noqa: SLF001 - no public way
        transport, mounts = self._before
        client._transport = around(transport)  # noqa: SLF001
        client._mounts = {  # noqa: SLF001
            pattern: None if mounted is None else around(mounted)
            for pattern, mounted in mounts.items()
        }

    def let_go(self) -> None:
        """Give the client its own transports back."""
        self.client._transport, self.client._mounts = self._before  # noqa: SLF001


def _inside(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a client without those that say how the outside is reached."""
    return {name: given for name, given in options.items() if name not in _OUTSIDE}


_OUTSIDE = (
    "cert",
    "http1",
    "http2",
    "limits",
    "mounts",
    "proxy",
    "transport",
    "verify",
)


@cache
def http_library(name: str | None = None, sdk: str = "openai") -> HttpLibrary:
    """The library of this name, or the one that an installed SDK speaks through.

    Raises:
        UsageError: for another name, and for a library that is not installed.
    """
    if name is None:
        name = _of(sdk) or _installed()
    if name not in HTTP_LIBRARIES:
        raise UsageError(
            f"http_client: expected the name of a library, one of "
            f"{', '.join(HTTP_LIBRARIES)}, got {name!r}"
        )
    try:
        module = import_module(name)
    except ImportError:
        raise UsageError(f"{name} is not installed here: pip install {name}") from None
    return HttpLibrary(module)


def http_libraries() -> Iterator[HttpLibrary]:
    """The libraries that are loaded: of none else there is a client."""
    return (http_library(name) for name in HTTP_LIBRARIES if name in sys.modules)


def answered_in_process(client: object) -> bool:
    """Whether an HTTP client is one that a fake service answers."""
    return isinstance(getattr(client, "_transport", None), InProcess)


def _of(sdk: str) -> str | None:
    """The library of an installed SDK: that of the client which it makes."""
    try:
        made: type = import_module(sdk).DefaultAsyncHttpxClient
    except ImportError:
        return None
    roots = (base.__module__.partition(".")[0] for base in made.__mro__)
    return next((root for root in roots if root in HTTP_LIBRARIES), None)


def _installed() -> str:
    for name in HTTP_LIBRARIES:
        if find_spec(name) is not None:
            return name
    raise UsageError(f"neither httpx2 nor httpx is installed here: {INSTALL}")
