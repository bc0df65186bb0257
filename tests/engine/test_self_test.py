"""The test of what the engine assumes of asyncio: it passes here, and can fail."""

import asyncio
from collections.abc import Iterator

import pytest

from agentsim.core import InternalError
from agentsim.engine import self_test
from agentsim.engine.self_test import TRIALS


@pytest.fixture
def untested() -> Iterator[None]:
    """Forget that this process was tested, before and after."""
    self_test.cache_clear()
    yield
    self_test.cache_clear()


@pytest.mark.usefixtures("untested")
def test_this_python_is_as_assumed() -> None:
    """Every assumption holds on the interpreter that runs the tests."""
    self_test()


@pytest.mark.usefixtures("untested")
@pytest.mark.parametrize("assumption", TRIALS)
@pytest.mark.parametrize("how", ["false", "raises", "hangs"])
def test_a_broken_assumption_is_named(
    assumption: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way a trial fails, the error names the assumption that broke."""

    async def trial() -> bool:
        if how == "raises":
            raise AttributeError
        if how == "hangs":
            await asyncio.get_running_loop().create_future()
        return False

    monkeypatch.setitem(TRIALS, assumption, trial)
    with pytest.raises(InternalError) as caught:
        self_test()
    assert f"({assumption}): please report it" in str(caught.value)
