"""A project whose tests use clocks and chance themselves, beside simulations."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.projects import metadata, run_pytest

pytestmark = pytest.mark.slow  # each starts pytest in a process

SAMPLE = Path(__file__).parent / "sample"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for `PYTHONPATH` that makes the plugin an installed one."""
    return metadata(tmp_path_factory.mktemp("installed"))


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sample project, of which nothing tells that it is ours."""
    folder = tmp_path_factory.mktemp("sample") / "project"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


@pytest.mark.parametrize(
    ("arguments", "env"),
    [
        pytest.param((), {}, id="in order"),
        pytest.param(
            ("-o", "agentsim_deviations=1"),
            {"SHUFFLED": "2", "TZ": "Asia/Kolkata"},
            id="explored, shuffled and elsewhere",
        ),
        pytest.param(("-n", "1"), {"SHUFFLED": "3"}, id="shuffled in a worker"),
    ],
)
def test_users_tests_of_time_and_chance_pass_beside_simulations(
    sample: Path, installed: Path, arguments: tuple[str, ...], env: dict[str, str]
) -> None:
    """Real deadlines, own freezes and journeys, models and seeds: in any order."""
    done = run_pytest(sample, *arguments, installed=installed, env=env)
    assert done.code == 0, done.out + done.err
    assert "19 passed" in done.out
    assert "warning" not in done.out
