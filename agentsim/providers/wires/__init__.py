"""What all wires of model services share: rules as data, answers, frames of streams."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.wires.answers import HttpAnswer as HttpAnswer
    from agentsim.providers.wires.answers import Pieces as Pieces
    from agentsim.providers.wires.asked import Asked as Asked
    from agentsim.providers.wires.asked import Reader as Reader
    from agentsim.providers.wires.asked import RefusedRequest as RefusedRequest
    from agentsim.providers.wires.dialect import Answered as Answered
    from agentsim.providers.wires.dialect import Dialect as Dialect
    from agentsim.providers.wires.dialect import Frame as Frame
    from agentsim.providers.wires.dialect import HasMore as HasMore
    from agentsim.providers.wires.dialect import HasStore as HasStore
    from agentsim.providers.wires.dialect import ReadAnswer as ReadAnswer
    from agentsim.providers.wires.noise import HasNoise as HasNoise
    from agentsim.providers.wires.profiles import plain_profile as plain_profile
    from agentsim.providers.wires.profiles import profile_of as profile_of
    from agentsim.providers.wires.rules import WireRefusal as WireRefusal
    from agentsim.providers.wires.rules import WireRule as WireRule
    from agentsim.providers.wires.sse import frame_bytes as frame_bytes
    from agentsim.providers.wires.sse import read_frames_of as read_frames_of
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "Answered": "dialect",
            "Asked": "asked",
            "Dialect": "dialect",
            "Frame": "dialect",
            "HasMore": "dialect",
            "HasStore": "dialect",
            "HasNoise": "noise",
            "HttpAnswer": "answers",
            "Pieces": "answers",
            "ReadAnswer": "dialect",
            "Reader": "asked",
            "RefusedRequest": "asked",
            "WireRefusal": "rules",
            "WireRule": "rules",
            "frame_bytes": "sse",
            "plain_profile": "profiles",
            "profile_of": "profiles",
            "read_frames_of": "sse",
        },
    )
