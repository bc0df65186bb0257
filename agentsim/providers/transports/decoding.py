"""Bodies as they are meant: what a service sent compressed, piece by piece."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

__all__ = ["Decoder", "NotDecoded"]


class NotDecoded(Exception):
    """A body is not as its coding has it."""


class _Stage(Protocol):
    """Undoes one coding."""

    def decode(self, data: bytes, /) -> bytes:
        """What the next bytes are, as far as it is known."""

    def flush(self) -> bytes:
        """What is left at the end."""


class Decoder:
    """Decodes one body.

    Codings that nobody here knows stay as they are, as HTTP libraries leave them.

    Args:
        codings: The header `content-encoding`.

    Attributes:
        decodes: Whether there is anything to decode.
        unknown: Whether a coding is among them that nobody here knows.
    """

    def __init__(self, codings: str = "") -> None:
        names = [name.strip().lower() for name in codings.split(",")]
        named = [name for name in reversed(names) if name not in ("", "identity")]
        made = [_STAGES[name]() for name in named if name in _STAGES]
        self._stages = [stage for stage in made if stage is not None]
        self.decodes = bool(self._stages)
        self.unknown = len(self._stages) < len(named)

    def decode(self, data: bytes) -> bytes:
        """The next bytes; empty while nothing is known of them.

        Raises:
            NotDecoded: when they are not as they should be.
        """
        try:
            for stage in self._stages:
                data = stage.decode(data)
        except zlib.error as error:
            raise NotDecoded(str(error)) from None
        return data

    def flush(self) -> bytes:
        """The bytes that were held back, at the end.

        Raises:
            NotDecoded: when they are not as they should be.
        """
        data = b""
        try:
            for stage in self._stages:
                data = (stage.decode(data) if data else b"") + stage.flush()
        except zlib.error as error:
            raise NotDecoded(str(error)) from None
        return data


class _Zlib:
    """gzip, and deflate with its frame or without."""

    def __init__(self, *, gzip: bool) -> None:
        self._inner = zlib.decompressobj(zlib.MAX_WBITS | (16 if gzip else 0))
        # Of deflate the first bytes, which tell whether it has its frame.
        self._first: bytes | None = None if gzip else b""

    def decode(self, data: bytes) -> bytes:
        """What they are."""
        if self._first is None:
            return self._inner.decompress(data)
        self._first += data
        try:
            made = self._inner.decompress(data)
        except zlib.error:
            self._inner = zlib.decompressobj(-zlib.MAX_WBITS)
            made, self._first = self._inner.decompress(self._first), None
        else:
            if made:
                self._first = None
        return made

    def flush(self) -> bytes:
        """What is left."""
        return self._inner.flush()


class _Foreign:
    """A decompressor of another package, and the error that it raises."""

    def __init__(
        self, decode: Callable[[bytes], bytes], fault: type[Exception]
    ) -> None:
        self._decode = decode
        self._fault = fault

    def decode(self, data: bytes) -> bytes:
        """What they are."""
        try:
            return self._decode(data)
        except self._fault as error:
            raise zlib.error(str(error)) from None

    def flush(self) -> bytes:
        """Nothing: it holds nothing back."""
        return b""


def _brotli() -> _Stage | None:
    package = _first("brotli", "brotlicffi")
    if package is None:
        return None
    inner = package.Decompressor()
    decode = getattr(inner, "decompress", None) or inner.process
    return _Foreign(decode, package.error)


def _zstandard() -> _Stage | None:
    package = _first("compression.zstd", "backports.zstd")
    if package is not None:
        return _Foreign(package.ZstdDecompressor().decompress, package.ZstdError)
    package = _first("zstandard")
    if package is not None:
        inner = package.ZstdDecompressor().decompressobj()
        return _Foreign(inner.decompress, package.ZstdError)
    return None


_STAGES: dict[str, Callable[[], _Stage | None]] = {
    "gzip": lambda: _Zlib(gzip=True),
    "x-gzip": lambda: _Zlib(gzip=True),
    "deflate": lambda: _Zlib(gzip=False),
    "br": _brotli,
    "zstd": _zstandard,
}


def _first(*names: str) -> Any:  # noqa: ANN401 - a package that may be there
    """The first of some packages that is installed: those that HTTP libraries take."""
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    return None
