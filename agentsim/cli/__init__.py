"""The command line: one file per command, loaded on use."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cli.app import main as main
else:
    __getattr__, __dir__, __all__ = attach(__name__, {"main": "app"})
