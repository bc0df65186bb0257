"""The child processes that all tests of a worker share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.frameworks.children import Children

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the tests of a framework follow one another.

    Where a worker takes some of them from another, both start only the children of the
    framework at which they part.
    """
    own = [place for place, item in enumerate(items) if item.path.parent == HERE]
    ordered = sorted((items[place] for place in own), key=framework_of)
    for place, item in zip(own, ordered, strict=True):
        items[place] = item


def framework_of(item: pytest.Item) -> str:
    """The framework that a test is about, or nothing."""
    callspec = getattr(item, "callspec", None)
    return "" if callspec is None else str(callspec.params.get("name", ""))


@pytest.fixture(scope="session")
def children() -> Iterator[Children]:
    """The child processes in the environments of frameworks."""
    started = Children()
    yield started
    started.end()
