"""The reference page of what can be imported, made from the kinds themselves."""

from __future__ import annotations

from agentsim.cassettes.importing.kinds import KINDS

__all__ = ["recordings_page"]

_HEAD = """\
# Recordings of other tools

<!-- Made from the kinds by `make docs`; a test compares the two. -->

`agentsim cassette import FILE... --into CASSETTE` makes a cassette of them. Which kind a
file is, is found by its contents; `--from KIND` says it where that is not enough. Several
files stand in the cassette one behind the other.

Secrets are replaced as in a recording of our own, and only the headers are kept that a
cassette has. What is left out is counted and told; a file in which nothing is left is an
error, and so is what can't be read: with the file, the line or the field.

`agentsim check FILE...` judges them as they are, without a cassette: conversations and
traces by the rules of a history, `vcr` and `har` as a cassette too, by what shows on the
wire.
"""


def recordings_page() -> str:
    """The text of `docs/reference/recordings.md`."""
    sections = (
        f"## `{name}`\n\n{kind.sentence}\n\n"
        f"- Recognised by: {kind.marks}.\n"
        f"- Kept: {kind.kept}\n"
        f"- Left out: {kind.left_out}\n"
        for name, kind in KINDS.items()
    )
    return "\n".join((_HEAD, *sections))
