"""Whether a file is a cassette, told from how it begins."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["HEADER_KEY", "is_cassette"]

HEADER_KEY = "agentsim_cassette"
"""First key of a cassette; its value is the version of the format."""

HEAD_BYTES = 4096

_BEGINS = re.compile(rf"^{HEADER_KEY}[ \t]*:".encode(), re.MULTILINE)


def is_cassette(path: Path | str) -> bool:
    """Whether a file begins as a cassette does; not for what can't be read."""
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            return _BEGINS.search(file.read(HEAD_BYTES)) is not None
    except (OSError, ValueError):
        return False
