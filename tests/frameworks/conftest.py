"""The child processes that all tests of a worker share."""

from collections.abc import Iterator

import pytest

from tests.frameworks.children import Children


@pytest.fixture(scope="session")
def children() -> Iterator[Children]:
    """The child processes in the environments of frameworks."""
    started = Children()
    yield started
    started.end()
