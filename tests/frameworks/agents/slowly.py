"""A tool that takes its time, as one that asks a service does."""

import functools
import time
from collections.abc import Callable


def slowly(function: Callable[..., object]) -> Callable[..., object]:
    """Wrap a blocking function, with a second of sleep before its work."""

    @functools.wraps(function)
    def wrapped(*args: object, **arguments: object) -> object:
        time.sleep(1)
        return function(*args, **arguments)

    return wrapped
