"""The SDKs of the vendors, and their clients with an HTTP client of ours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from agentsim.core import UsageError
from agentsim.providers.transports.libraries import INSTALL

__all__ = ["ANTHROPIC_SDK", "OPENAI_SDK", "VendorSdk"]

PLATFORM = "Unknown"
"""What an SDK says of the machine: the same everywhere, and no process is asked."""


@dataclass(frozen=True, slots=True)
class VendorSdk:
    """An SDK, and how its clients are made.

    Attributes:
        package: That of the SDK.
        title: Its name for people.
        base_url: Where the vendor's own service is.
        keys: Options that give a key: one of them is enough.
        outside: Option -> why it leads out of what answers in process.
    """

    package: str
    title: str
    base_url: str
    keys: tuple[str, ...]
    outside: Mapping[str, str]

    def module(self) -> Any:  # noqa: ANN401 - of either vendor
        """The SDK.

        Raises:
            UsageError: when it is not installed.
        """
        try:
            return import_module(self.package)
        except ImportError:
            raise UsageError(f"{self.title} is not installed here: {INSTALL}") from None

    def client(self, options: Mapping[str, Any], *, key: str, blocks: bool) -> Any:  # noqa: ANN401
        """A client of the SDK that is answered in process.

        Args:
            options: Of the SDK, with the HTTP client.
            key: Of the service, where the options have none.
            blocks: Whether it is one for threads that wait.
        """
        sdk = self.module()
        without = all(options.get(name) is None for name in self.keys)
        defaults = {"api_key": key} if without else {}
        # Under their second names: loops that make their client themselves are tested
        # with the first one patched, by a method that calls this one.
        made = sdk.Client if blocks else sdk.AsyncClient
        client = made(**{**defaults, **options})
        # Else its first request asks on a thread, which asks a process.
        client._platform = PLATFORM  # noqa: SLF001 - the SDK has no public way
        return client


OPENAI_SDK = VendorSdk(
    "openai",
    "the OpenAI SDK",
    "https://api.openai.com/v1",
    ("api_key",),
    {
        "provider": "another service would answer",
        "workload_identity": "tokens would be fetched",
    },
)

ANTHROPIC_SDK = VendorSdk(
    "anthropic",
    "the Anthropic SDK",
    "https://api.anthropic.com",
    ("api_key", "auth_token"),
    {
        "credentials": "tokens would be fetched",
        "config": "tokens would be fetched",
        "profile": "it would be read from your own files",
    },
)
