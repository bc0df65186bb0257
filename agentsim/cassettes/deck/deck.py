"""One cassette while a `with` block lasts: clients that are recorded, or replayed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from agentsim.cassettes.deck.channel import Traffic
from agentsim.cassettes.deck.clients import Clients
from agentsim.cassettes.deck.guard import ReplayGuard, is_refusal, is_skip
from agentsim.cassettes.redaction import RedactionRules
from agentsim.cassettes.tape import (
    Mode,
    SyncTapedClient,
    Tape,
    TapedClient,
    record_tools,
)
from agentsim.core import CassetteMiss, UsageError, linked_errors, shown_path
from agentsim.providers.transports import ANTHROPIC_SDK, OPENAI_SDK

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic
    from openai import AsyncOpenAI, OpenAI

    from agentsim.core import Client, SyncClient

__all__ = ["Deck", "use_cassette"]

T = TypeVar("T")

MISSES_MAX = 5
"""So many misses of a block are told at its end."""


class Deck:
    """Plays a cassette, or records one, while a `with` block lasts.

    Whatever asks through a client of the deck is answered by the cassette, or goes out
    and is recorded, by the mode; see `Tape` for the modes. What could not be answered
    fails the block at its end too, even if the code in it swallowed the error.

    In the mode `replay` nothing leaves the process while the block lasts, by whatever
    client, and not to this machine either. That is seen in Python's sockets. Clients
    written in C go past those (grpc, libpq as in psycopg, libcurl as in pycurl and
    curl_cffi): one that is loaded is warned of. Connections of HTTP that were there
    before the block are seen (httpx, aiohttp, requests, urllib); others that were there
    are not, nor what programs, processes and interpreters do that are started in it.

    Args:
        path: Of the cassette.
        mode: `replay`, `record`, `record-missing` or `refresh`.
        rules: What is secret beside the usual.
        volatile: Regular expressions for what may differ beside ids, uuids and times.
        owner: What it is used for, such as the id of a test; empty: anything.
        max_age_days: Days after which `refresh` records all again; None: never.
        timed: Whether recorded answers take the time that they took: in a simulated run
            that is virtual time. Otherwise nobody waits, and SDKs try again at once;
            but what an async client left stays open until it leaves again.
        allow_hosts: What replay lets through all the same: names, also with `*`,
            addresses, networks, each with or without a port, and paths of local sockets.
        all_used: Whether an exchange that nobody asked for fails the block.

    Raises:
        CassetteInUse: at the start of the block, while somebody else records it.
        CassetteError: at its start, when the cassette can't be used, and at its end,
            when not all of a recording could be written.
        CassetteMiss: at its end, when a request had no answer.
        CassetteBypassed: at its end, when something was about to go out around it.
        UsageError: at its end, when `all_used` and something was not.
    """

    def __init__(
        self,
        path: Path | str,
        mode: Mode = "replay",
        *,
        rules: RedactionRules | None = None,
        volatile: Sequence[str] = (),
        owner: str = "",
        max_age_days: float | None = None,
        timed: bool = False,
        allow_hosts: Iterable[str] = (),
        all_used: bool = False,
    ) -> None:
        self.path = Path(path)
        self.mode: Mode = mode
        self._rules = rules
        self._volatile = volatile
        self._owner = owner
        self._max_age_days = max_age_days
        self._timed = timed
        self._all_used = all_used
        self._guard = ReplayGuard(self.path, allow_hosts) if mode == "replay" else None
        self._traffic: Traffic | None = None
        self._made: Clients | None = None

    @property
    def tape(self) -> Tape:
        """The cassette in use, and what was done with it.

        Raises:
            UsageError: before the block.
        """
        return self._on().tape

    def http_client(self, library: str | None = None, **options: Any) -> Any:  # noqa: ANN401
        """A new `AsyncClient` of httpx2 or httpx.

        Args:
            library: Its name; None: the one that an installed SDK speaks through.
            options: Of the client, such as `transport`, by which it goes out.
        """
        return self._clients().http(library, options, blocks=False)

    def http_client_sync(self, library: str | None = None, **options: Any) -> Any:  # noqa: ANN401
        """A new `Client` of httpx2 or httpx; see `http_client`."""
        return self._clients().http(library, options, blocks=True)

    def openai(self, **options: Any) -> AsyncOpenAI:
        """A new `openai.AsyncOpenAI`.

        Args:
            options: Of the SDK. A replay needs no key; what goes out has the key and the
                address that the SDK would take anyway.
        """
        made: AsyncOpenAI = self._clients().sdk(OPENAI_SDK, options, blocks=False)
        return made

    def openai_sync(self, **options: Any) -> OpenAI:
        """A new `openai.OpenAI`; see `openai`."""
        made: OpenAI = self._clients().sdk(OPENAI_SDK, options, blocks=True)
        return made

    def anthropic(self, **options: Any) -> AsyncAnthropic:
        """A new `anthropic.AsyncAnthropic`; see `openai`."""
        made: AsyncAnthropic = self._clients().sdk(ANTHROPIC_SDK, options, blocks=False)
        return made

    def anthropic_sync(self, **options: Any) -> Anthropic:
        """A new `anthropic.Anthropic`; see `openai`."""
        made: Anthropic = self._clients().sdk(ANTHROPIC_SDK, options, blocks=True)
        return made

    def attach(self, client: object) -> None:
        """Let an HTTP client of httpx2 or httpx go through the cassette in this block.

        That is for clients that a framework or the code under test has made.

        Raises:
            UsageError: for what is no such client.
        """
        self._clients().attach(client)

    def client(self, inner: Client | None = None) -> TapedClient:
        """A new neutral client for async agents.

        Args:
            inner: Asked for what has to go live; a replay needs none.
        """
        return TapedClient(self.tape, inner)

    def client_sync(self, inner: SyncClient | None = None) -> SyncTapedClient:
        """A new neutral client for synchronous agents; see `client`."""
        return SyncTapedClient(self.tape, inner)

    @overload
    def tools(
        self, tools: Mapping[str, T], *, without: Iterable[str] = ()
    ) -> dict[str, T]: ...
    @overload
    def tools(self, tools: Sequence[T], *, without: Iterable[str] = ()) -> list[T]: ...
    def tools(
        self, tools: Mapping[str, T] | Sequence[T], *, without: Iterable[str] = ()
    ) -> dict[str, T] | list[T]:
        """The same tools, recorded, or replayed without running any; see `record_tools`."""
        return record_tools(self.tape, tools, without=without)

    def __enter__(self) -> Self:
        if self._traffic is not None:
            raise UsageError(
                f"{shown_path(self.path)}: this deck was used before: make a new one"
            )
        tape = Tape(
            self.path,
            self.mode,
            rules=self._rules,
            volatile=self._volatile,
            owner=self._owner,
            max_age_days=self._max_age_days,
        )
        self._traffic = Traffic(tape)
        self._made = Clients(
            self._traffic, replays=self.mode == "replay", timed=self._timed
        )
        if self._guard is not None:
            self._guard.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leave(error)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            await self._clients().aclose()
        finally:
            self._leave(error)

    def _leave(self, error: BaseException | None) -> None:
        traffic = self._on()
        try:
            try:
                traffic.close()
                self._clients().close()
            finally:
                if self._guard is not None:
                    self._guard.end()
        except BaseException:
            traffic.tape.close(keep=False)
            raise
        failure = self.failure() or self._not_asked_for(error)
        traffic.tape.close(keep=error is None and failure is None)
        if failure is None:
            return
        if error is None or is_refusal(error) or is_skip(error):
            raise failure from None
        shown = "\n\n".join(map(str, linked_errors(error)))
        for line in str(failure).split("\n\n"):
            if line not in shown:
                error.add_note(f"and beside this failure: {line}")

    def failure(self) -> UsageError | None:
        """What fails the block, whatever the code in it made of that; None: nothing yet.

        It is a `CassetteBypassed` or a `CassetteMiss`, and of a recording the
        `CassetteError` of what could not be written.
        """
        bypassed = self._guard.failure() if self._guard is not None else None
        if bypassed is not None:
            return bypassed
        # Tools and neutral clients ask the tape by themselves.
        missed = self.tape.missed if self.mode == "replay" else ()
        misses = [*dict.fromkeys((*self._on().misses, *missed))]
        if misses:
            return _all_of(misses)
        # The program was told of a full disk as well, but may have made nothing of it.
        return next(iter(self.tape.unwritten), None)

    def _not_asked_for(self, error: BaseException | None) -> UsageError | None:
        """What fails a block in which all had to be asked for."""
        unused = self.tape.use.unused if self._all_used and error is None else ()
        if unused:
            numbers = ", ".join(str(one.number) for one in unused)
            return UsageError(
                f"{shown_path(self.path)}: nobody asked for what was recorded as {numbers}: "
                "ask for it, or record again"
            )
        return None

    def _on(self) -> Traffic:
        if self._traffic is None:
            raise UsageError(
                f"{shown_path(self.path)}: this deck is used inside of its block only: write `with "
                "use_cassette(...) as deck`"
            )
        return self._traffic

    def _clients(self) -> Clients:
        self._on()
        assert self._made is not None
        return self._made


def _all_of(misses: Sequence[CassetteMiss]) -> CassetteMiss:
    """One error for all, with what the first of them differs in."""
    first, left = misses[0], len(misses) - MISSES_MAX
    told = [*map(str, misses[:MISSES_MAX])]
    if left > 0:
        told.append(f"and {left} more")
    return CassetteMiss(
        "\n\n".join(told),
        changes=first.changes,
        nearest=first.nearest,
        turn=first.turn,
    )


def use_cassette(
    path: Path | str,
    mode: Mode = "replay",
    *,
    rules: RedactionRules | None = None,
    volatile: Sequence[str] = (),
    owner: str = "",
    max_age_days: float | None = None,
    timed: bool = False,
    allow_hosts: Iterable[str] = (),
    all_used: bool = False,
) -> Deck:
    """A `Deck` that plays or records a cassette while a `with` block lasts.

    As in `with use_cassette("tests/cassettes/weather.yaml") as deck`: the agent then gets
    its client by `deck.openai_sync()` or one of the others. It takes what `Deck` takes.
    """
    return Deck(
        path,
        mode,
        rules=rules,
        volatile=volatile,
        owner=owner,
        max_age_days=max_age_days,
        timed=timed,
        allow_hosts=allow_hosts,
        all_used=all_used,
    )
