"""The environments of the frameworks: complete lists, of the versions used elsewhere."""

import re
import tomllib

import pytest

from tests.support.environments import ROOT
from tests.support.frameworks import FRAMEWORKS, OPENAI_2

LISTED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)$", re.MULTILINE)
ELSEWHERE = {OPENAI_2: ("anthropic", "openai")}
"""What is there in another version on purpose."""


def listed(path: str) -> dict[str, str]:
    """Name -> version, as a file lists them."""
    text = (ROOT / path).read_text("utf-8")
    return {
        name.lower().replace("_", "-"): version
        for name, version in LISTED.findall(text)
    }


@pytest.mark.parametrize("name", [*FRAMEWORKS, OPENAI_2])
def test_an_environment_has_what_agentsim_needs_in_the_versions_tested(
    name: str,
) -> None:
    """All dependencies are listed, and what others use too has the same version."""
    found = listed(f"tests/frameworks/environments/{name}.txt")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [re.split(r"[><=]", line)[0].lower() for line in project["dependencies"]]
    assert [entry for entry in needed if entry not in found] == []
    pinned = listed("constraints.txt")
    other = [n for n in found if n in pinned and pinned[n] != found[n]]
    assert other == [*ELSEWHERE.get(name, ())]
