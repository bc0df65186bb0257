"""The services that a proxy stands before, each by a name and its base URL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from agentsim.core import UsageError

__all__ = ["Upstream", "found_in", "read_upstreams"]

VENDORS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
}
"""Services that are always there, and where they are by default."""

_NAME = re.compile(r"[a-z][a-z0-9_-]*")

EXAMPLE = "such as openai=https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class Upstream:
    """A service.

    Attributes:
        name: Stands in front of the paths that a program asks the proxy for.
        origin: Scheme, host and port of its URL.
        path: Of its base URL, without a slash at the end.
    """

    name: str
    origin: str
    path: str = ""

    @property
    def variable(self) -> str:
        """The variable by which SDKs are told its base URL."""
        return f"{self.name.upper().replace('-', '_')}_BASE_URL"

    @property
    def below(self) -> str:
        """The path of its base URL at the proxy."""
        return f"/{self.name}{self.path}"


def read_upstreams(
    given: Iterable[str], environment: Mapping[str, str]
) -> tuple[Upstream, ...]:
    """Read `NAME=URL`, where the URL is what the SDK would be given as its base URL.

    OpenAI and Anthropic are always there: where they are not given, at the base URL of
    the environment, or at the vendor's own.

    Raises:
        UsageError: for what is no such text, and for a name that stands twice.
    """
    found: dict[str, Upstream] = {}
    for text in given:
        name, equals, url = text.partition("=")
        if not equals or not _NAME.fullmatch(name):
            raise UsageError(f"--upstream: expected NAME=URL, {EXAMPLE}, got {text!r}")
        if name in found:
            raise UsageError(f"--upstream: {name} stands there twice: leave one away")
        found[name] = _read(name, url, "--upstream")
    for name, url in VENDORS.items():
        if name not in found:
            variable = Upstream(name, "").variable
            told = environment.get(variable, "").strip()
            found[name] = _read(name, told or url, variable)
    return tuple(found.values())


def found_in(
    upstreams: Iterable[Upstream], path: str, headers: Mapping[str, str]
) -> tuple[Upstream, str]:
    """The service that a request is for, and its path there.

    Args:
        path: As the proxy was asked for it: the name of the service stands in front, or
            the path itself tells whose it is.
        headers: Names in lower case.
    """
    named = {one.name: one for one in upstreams}
    first, slash, rest = path.removeprefix("/").partition("/")
    if first in named:
        return named[first], slash + rest
    theirs = "anthropic-version" in headers or "/messages" in path
    return named["anthropic" if theirs else "openai"], path


def _read(name: str, url: str, where: str) -> Upstream:
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and bool(parts.hostname)
        fits = fits and not (parts.query or parts.fragment) and parts.port != 0
    except ValueError:
        fits = False
    if not fits or not url.isprintable() or " " in url:
        raise UsageError(
            f"{where}: expected a URL with http:// or https:// and a host, and nothing "
            f"behind its path, {EXAMPLE}, got {url!r}"
        )
    parts = urlsplit(url)
    return Upstream(name, f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/"))
