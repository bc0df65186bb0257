"""The environments of the frameworks: complete lists, of the versions used elsewhere."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from threading import Thread

import pytest

from tests.support import environments
from tests.support.environments import ROOT, Environment, make_beside
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


class Empty(Environment):
    """An environment that costs nothing to make, and asks whether it is waited for."""

    def make(self) -> None:
        found: list[Path | None] = []
        asking = Thread(target=lambda: found.append(self.awaited()))
        asking.start()
        asking.join(0.02)
        waited = asking.is_alive()
        self.python.parent.mkdir(parents=True)
        self.python.touch()
        (self.home / "told").write_text(f"{waited} {found}")


def test_who_needs_an_environment_waits_until_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are made while a command runs, whose exit code is given."""
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    made = [Empty(name, Path(sys.executable), (), ()) for name in ("a", "b", "c")]
    assert [one.awaited() for one in made] == [None] * 3
    command = [sys.executable, "-c", "raise SystemExit(7)"]
    assert make_beside(made, command) == 7
    assert [one.awaited() for one in made] == [one.python for one in made]
    told = [(one.home / "told").read_text() for one in made]
    assert told == ["True []"] * 3


@pytest.mark.parametrize("refusal", ["it fails", "it is not there"])
def test_pip_installs_what_uv_can_not(tmp_path: Path, refusal: str) -> None:
    """The same is asked of pip where uv fails, or can't be had, and it is said so."""
    script = tmp_path / "scripts" / "install.sh"
    programs = tmp_path / ".venv" / "bin"
    told = tmp_path / "told"
    for folder in (script.parent, programs):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "install.sh", script)
    stands_in = {"python": f'echo "$*" >> "{told}"', "uv": "exit 1"}
    if refusal == "it is not there":
        del stands_in["uv"]
    for name, does in stands_in.items():
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)
    done = subprocess.run(
        [script, "side/python", "-e", ".[test]"],
        capture_output=True,
        text=True,
        check=True,
    )
    asked = told.read_text("utf-8").splitlines()
    assert asked[-1].endswith("--python side/python install -e .[test]")
    assert "pip" in done.stderr
