"""Recordings of other tools as cassettes: one module per source, found by contents."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.importing.kinds import KINDS as KINDS
    from agentsim.cassettes.importing.page import recordings_page as recordings_page
else:
    __getattr__, __dir__, __all__ = attach(
        __name__, {"KINDS": "kinds", "recordings_page": "page"}
    )
