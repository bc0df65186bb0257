"""A proxy between a program in any language and the vendors: it records, or replays."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.server.recording.proxy import RecordingProxy as RecordingProxy
    from agentsim.server.recording.reference import proxy_page as proxy_page
    from agentsim.server.recording.troubles import Troubles as Troubles
    from agentsim.server.recording.upstreams import Upstream as Upstream
    from agentsim.server.recording.upstreams import read_upstreams as read_upstreams
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "RecordingProxy": "proxy",
            "Troubles": "troubles",
            "Upstream": "upstreams",
            "proxy_page": "reference",
            "read_upstreams": "upstreams",
        },
    )
