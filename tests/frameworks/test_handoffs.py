"""Parts of an agent on openai-agents: no handoff of the real framework makes an alarm."""

import pytest

from tests.frameworks.children import Children

pytestmark = pytest.mark.slow

OURS = "tests.frameworks.agents.handing_over"

RUNS = 6
"""Random orders; what can go wrong here shows in the first of them."""


@pytest.mark.parametrize("agent", ["handing", "telling", "asking"])
@pytest.mark.parametrize("menu", ["calm", "orders", "cancelled", "crashed"])
def test_parts_of_a_framework_hold(children: Children, agent: str, menu: str) -> None:
    """With the history or a text in its place, handed back or asked as a tool."""
    count = 2 if menu == "calm" else RUNS
    task = ("runs", f"{OURS}:{agent} {OURS}:DESKS", menu, 0, count)
    found = children.ask("openai-agents", *task)
    # A model that answers after all attempts of the SDK ends the run with its error.
    raised = found["endings"].get("raised", 0)
    assert found["violated"].pop("result-always", 0) == raised
    assert found["violated"] == {}
    if menu == "calm":
        assert found["values"] == {"Order 17 is paid back.": 2}
        assert found["effects"] == {"1": 2}
