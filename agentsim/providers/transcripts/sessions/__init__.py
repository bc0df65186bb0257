"""Sessions that other tools wrote: Claude Code, OpenAI Agents SDK, OpenTelemetry."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.providers.transcripts.sessions.files import SESSIONS as SESSIONS
    from agentsim.providers.transcripts.sessions.files import (
        SessionKind as SessionKind,
    )
    from agentsim.providers.transcripts.sessions.files import lines_of as lines_of
    from agentsim.providers.transcripts.sessions.files import (
        read_session as read_session,
    )
    from agentsim.providers.transcripts.sessions.files import (
        session_kind as session_kind,
    )
    from agentsim.providers.transcripts.sessions.plain import (
        is_transcript as is_transcript,
    )
    from agentsim.providers.transcripts.sessions.plain import (
        read_conversations as read_conversations,
    )
    from agentsim.providers.transcripts.sessions.plain import (
        wire_of_bodies as wire_of_bodies,
    )
    from agentsim.providers.transcripts.sessions.times import (
        milliseconds_of as milliseconds_of,
    )
    from agentsim.providers.transcripts.sessions.turns import (
        SessionExchange as SessionExchange,
    )
    from agentsim.providers.transcripts.sessions.turns import calls_in as calls_in
    from agentsim.providers.transcripts.sessions.turns import (
        exchanges_in as exchanges_in,
    )
    from agentsim.providers.transcripts.sessions.values import LeftOut as LeftOut
    from agentsim.providers.transcripts.sessions.values import Session as Session
    from agentsim.providers.transcripts.sessions.values import (
        SessionCall as SessionCall,
    )
    from agentsim.providers.transcripts.sessions.values import (
        SessionPart as SessionPart,
    )
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "SESSIONS": "files",
            "LeftOut": "values",
            "Session": "values",
            "SessionCall": "values",
            "SessionExchange": "turns",
            "SessionKind": "files",
            "SessionPart": "values",
            "calls_in": "turns",
            "exchanges_in": "turns",
            "is_transcript": "plain",
            "lines_of": "files",
            "milliseconds_of": "times",
            "read_conversations": "plain",
            "read_session": "files",
            "session_kind": "files",
            "wire_of_bodies": "plain",
        },
    )
