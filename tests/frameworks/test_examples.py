"""The examples of the documentation that need a framework run in its environment."""

from pathlib import Path

import pytest

from tests.docs.markdown import blocks
from tests.frameworks.children import Children
from tests.support.environments import ROOT
from tests.support.frameworks import FRAMEWORKS

PAGE = ROOT / "docs" / "how-to" / "test-my-agent.md"

EXAMPLES = {one.needs: one.text for one in blocks(PAGE.read_text("utf-8")) if one.needs}


def test_every_framework_has_an_example() -> None:
    """The page shows one agent for each framework that is tried."""
    assert [*EXAMPLES] == [*FRAMEWORKS]


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_an_example_with_a_framework_does_its_work(
    children: Children, name: str, tmp_path: Path
) -> None:
    """The agent that the page shows ends with the right answer and one effect."""
    shown = tmp_path / "shown_agent.py"
    shown.write_text(EXAMPLES[name], "utf-8")
    found = children.ask(name, "runs", f"{shown}:agent", "calm", 0, 2)
    assert found["values"] == {"web-03 is well, and noted.": 2}
    assert found["effects"] == {"1": 2}
