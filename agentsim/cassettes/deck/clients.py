"""HTTP clients and clients of SDKs that a tape answers, or hears of."""

from __future__ import annotations

from typing import Any

from agentsim.cassettes.deck.channel import (
    TapeChannel,
    Traffic,
    at_once,
    pause_async,
    pause_blocking,
)
from agentsim.cassettes.deck.playing import Playing
from agentsim.core import UsageError
from agentsim.providers.transports import (
    HttpLibrary,
    Tapped,
    VendorSdk,
    http_libraries,
    http_library,
)

__all__ = ["Clients"]

API_KEY = "sk-replayed"

_ANSWERED_BY = ("provider",)
"""Options of an SDK that say which service answers: replay needs them as recording does."""


class Clients:
    """Makes the clients of one deck, and closes them with it.

    Args:
        replays: Whether nothing goes out: no client needs a key then, or a certificate.
        timed: Whether recorded answers take their time.
    """

    def __init__(self, traffic: Traffic, *, replays: bool, timed: bool) -> None:
        self._replays = replays
        awaiting = Playing(pause_async if timed else None, leave=pause_async)
        blocking = Playing(pause_blocking if timed else None, leave=None)
        self._awaiting = TapeChannel(traffic, awaiting)
        self._blocking = TapeChannel(traffic, blocking)
        self._attached: list[Tapped] = []
        self._made: list[Any] = []
        self._made_async: list[Any] = []

    def http(
        self, library: str | None, options: dict[str, Any], *, blocks: bool
    ) -> Any:  # noqa: ANN401
        """A new client of httpx2 or httpx."""
        found = http_library(library)
        if self._replays:
            return self._answered(found, options, blocks=blocks)
        kind = found.module.Client if blocks else found.module.AsyncClient
        return self._heard(kind(**options), found, blocks=blocks)

    def sdk(self, vendor: VendorSdk, options: dict[str, Any], *, blocks: bool) -> Any:  # noqa: ANN401
        """A new client of an SDK."""
        sdk = vendor.module()
        given = options.get("http_client")
        if given is None:
            given = self._of_sdk(vendor, blocks=blocks)
        else:
            self.attach(given)
        whole = {**options, "http_client": given}
        if not self._replays:
            return (sdk.Client if blocks else sdk.AsyncClient)(**whole)
        kept = {
            name: value
            for name, value in whole.items()
            if name not in vendor.outside or name in _ANSWERED_BY
        }
        return vendor.client(kept, key=API_KEY, blocks=blocks)

    def attach(self, client: object) -> None:
        """Let an HTTP client that is there already be answered and heard of."""
        ours = (one.client for one in self._attached)
        if any(client is one for one in (*ours, *self._made, *self._made_async)):
            return
        found = next((one for one in http_libraries() if one.makes(client)), None)
        if found is None:
            raise UsageError(
                "http_client: expected a client of httpx2 or httpx, got "
                f"{type(client).__name__}"
            )
        self._attached.append(self._tapped(client, found))

    def close(self) -> None:
        """Give attached clients back, and close those that were made and can be."""
        while self._attached:
            self._attached.pop().let_go()
        while self._made:
            self._made.pop().close()

    async def aclose(self) -> None:
        """Close the clients for async functions too."""
        while self._made_async:
            await self._made_async.pop().aclose()

    def _of_sdk(self, vendor: VendorSdk, *, blocks: bool) -> Any:  # noqa: ANN401
        """An HTTP client as the SDK makes one for itself."""
        library = http_library(None, vendor.package)
        if self._replays:
            return self._answered(library, {"follow_redirects": True}, blocks=blocks)
        sdk = vendor.module()
        kind = sdk.DefaultHttpxClient if blocks else sdk.DefaultAsyncHttpxClient
        return self._heard(kind(), library, blocks=blocks)

    def _answered(
        self, library: HttpLibrary, options: dict[str, Any], *, blocks: bool
    ) -> Any:  # noqa: ANN401
        if blocks:
            client = library.sync_client(self._blocking.replay, at_once, **options)
        else:
            client = library.client(self._awaiting.replay, **options)
        return self._kept(client, blocks=blocks)

    def _heard(self, client: object, library: HttpLibrary, *, blocks: bool) -> Any:  # noqa: ANN401
        return self._kept(self._tapped(client, library).client, blocks=blocks)

    def _tapped(self, client: object, library: HttpLibrary) -> Tapped:
        awaits = hasattr(client, "aclose")
        channel = self._awaiting if awaits else self._blocking
        return library.tapped(client, channel, at_once)

    def _kept(self, client: Any, *, blocks: bool) -> Any:  # noqa: ANN401
        (self._made if blocks else self._made_async).append(client)
        return client
