"""The strict model over HTTP, for programs of any language: runs, control, verdicts."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.server.commanding import CommandEnding as CommandEnding
    from agentsim.server.commanding import run_command as run_command
    from agentsim.server.listening import Listening as Listening
    from agentsim.server.reference import server_page as server_page
    from agentsim.server.serving import Serving as Serving
    from agentsim.server.telling import ServedVerdict as ServedVerdict
    from agentsim.server.telling import exit_code as exit_code
    from agentsim.server.telling import verdict_of as verdict_of
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "CommandEnding": "commanding",
            "Listening": "listening",
            "ServedVerdict": "telling",
            "Serving": "serving",
            "exit_code": "telling",
            "run_command": "commanding",
            "server_page": "reference",
            "verdict_of": "telling",
        },
    )
