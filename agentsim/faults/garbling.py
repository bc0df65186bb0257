"""What a faulty tool puts out: another type, far too much, or no readable text."""

from __future__ import annotations

from agentsim.faults.kinds import Garble, Operation

__all__ = ["HUGE_CHARACTERS", "binary", "huge", "instead", "surrogates"]

HUGE_CHARACTERS = 1 << 20
"""Length of a huge output: 1 MiB, as its characters are ASCII."""

_LINE = "all work and no play makes a dull agent, said the log, line after line\n"


def instead(value: object) -> Garble:
    """Put out this value, whatever the tool's own output was."""

    def garble(_output: object, _operation: Operation) -> object:
        # A new one each time: an agent may change what it is given.
        return value.copy() if isinstance(value, (list, dict)) else value

    return garble


def huge(_output: object, _operation: Operation) -> object:
    """Put out a log of 1 MiB."""
    return (_LINE * (HUGE_CHARACTERS // len(_LINE) + 1))[:HUGE_CHARACTERS]


def binary(_output: object, _operation: Operation) -> object:
    """Put out what a text looks like that was read from a program's file."""
    return "\x7fELF\x02\x01\x01\x00\x00\x1b[2J\x08\r\ufffd\ufffd\x00\ufeff"


def surrogates(output: object, _operation: Operation) -> object:
    """Put half of a surrogate pair behind the output: no encoding can carry it."""
    return f"{output if isinstance(output, str) else ''}\ud83d"
