"""Code of a person's own that ends the process ends the command with a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import agentsim

LAMP = """
import sys
from dataclasses import dataclass
from typing import ClassVar

from agentsim import Scenario, say


@dataclass(frozen=True)
class Lamp:
    kind: ClassVar[str] = "lamp"

    def build(self, world):
        if BUILDS:
            sys.exit("out")
        BUILDS.append(self)
        return self


BUILDS = []


def __getattr__(name):
    BUILDS.append(name)
    return Scenario("Light it.", [say("Done.")], world=[Lamp()])
"""


def test_a_part_that_ends_the_process_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not taken for a reader that went away, which ends without a word."""
    monkeypatch.chdir(tmp_path)
    Path("lamp_of_a_test.py").write_text(LAMP, "utf-8")
    done = agentsim("run", "lamp_of_a_test:LAMP")
    assert (done.code, done.out) == (3, "")
    assert "raised SystemExit in build (lamp_of_a_test.py:" in done.err
