"""Faults of tools: before the effect, after it, and in what they put out."""

from __future__ import annotations

from functools import cache

from agentsim.faults.kinds import Fault, Garble, Operation

__all__ = ["HUGE_CHARACTERS", "SLOW_S", "TOOL_FAULTS"]

SLOW_S = 30.0
"""How many virtual seconds longer a slow tool takes."""

# ----------------------------------------------------------------- what a tool puts out

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
    return _huge_log()


@cache
def _huge_log() -> str:
    return (_LINE * (HUGE_CHARACTERS // len(_LINE) + 1))[:HUGE_CHARACTERS]


def binary(_output: object, _operation: Operation) -> object:
    """Put out what a text looks like that was read from a program's file."""
    return "\x7fELF\x02\x01\x01\x00\x00\x1b[2J\x08\r\ufffd\ufffd\x00\ufeff"


def surrogates(output: object, _operation: Operation) -> object:
    """Put half of a surrogate pair behind the output: no encoding can carry it."""
    return f"{output if isinstance(output, str) else ''}\ud83d"


# ------------------------------------------------------------------------------ faults

raises = Fault(
    "raises",
    "tool",
    "the tool fails before it does anything",
    definite=True,
    effect="skipped",
    answer="error",
    error_words="the tool failed before it did anything",
)
flaky = Fault(
    "flaky",
    "tool",
    "the tool fails twice before it does anything, then it works",
    definite=True,
    effect="skipped",
    answer="error",
    error_words="the tool failed for now, before it did anything",
    lasts=2,
)
slow = Fault(
    "slow",
    "tool",
    f"the tool takes {SLOW_S:g} seconds longer",
    delay_s=SLOW_S,
)
hangs = Fault(
    "hangs",
    "tool",
    "the tool does nothing and never answers",
    effect="skipped",
    answer="never",
    rare=True,
)
answer_lost = Fault(
    "answer_lost",
    "tool",
    "the write takes effect and its answer is lost",
    needs_write=True,
    effect="applied",
    answer="error",
    error_words="the connection was lost before the answer came; outcome unknown",
)
answer_never_comes = Fault(
    "answer_never_comes",
    "tool",
    "the write takes effect and its answer never comes",
    needs_write=True,
    effect="applied",
    answer="never",
    rare=True,
)
applied_twice = Fault(
    "applied_twice",
    "tool",
    "the write takes effect twice, and is answered once",
    needs_write=True,
    effect="twice",
)
stale = Fault(
    "stale",
    "tool",
    "the read is answered as it was before the last write",
    effect="skipped",
    answer="outdated",
)
number_output = Fault(
    "number_output", "tool", "the output is a number", garble=instead(42)
)
list_output = Fault(
    "list_output", "tool", "the output is a list", garble=instead([1, None, "three"])
)
object_output = Fault(
    "object_output",
    "tool",
    "the output is an object",
    garble=instead({"ok": True, "data": None}),
)
null_output = Fault("null_output", "tool", "the output is null", garble=instead(None))
bytes_output = Fault(
    "bytes_output",
    "tool",
    "the output is bytes, which are no JSON",
    garble=instead(b"\x89PNG\r\n\x1a\n\x00"),
)
empty_output = Fault(
    "empty_output", "tool", "the output is the empty text", garble=instead("")
)
huge_output = Fault("huge_output", "tool", "the output is 1 MiB of text", garble=huge)
binary_output = Fault(
    "binary_output",
    "tool",
    "the output is binary data read as text, with NUL and control characters",
    garble=binary,
)
surrogate_output = Fault(
    "surrogate_output",
    "tool",
    "the output ends with half of a surrogate pair, which no encoding can carry",
    garble=surrogates,
)

TOOL_FAULTS = (
    raises,
    flaky,
    slow,
    hangs,
    answer_lost,
    answer_never_comes,
    applied_twice,
    stale,
    number_output,
    list_output,
    object_output,
    null_output,
    bytes_output,
    empty_output,
    huge_output,
    binary_output,
    surrogate_output,
)
