"""One cassette in use, by a mode: it answers requests, records them, or does both."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.tape.client import SyncTapedClient as SyncTapedClient
    from agentsim.cassettes.tape.client import TapedClient as TapedClient
    from agentsim.cassettes.tape.clock import SystemClock as SystemClock
    from agentsim.cassettes.tape.clock import TapeClock as TapeClock
    from agentsim.cassettes.tape.files import MODES as MODES
    from agentsim.cassettes.tape.files import Mode as Mode
    from agentsim.cassettes.tape.taking import Taking as Taking
    from agentsim.cassettes.tape.taking import ToolTaking as ToolTaking
    from agentsim.cassettes.tape.tape import Tape as Tape
    from agentsim.cassettes.tape.tape import TapeUse as TapeUse
    from agentsim.cassettes.tape.tools import record_tools as record_tools
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "MODES": "files",
            "Mode": "files",
            "SyncTapedClient": "client",
            "SystemClock": "clock",
            "Taking": "taking",
            "Tape": "tape",
            "TapeClock": "clock",
            "TapeUse": "tape",
            "TapedClient": "client",
            "ToolTaking": "taking",
            "record_tools": "tools",
        },
    )
