"""Whether a run loaded modules: then it may be another than those that come after it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from agentsim.runtime import reference

__all__ = ["Loading"]


class Loading:
    """True once an agent loaded modules since this was made.

    Modules of ours do not count, and the reference runtime is not asked: it loads none.
    """

    __slots__ = ("_before",)

    def __init__(self, agent: Callable[..., Any]) -> None:
        self._before = None if agent is reference else len(sys.modules)

    def __bool__(self) -> bool:
        """Whether there are new ones now."""
        if self._before is None or len(sys.modules) <= self._before:
            return False
        loaded = list(sys.modules)[self._before :]
        return not all(name.startswith("agentsim.") for name in loaded)
