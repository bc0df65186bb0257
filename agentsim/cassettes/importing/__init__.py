"""Recordings of other tools as cassettes: one module per source, found by contents."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.importing.kinds import KINDS as KINDS
    from agentsim.cassettes.importing.page import recordings_page as recordings_page
    from agentsim.cassettes.importing.recording import HTTP_KINDS as HTTP_KINDS
    from agentsim.cassettes.importing.recording import http_kind as http_kind
    from agentsim.cassettes.importing.recording import read_recording as read_recording
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "HTTP_KINDS": "recording",
            "KINDS": "kinds",
            "http_kind": "recording",
            "read_recording": "recording",
            "recordings_page": "page",
        },
    )
