"""How a command line names a test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

__all__ = ["way_to"]


def way_to(item: pytest.Item) -> str:
    """The test as a command line names it, from the folder where pytest was started."""
    here = item.config.invocation_params.dir
    _, colons, inside = item.nodeid.partition("::")
    return Path(os.path.relpath(item.path, here)).as_posix() + colons + inside
