"""What a package brings by entry points is named like what comes with agentsim."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentsim.core import Registry
from agentsim.faults import CATALOGUE
from agentsim.invariants import INVARIANTS
from agentsim.world import SPECS
from tests.support.command import agentsim

MODULE = '''
from agentsim.core import EffectApplied
from agentsim.faults import Fault
from agentsim.invariants import invariant, rule
from agentsim.world import tool, world_part


@world_part("shop")
class Shop:
    """A shop."""

    stock: int = 3

    @tool(confirm=False)
    def order(self, item: str) -> str:
        """Order one piece."""
        self.stock -= 1
        return f"ordered {item}"


SOLD_OUT = Fault(
    "sold_out",
    "tool",
    "the shop is sold out",
    definite=True,
    needs_write=True,
    effect="skipped",
    answer="error",
    error_words="sold out",
)


@invariant("one-order", "A run orders once.", rationale="Two are one too many.")
def one_order(facts):
    effects = [e for e in facts.events if isinstance(e, EffectApplied)]
    return rule(len(effects), [], "nothing was ordered")
'''

ENTRY_POINTS = """\
[agentsim.worlds]
shop = shop_of_a_test:Shop
[agentsim.faults]
sold_out = shop_of_a_test:SOLD_OUT
[agentsim.invariants]
one-order = shop_of_a_test:one_order
"""

STORY = """\
task: Order tea.
world: {shop: {stock: 1}}
script:
  - {call: order, with: {item: tea}}
  - say: I ordered tea.
expect: {effects: {order: 1}}
"""


def forget(registry: Registry[Any]) -> None:
    """Let a registry look again for what packages bring."""
    registry._brought = registry._all = None


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package that brings one of each."""
    info = tmp_path / "shop-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shop\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "shop_of_a_test.py").write_text(MODULE)
    (tmp_path / "story.yaml").write_text(STORY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    for registry in (SPECS, CATALOGUE, INVARIANTS):
        forget(registry)
    yield tmp_path
    monkeypatch.undo()
    for registry in (SPECS, CATALOGUE, INVARIANTS):
        forget(registry)
    sys.modules.pop("shop_of_a_test", None)


def test_what_a_package_brings_is_listed(package: Path) -> None:
    """Faults, invariants and the tools of parts stand with all others."""
    assert "sold_out" in agentsim("list", "faults").out
    assert "one-order" in agentsim("list", "invariants").out
    assert "order" in agentsim("list", "tools").out


def test_what_a_package_brings_is_run_and_explored(package: Path) -> None:
    """A file names its part, options name its fault and its invariant, with no import."""
    story = str(package / "story.yaml")
    done = agentsim("run", story)
    assert done.code == 0, done.out + done.err
    assert "one-order" in done.out
    named = ("--require", "sold_out", "--require", "one-order")
    done = agentsim(
        "explore", story, "--deviations", "1", "--faults", "sold_out,raises", *named
    )
    assert done.code == 0, done.out + done.err
    assert "faults=sold_out,raises" in done.out.replace(
        "raises,sold_out", "sold_out,raises"
    )
