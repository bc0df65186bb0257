"""Which baton the thread at hand holds, if any: the question of all that may block."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentsim.engine.threads.baton import Baton


class _Here(threading.local):
    """What is known of the thread at hand."""

    baton: Baton | None = None


HERE = _Here()
