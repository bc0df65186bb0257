"""What was said in a cassette: its exchanges in the neutral form, by conversation."""

from typing import TYPE_CHECKING

from agentsim._lazy import attach

if TYPE_CHECKING:
    from agentsim.cassettes.conversations.checking import (
        check_cassette as check_cassette,
    )
    from agentsim.cassettes.conversations.checking import (
        check_requests as check_requests,
    )
    from agentsim.cassettes.conversations.heard import Heard as Heard
    from agentsim.cassettes.conversations.heard import hear as hear
    from agentsim.cassettes.conversations.threads import (
        RecordedConversation as RecordedConversation,
    )
    from agentsim.cassettes.conversations.threads import Spoken as Spoken
    from agentsim.cassettes.conversations.threads import (
        conversations_of as conversations_of,
    )
    from agentsim.cassettes.conversations.tracing import trace_of as trace_of
else:
    __getattr__, __dir__, __all__ = attach(
        __name__,
        {
            "RecordedConversation": "threads",
            "Heard": "heard",
            "Spoken": "threads",
            "check_cassette": "checking",
            "check_requests": "checking",
            "conversations_of": "threads",
            "hear": "heard",
            "trace_of": "tracing",
        },
    )
